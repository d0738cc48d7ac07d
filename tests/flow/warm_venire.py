"""Runs `venire` again and again in processes that have imported it already: a line of arguments in, a process id out.

Each command line is one JSON array on standard input. Its process is forked, so that it can be killed alone.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import httptools  # noqa: F401 - imported before the fork

import venire.cli.judge
import venire.ledger.sqlite.ledger
import venire.workflows.judge  # noqa: F401 - as above
from venire.cli.main import main


def serve(errors: Path) -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            with errors.open("ab", buffering=0) as file:
                os.dup2(os.open(os.devnull, os.O_RDWR), 1)
                os.dup2(file.fileno(), 2)
            main(json.loads(line))
        print(child, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]))
