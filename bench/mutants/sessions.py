"""Test sessions in a copy of the repository, each forked from a process that has the libraries loaded already.

Run by `Copy` as `python -m bench.mutants.sessions` in the copy: reads the arguments of one session a line, as JSON, and
answers with what pytest ended with. Venire is not loaded before the fork: its source changes from session to session.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import sys

OUTPUT = ".session-output"
"""Where, in the copy, the last session has written."""
LIBRARIES = [
    "anyio.pytest_plugin",
    "aiohttp",
    "apsw",
    "faker.contrib.pytest.plugin",
    "httptools",
    "hypothesis",
    "litestar",
    "msgspec",
    "numpy",
    "pandas",
    "polars",
    "pytest",
    "schemathesis.pytest.plugin",
    "scipy.stats",
    "xdist.plugin",
]
"""What takes long to load, pytest's plugins among it."""


def main() -> None:
    """Answer until there are no more sessions."""
    for library in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(library)
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        session = os.fork()
        if not session:
            _run(json.loads(line))
        code = os.waitstatus_to_exitcode(os.waitpid(session, 0)[1])
        with contextlib.suppress(ProcessLookupError):
            os.killpg(session, signal.SIGKILL)  # What the session has left running.
        print(code, file=answers, flush=True)


def _run(session: dict[str, list[str] | dict[str, str]]) -> None:
    """Be one session."""
    import pytest

    os.setsid()
    for number in (1, 2):
        os.dup2(os.open(OUTPUT, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    os.environ.update(session["environment"])
    os._exit(int(pytest.main(session["arguments"])))


if __name__ == "__main__":
    main()
