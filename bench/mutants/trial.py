"""One change, tried in a copy of the repository: whether the tests notice it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from bench.mutants.import_map import ImportMap
from bench.mutants.line_map import PLUGIN, LineMap, environment_for
from bench.mutants.mutations import Mutation
from bench.mutants.sessions import OUTPUT

Tests = LineMap | ImportMap
NO_SESSION = "an error before the first test"


@dataclass(frozen=True)
class Trial:
    """What became of a change."""

    mutation: Mutation
    noticed_by: str | None
    """The test that failed, or what else happened; None if all passed."""
    tests: int
    """How many tests, or whole files of tests, were there to see it."""


class Copy:
    """A copy of the repository's files as they are now, in a folder of its own; `remove` it afterwards."""

    def __init__(self, root: Path) -> None:
        self.tree = Path(tempfile.mkdtemp(prefix="venire-mutants-"))
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, cwd=root, capture_output=True, check=True)
        for name in filter(None, listed.stdout.decode().split("\0")):
            target = self.tree / name
            if (root / name).is_file():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, target)
        self._changes = 0
        self._sessions = subprocess.Popen(
            [sys.executable, "-m", "bench.mutants.sessions"],
            cwd=self.tree,
            env=environment_for(self.tree),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def remove(self) -> None:
        """Delete it."""
        self._sessions.communicate()
        shutil.rmtree(self.tree, ignore_errors=True)

    def try_out(self, mutation: Mutation, tests: Tests, limit_seconds: float, without: Iterable[str] = ()) -> Trial:
        """Make the change, run the module's own tests and then the others, and take it back."""
        stages = [stage for stage in tests.tests_for(mutation, limit_seconds) if stage]
        path = self.tree / mutation.file
        source, times = path.read_bytes(), path.stat()
        path.write_bytes(mutation.apply(source))
        self._changes += 1
        os.utime(path, (self._changes, self._changes))  # Compiled files go by time: no two changes may share one.
        noticed = None
        for stage in stages:
            code, failed = self._run(["-x", *stage, *(f"--deselect={name}" for name in without)], tests, limit_seconds)
            noticed = next(iter(failed), None) or _ending(code)
            if noticed:
                break
        path.write_bytes(source)
        os.utime(path, (times.st_atime, times.st_mtime))
        if noticed == NO_SESSION:
            self._require_session(stage, tests)
        return Trial(mutation, noticed, sum(map(len, stages)))

    def _require_session(self, arguments: Sequence[str], tests: Tests) -> None:
        """Make sure that there are tests at all without the change."""
        if self._run(["--collect-only", *arguments], tests, float("inf"))[0]:
            raise RuntimeError((self.tree / OUTPUT).read_text()[-3000:])

    def failing(self, names: Sequence[str], tests: Tests) -> set[str]:
        """Give those of some tests that fail on the unchanged source, or do not end: they notice nothing."""
        found: set[str] = set()
        while left := [name for name in names if name not in found]:
            code, failed = self._run(left, tests, float("inf"))
            if code == pytest.ExitCode.USAGE_ERROR and len(left) > 1:  # One name that is not found, and none is run.
                return found.union(*(self.failing([name], tests) for name in left))
            found |= set(failed)
            if code >= 0 or not failed:
                break
        return found

    def _run(self, arguments: Sequence[str], tests: Tests, limit_seconds: float) -> tuple[int, list[str]]:
        """Run a session; how it ended, and the tests that failed, or the one at which a clock ended it."""
        listed, seconds, outcomes = (self.tree / name for name in (".arguments", ".seconds.json", ".outcomes.json"))
        listed.write_text("\n".join(arguments))
        seconds.write_text(json.dumps(tests.seconds))
        outcomes.unlink(missing_ok=True)
        options = ["-q", "-p", PLUGIN, "-p", "no:cacheprovider", "--continue-on-collection-errors", f"@{listed}"]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # Plugins are loaded before the fork.
        environment = {
            "VENIRE_MUTANTS_SECONDS": str(seconds),
            "VENIRE_MUTANTS_LIMIT": str(limit_seconds),
            "VENIRE_MUTANTS_OUTCOMES": str(outcomes),
        }
        print(json.dumps({"arguments": options, "environment": environment}), file=self._sessions.stdin, flush=True)
        code = int(self._sessions.stdout.readline())
        if -code in {signal.SIGALRM, signal.SIGPROF}:
            return code, [outcomes.with_suffix(".now").read_text()]
        results = json.loads(outcomes.read_bytes()) if outcomes.exists() else {}
        return code, [test for test, (_, passed, _) in results.items() if not passed]


def _ending(code: int) -> str | None:
    """Say what a session without a failed test ended of, if it did not end well or for want of tests."""
    if code in {0, 5}:
        return None
    return f"signal {-code}" if code < 0 else NO_SESSION
