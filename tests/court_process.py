"""A court in a process of its own, that can be killed: python court_process.py FOLDER SOCKET_NUMBER [ADDRESS]."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import uvicorn

from making_courts import options_for
from venire.runner.executor import rare_collections
from venire.server.app import create_app
from venire.server.serve import BACKLOG


def main() -> None:
    """Listen on a socket that the parent process has opened; with an address, ledger and keys are in that database."""
    folder, number = Path(sys.argv[1]), int(sys.argv[2])
    listening = socket.socket(fileno=number)
    place = {"ledger": sys.argv[3], "registry": sys.argv[3]} if len(sys.argv) > 3 else {}
    app = create_app(options_for(folder, port=listening.getsockname()[1], **place))
    config = uvicorn.Config(app, loop="asyncio", log_level="error", access_log=False, backlog=BACKLOG)
    with rare_collections():
        uvicorn.Server(config).run(sockets=[listening])


if __name__ == "__main__":
    main()
