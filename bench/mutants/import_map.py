"""Which tests may see a change, told by imports: the nearest files of tests first. Needs no measurement."""

from __future__ import annotations

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from bench.mutants.mutations import Mutation

FILES = 12
"""So many of the nearest files of tests are run for a change, and twice as many more if nobody notices it."""
NEXT = 3
"""So many of them come before the tests that look at a whole package."""

DEFINITION = re.compile(r"^ *(?:async )?(?:def|class) ([A-Za-z]\w+)", re.MULTILINE)
WIDELY_USED = 12
"""A name in more files than this does not tell who calls a module."""
ACROSS = (
    "tests/contract/test_declared_forms.py",
    "tests/words/test_all_words.py",
    "tests/docs/test_reference.py",
    "tests/test_house.py",
    "tests/words/test_pseudo_language.py",
    "tests/docs/test_pages.py",
)
"""Tests that look at all modules at once: at what is declared, codes of sentences, options, and what commands print."""

_REPORTS = ("tests/reports/test_numbers.py", "tests/reports/test_outline.py", "tests/reports/test_limits.py")
_PRINTED = "tests/cli/test_printed.py"
_SESSION = "tests/cli/test_printed_session.py"
_VOTING = "tests/cli/test_printed_voting.py"
_COLLECTING = "tests/cli/test_printed_collecting.py"
_RECORDS = "tests/flow/test_kept_records.py"
OF_PACKAGE = {
    "cli": (_PRINTED, _SESSION, _VOTING, _COLLECTING),
    "config": (_COLLECTING,),
    "domain": (_RECORDS,),
    "judges": (_RECORDS, _SESSION),
    "ledger": (_SESSION,),
    "protocols": (_SESSION,),
    "reports": (*_REPORTS, "tests/reports/terminal/test_tables.py", "tests/reports/test_degenerate_reports.py"),
    "stats": ("tests/stats/test_kept_results.py", *_REPORTS),
    "runner": (_RECORDS, _SESSION),
    "shapes": (_RECORDS,),
    "votes": ("tests/votes/test_kept_results.py", _PRINTED),
    "targets": (_COLLECTING,),
    "validation": ("tests/validation/test_kept_findings.py",),
    "workflows": (_PRINTED, _SESSION, _COLLECTING, *_REPORTS),
    "server": (
        "tests/server/test_openapi.py",
        "tests/server/api/test_kept_answers.py",
        "tests/server/pages/test_kept_pages.py",
        _VOTING,
    ),
}
"""Tests that look at a package as a whole: at what is printed, written, reported and answered."""


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
                    for module in _imports(path, _module(name)):
                        self._importers[module].add(name)
        self._public: defaultdict[str, set[str]] = defaultdict(set)
        """The names that a package offers for what a module of it defines, by the module."""
        for stub in sorted((tree / "src").rglob("*.pyi")):
            package = _module(stub.relative_to(tree).as_posix())
            for module, names in _imported_names(stub, package):
                self._public[module].update(f"{package}.{name}" for name in names)

    def tests_for(self, mutation: Mutation, _limit_seconds: float) -> tuple[list[str], ...]:
        """Take the module's own tests and doctests, the nearest, those of its whole package, of all, more of its room.

        Tests of a whole package come early: they notice more than files that are further away, and cost less.
        """
        own, package = own_test_file(mutation.file), Path(mutation.file).parts[2]
        first = [own] if (self._tree / own).exists() else []
        if b">>> " in (self._tree / mutation.file).read_bytes():
            first.append(mutation.file)
        nearest = list(self._nearest(mutation.file))
        importing = [file for file in nearest if file in self._users(mutation.file)]
        near = dict.fromkeys([*importing, *self._of_callers(mutation.file), *nearest, *self._naming(mutation.file)])
        others = [file for file in near if file not in first]
        further = sorted(others[FILES:], key=lambda file: not file.startswith((f"tests/{package}/", "tests/flow/")))
        stages: list[list[str]] = []
        for stage in (
            first,
            others[:NEXT],
            OF_PACKAGE.get(package, ()),
            others[NEXT:FILES],
            ACROSS,
            further[: 2 * FILES],
        ):
            taken = {file for earlier in stages for file in earlier}
            stages.append([file for file in stage if file not in taken and (self._tree / file).exists()])
        return tuple(stages)

    def _nearest(self, file: str) -> Iterator[str]:
        """Go from a module to what imports it, and on; at one distance the own folder comes first, then small files."""
        own_folder = Path(own_test_file(file)).parent
        reached, seen = {file}, {file}
        while reached:
            tests = [name for name in reached if Path(name).name.startswith("test_") and name.startswith("tests/")]
            yield from sorted(tests, key=lambda name: (Path(name).parent != own_folder, self._size(name), name))
            reached = {name for each in reached for name in self._users(each)} - seen
            seen |= reached

    def _users(self, file: str) -> set[str]:
        """Give what imports a file; a `conftest.py` serves the tests of its folder, which do not import it."""
        served = Path(self._tree, file).parent.rglob("test_*.py") if Path(file).name == "conftest.py" else ()
        offered = (self._importers[name] for name in self._public[_module(file)])
        named = {path.relative_to(self._tree).as_posix() for path in served}
        return self._importers[_module(file)].union(named, *offered)

    def _of_callers(self, file: str) -> list[str]:
        """Find the own tests of modules that use what a module defines, imported or handed to them, by how rare it is.

        Tests of a module of the same name in the same room come first: the page or the address of what it does. Then
        those across modules that are named after it or its folder.
        """
        defined = DEFINITION.findall((self._tree / file).read_text("utf-8"))
        users = {name: [user for user, words in self._words.items() if name in words] for name in set(defined)}
        calls: Counter[str] = Counter()
        for found in users.values():
            calls.update(dict.fromkeys(found, 1 / len(found)))
        callers = [user for user, weight in calls.most_common() if weight >= 1 / WIDELY_USED]
        room = f"tests/{Path(file).parts[2]}/"
        namesakes = [
            each for each in self._words if each.startswith(room) and Path(each).name == f"test_{Path(file).name}"
        ]
        about = {Path(file).stem, Path(file).parent.name}
        namesakes += [each for each in self._words if each.startswith("tests/flow/") and about & _parts(each)]
        tests = dict.fromkeys(
            [*namesakes, *(user if user.startswith("tests/") else own_test_file(user) for user in callers)]
        )
        return [test for test in tests if Path(test).name.startswith("test_") and (self._tree / test).exists()]

    def _naming(self, file: str) -> list[str]:
        """Find the tests that name a module without importing it, as those of commands and plugins do."""
        stem = Path(file).stem
        tests = [name for name, words in self._words.items() if Path(name).name.startswith("test_") and stem in words]
        return sorted(tests, key=self._size)

    @cached_property
    def _words(self) -> dict[str, frozenset[str]]:
        """The words of each file of sources and tests."""
        files = [path for top in ("src", "tests") for path in sorted((self._tree / top).rglob("*.py"))]
        texts = {path.relative_to(self._tree).as_posix(): path.read_text("utf-8") for path in files}
        return {name: frozenset(re.findall(r"\w+", text)) for name, text in texts.items()}

    def _size(self, file: str) -> int:
        return (self._tree / file).stat().st_size


def _parts(file: str) -> set[str]:
    """Give the words of a file's name, each in the singular too."""
    words = Path(file).stem.split("_")
    return {*words, *(word.removesuffix("s") for word in words)}


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


def _imports(path: Path, module: str) -> set[str]:
    """List what a file imports: modules, and names that may be modules; a package's stub counts as the package."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    for imported, names in _imported_names(path, module):
        found.update((imported, *(f"{imported}.{name}" for name in names)))
    return found


def _imported_names(path: Path, module: str) -> Iterator[tuple[str, list[str]]]:
    """Yield the names that a file imports from modules; dots before a module's name lead upward from the file's own."""
    package = module if path.stem == "__init__" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) + 1 - node.level] if node.level else []
            yield ".".join([*above, *([node.module] if node.module else [])]), [alias.name for alias in node.names]
