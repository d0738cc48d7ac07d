"""A command `venire` that is loaded already: commands of pages take most of their time for loading libraries.

`warm_commands` starts a process that has imported Venire, and writes a `venire` that hands its arguments, folder,
environment and open files to it. Each command is a fork, so that none sees what another has changed.
"""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

_LATER = (
    "jinja2",
    "numpy.random",
    "polars",
    "re2",
    "rich.console",
    "rich.live",
    "rich.padding",
    "rich.table",
    "scipy.optimize",
    "scipy.sparse.csgraph",
    "scipy.stats",
)
"""Libraries that are imported where they are used."""
STARTER = """#!{python} -ISE
import json, os, socket, sys
with socket.socket(socket.AF_UNIX) as warm:
    warm.connect({address!r})
    told = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(warm, [len(told).to_bytes(4)], [0, 1, 2])
    warm.sendall(told)
    sys.exit(int(warm.recv(4)))
"""


@contextmanager
def warm_commands(folder: Path) -> Iterator[Path]:
    """Yield a folder whose `venire` is warm, as long as the context is open."""
    address, starter = str(folder / "warm"), folder / "venire"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(address)
        listening.listen()
        command = [sys.executable, __file__, str(listening.fileno())]
        with subprocess.Popen(command, pass_fds=[listening.fileno()]) as process:
            starter.write_text(STARTER.format(python=sys.executable, address=address))
            starter.chmod(0o700)
            try:
                yield folder
            finally:
                process.kill()


def _serve(listening: socket.socket) -> None:
    """Fork for each command."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        asked, _ = listening.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            listening.close()
            _answer(asked)
            return
        asked.close()


def _answer(asked: socket.socket) -> None:
    size, files, _, _ = socket.recv_fds(asked, 4, 3)
    told = asked.recv(int.from_bytes(size), socket.MSG_WAITALL)
    child = os.fork()
    if child == 0:
        arguments, folder, environment = json.loads(told)
        asked.close()
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.chdir(folder)
        os.environ.clear()
        os.environ.update(environment)
        _be_venire(arguments)
    asked.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def _be_venire(arguments: list[str]) -> None:
    from venire.cli.main import main

    code = 1
    try:
        main(arguments)
    except SystemExit as end:
        code = int(end.code or 0)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # Taking apart all that was loaded would take longer than the command.


def _load() -> None:
    """Import all that commands import, also what functions import when they are called."""
    import venire

    apart = ("venire.__main__", "venire.distributed.", "venire.server.", "venire.testing")
    for module in pkgutil.walk_packages(venire.__path__, "venire."):
        if not module.name.startswith(apart):
            import_module(module.name)
    for name in _LATER:
        import_module(name)
    gc.freeze()


if __name__ == "__main__":
    _load()
    _serve(socket.socket(fileno=int(sys.argv[1])))
