"""Which tests may see a change, told by imports: the nearest files of tests first. Needs no measurement."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from bench.mutants.mutations import Mutation

FILES = 12
"""So many files of tests are run at most."""


class ImportMap:
    """Files of tests by how many imports lie between them and a module."""

    unused = 0

    def __init__(self, tree: Path) -> None:
        self.seconds: dict[str, float] = {}
        self._tree = tree
        self._importers: defaultdict[str, set[str]] = defaultdict(set)
        for top in ("src", "tests"):
            for path in sorted((tree / top).rglob("*.py*")):
                if path.suffix in {".py", ".pyi"}:
                    name = path.relative_to(tree).as_posix()
                    for module in _imports(path):
                        self._importers[module].add(name)

    def tests_for(self, mutation: Mutation, _limit_seconds: float) -> tuple[list[str], list[str]]:
        """Take the module's own tests and doctests, then the files of tests nearest to it."""
        own = own_test_file(mutation.file)
        first = [own] if (self._tree / own).exists() else []
        if b">>> " in (self._tree / mutation.file).read_bytes():
            first.append(mutation.file)
        near = dict.fromkeys([*self._nearest(mutation.file), *self._naming(mutation.file)])
        return first, [file for file in near if file not in first][:FILES]

    def _nearest(self, file: str) -> Iterator[str]:
        """Go from a module to what imports it, and on; at one distance the own folder comes first, then small files."""
        own_folder = Path(own_test_file(file)).parent
        reached, seen = {file}, {file}
        while reached:
            tests = [name for name in reached if Path(name).name.startswith("test_") and name.startswith("tests/")]
            yield from sorted(tests, key=lambda name: (Path(name).parent != own_folder, self._size(name), name))
            reached = {name for each in reached for name in self._importers[_module(each)]} - seen
            seen |= reached

    def _naming(self, file: str) -> list[str]:
        """Find the tests that name a module without importing it, as those of commands and plugins do."""
        word = re.compile(rf"\b{Path(file).stem}\b")
        tests = [path for path in (self._tree / "tests").rglob("test_*.py") if word.search(path.read_text("utf-8"))]
        return [path.relative_to(self._tree).as_posix() for path in sorted(tests, key=lambda path: path.stat().st_size)]

    def _size(self, file: str) -> int:
        return (self._tree / file).stat().st_size


def own_test_file(file: str) -> str:
    """Where a module's tests are.

    >>> own_test_file("src/venire/stats/drift/stream.py")
    'tests/stats/drift/test_stream.py'
    """
    path = Path(file)
    return Path("tests", *path.parts[2:-1], f"test_{path.name}").as_posix()


def _module(file: str) -> str:
    """Give a file's module; helpers of tests are imported by their bare names."""
    path = Path(file).with_suffix("")
    parts = path.parts[1:-1] if path.name == "__init__" else path.parts[1:]
    return ".".join(parts)


def _imports(path: Path) -> set[str]:
    """List what a file imports: modules, and names that may be modules; a package's stub counts as the package."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            found.update((node.module, *(f"{node.module}.{alias.name}" for alias in node.names)))
    return found
