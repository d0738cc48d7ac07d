"""The pytest plugin for mutants: ends a test that takes far longer than it should, and says which test runs what.

Given by the environment: `VENIRE_MUTANTS_SECONDS`, a file with the seconds each test should take;
`VENIRE_MUTANTS_LIMIT`, the CPU seconds after which no further test is begun; `VENIRE_MUTANTS_OUTCOMES`, the file that
will say what became of each test.
"""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import Phase, settings

TIMES = 10
CPU_SECONDS, CLOCK_SECONDS = 20.0, 120.0
"""A test may take ten times what it took, and so much more: a mutant may loop for ever, a busy machine is slow."""
UNKNOWN_SECONDS = 10.0
"""What a test is taken to need that was not measured."""

_started = time.monotonic()
_seconds: dict[str, float] = {}
_outcomes: dict[str, list[Any]] = {}


def pytest_configure() -> None:
    """Read what is known about the tests."""
    if known := os.environ.get("VENIRE_MUTANTS_SECONDS"):
        _seconds.update(json.loads(Path(known).read_bytes()))


def pytest_sessionstart() -> None:
    """Look for an example that fails, not for the smallest one: that it fails is enough here."""
    phases = (Phase.explicit, Phase.generate)
    settings.register_profile("mutants", settings(), phases=phases, database=None)
    settings.load_profile("mutants")


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Run a test under its name for coverage, with clocks whose signals end the process, even in the midst of C."""
    coverage = _coverage()
    if coverage:
        coverage.switch_context(item.nodeid)
    if "VENIRE_MUTANTS_SECONDS" in os.environ:
        Path(os.environ["VENIRE_MUTANTS_OUTCOMES"]).with_suffix(".now").write_text(item.nodeid)
        usual = TIMES * _seconds.get(item.nodeid, UNKNOWN_SECONDS)
        signal.setitimer(signal.ITIMER_PROF, usual + CPU_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, usual + CLOCK_SECONDS)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        if coverage:
            coverage.switch_context("")


def pytest_runtest_setup() -> None:
    """Leave out what comes after the time is up."""
    limit = float(os.environ.get("VENIRE_MUTANTS_LIMIT", "inf"))
    if time.process_time() > limit or time.monotonic() - _started > 5 * limit:
        pytest.skip("the time is up")


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Note a file of tests that cannot be read."""
    if report.failed:
        _outcomes[report.nodeid] = [0.0, False, True]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Note how long a test took, and whether it passed."""
    seconds, passed, ran = _outcomes.get(report.nodeid, (0.0, True, False))
    _outcomes[report.nodeid] = [seconds + report.duration, passed and not report.failed, ran or report.when == "call"]


def pytest_sessionfinish() -> None:
    """Write down what became of the tests, in the process that knows all."""
    if (file := os.environ.get("VENIRE_MUTANTS_OUTCOMES")) and "PYTEST_XDIST_WORKER" not in os.environ:
        Path(file).write_text(json.dumps(_outcomes))


def _coverage() -> Any:
    """Give the measurement that runs in this process, if one does."""
    if "COVERAGE_PROCESS_START" not in os.environ:
        return None
    from coverage import Coverage

    return Coverage.current()
