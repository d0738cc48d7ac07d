"""Which tests run which line: measured once for a state of the sources, with coverage of child processes too."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from functools import cache, cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

from coverage import CoverageData

from bench.mutants.import_map import ImportMap, own_test_file
from bench.mutants.mutations import Mutation

PLUGIN = "bench.mutants.watch"
SETTINGS = """[run]
parallel = true
data_file = {folder}/measured
source = {tree}/src/venire
sigterm = true
context = ${{PYTEST_CURRENT_TEST-}}
disable_warnings = no-data-collected, module-not-imported, module-not-measured, already-imported
"""
"""A child process finds the name of its test in the environment, where pytest has put it."""
PHASE = re.compile(r" \((?:setup|call|teardown)\)$")


def measure(tree: Path, folder: Path, tests: Iterable[str], processes: int) -> None:
    """Run tests of a copy of the repository under coverage, and leave the map in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    starter = tree / ".coverage-starter"
    starter.mkdir(exist_ok=True)
    (starter / "sitecustomize.py").write_text("import coverage\ncoverage.process_startup()\n")
    settings = starter / "settings"
    settings.write_text(SETTINGS.format(folder=folder.resolve(), tree=tree))
    environment = environment_for(tree) | {
        "COVERAGE_PROCESS_START": str(settings),
        "VENIRE_MUTANTS_OUTCOMES": str(folder.resolve() / "outcomes.json"),
    }
    environment["PYTHONPATH"] = f"{starter}{os.pathsep}{environment['PYTHONPATH']}"
    command = [sys.executable, "-m", "pytest", "-q", "-p", PLUGIN, "--tb=line", "--continue-on-collection-errors"]
    if processes > 1:
        command += ["-n", str(processes), "--dist", "loadgroup"]
    subprocess.run([*command, *tests], cwd=tree, env=environment, check=False)
    combine = [sys.executable, "-m", "coverage", "combine", "-q", f"--rcfile={settings}", str(folder.resolve())]
    subprocess.run(combine, cwd=tree, check=True)
    (folder / "digests.json").write_text(json.dumps({"tree": str(tree), "files": digests(tree)}))


def environment_for(tree: Path) -> dict[str, str]:
    """Give the environment for a test session in a copy of the repository."""
    return os.environ | {"PYTHONPATH": f"{tree / 'src'}{os.pathsep}{tree}"}


def digests(tree: Path) -> dict[str, str]:
    """Hash each Python file of sources and tests."""
    files = (path for top in ("src", "tests") for path in sorted((tree / top).rglob("*.py")))
    return {path.relative_to(tree).as_posix(): sha256(path.read_bytes()).hexdigest() for path in files}


class LineMap:
    """The tests that pass, with the lines that they run."""

    def __init__(self, folder: Path, tree: Path) -> None:
        self._folder = folder
        self._tree = tree
        outcomes: Mapping[str, Any] = json.loads((folder / "outcomes.json").read_bytes())
        self.seconds = {
            test: seconds
            for test, (seconds, passed, ran) in outcomes.items()
            if passed and ran and self._is_there(test)
        }
        self.unused = len(outcomes) - len(self.seconds)
        """Tests that failed, were skipped, or are no longer there."""
        about = json.loads((folder / "digests.json").read_bytes())
        self._measured_tree: str = about["tree"]
        self._measured: dict[str, str] = about["files"]
        self._now = digests(tree)
        self._by_imports = ImportMap(tree)

    @property
    def is_current(self) -> bool:
        """Whether it was measured on these very sources and tests."""
        return self._measured == self._now

    def tests_for(self, mutation: Mutation, limit_seconds: float) -> tuple[list[str], ...]:
        """Tests to run for a change: its module's own first, then the quick ones, until they take too long together.

        A line that runs at import is seen by all tests that run something of its file. What has changed since the
        measurement is met with whole files: the own test file, and the tests of all of the changed source file.
        """
        own = own_test_file(mutation.file)
        found = self._that_run(mutation)
        whole = [own] if own in self._now and self._measured.get(own) != self._now[own] else []
        if not found and not whole:
            return self._by_imports.tests_for(mutation, limit_seconds)
        found = [test for test in found if test.partition("::")[0] not in whole]
        found.sort(key=lambda test: (self.seconds[test], test))
        own_tests = [test for test in found if test.startswith((own, mutation.file))]
        others = [test for test in found if test not in own_tests]
        return whole + own_tests, _within(limit_seconds, others, self.seconds)

    def _that_run(self, mutation: Mutation) -> list[str]:
        by_line = self._data.contexts_by_lineno(f"{self._measured_tree}/{mutation.file}")
        unchanged = self._measured.get(mutation.file) == self._now.get(mutation.file)
        tests = self._passing(by_line, mutation.lines) if unchanged else []
        return tests or self._passing(by_line, by_line)

    def _passing(self, by_line: Mapping[int, list[str]], lines: Iterable[int]) -> list[str]:
        return sorted({PHASE.sub("", name) for line in lines for name in by_line.get(line, ())} & self.seconds.keys())

    def _is_there(self, test: str) -> bool:
        """Say whether a test still exists, as far as its file's text tells."""
        file, _, name = test.partition("::")
        function = name.partition("[")[0].rpartition("::")[2]
        return bool(text := _text(self._tree / file)) and (file.startswith("src/") or f"def {function}(" in text)

    @cached_property
    def _data(self) -> CoverageData:
        data = CoverageData(str(self._folder / "measured"))
        data.read()
        return data


@cache
def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _within(limit: float, tests: list[str], seconds: Mapping[str, float]) -> list[str]:
    """Take the first tests that take no longer together than a limit, and always one."""
    total, chosen = 0.0, []
    for test in tests:
        total += seconds[test]
        if chosen and total > limit:
            break
        chosen.append(test)
    return chosen
