"""A Ray cluster of several nodes on this machine, each of which can be killed as a whole."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from last_will import LastWill
from postgres_server import free_port

TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "0123456789abcdef" * 4}
"""What whoever joins the cluster has in the environment."""
SETTINGS = {
    # The head is to notice a lost node after two seconds and not after sixteen; one that is slow it gives thirty.
    "RAY_health_check_period_ms": "500",
    "RAY_health_check_failure_threshold": "3",
    "RAY_worker_niceness": "0",  # A busy machine would starve workers that give way to everything else.
    # A driver is given the processes that it asks for, and no others beforehand.
    "RAY_enable_worker_prestart": "0",
    "RAY_prestart_worker_first_driver": "0",
}
START_SECONDS = 180.0
"""How long a node may take to start."""
_END = 'kill "$1"; sleep 20; rm -rf "$2"'
"""What `ray start` does at its end takes a while."""


class RayCluster:
    """Nodes that were started with `ray start`; the first is the head."""

    def __init__(self, nodes: int = 2, cpus: int = 4) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # Its sockets need a short path.
        self._nodes: list[subprocess.Popen[bytes]] = []
        self._wills: list[LastWill] = []
        self.address = f"127.0.0.2:{free_port()}"
        """Where drivers join it."""
        try:
            port = self.address.rpartition(":")[2]
            self._start(cpus, "--head", f"--port={port}", f"--temp-dir={self._folder}", "--include-dashboard=false")
            while len(self._nodes) < nodes:
                self.add_node(cpus)
        except BaseException:
            self.remove()
            raise

    def add_node(self, cpus: int = 4) -> None:
        """Start another node."""
        self._start(cpus, f"--address={self.address}")

    def kill_node(self, number: int) -> None:
        """Kill all processes of a node with -9, workers included."""
        node = self._nodes[number]
        if node.returncode is not None:  # Its number may be another's by now.
            return
        self._wills[number].revoke()
        for pid in [*_descendants(node.pid), node.pid]:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        node.wait()

    def processes(self, title: str) -> list[int]:
        """Return the processes of all nodes whose command holds these words; actors are called after their classes."""
        found = []
        for pid in [pid for node in self._nodes for pid in _descendants(node.pid)]:
            with suppress(OSError):
                if title.encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                    found.append(pid)
        return found

    def remove(self) -> None:
        """End everything that was started."""
        for number in reversed(range(len(self._nodes))):
            self.kill_node(number)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, cpus: int, *arguments: str) -> None:
        command = [str(Path(sys.executable).parent / "ray"), "start", "--block", "--log-style=record"]
        log = (self._folder / f"node-{len(self._nodes)}.log").open("wb+")
        # Each node has an address of its own in the loopback network.
        place = f"--node-ip-address=127.0.0.{2 + len(self._nodes)}"
        options = [place, f"--num-cpus={cpus}", "--object-store-memory=100000000", "--disable-usage-stats"]
        options.append("--include-log-monitor=false")  # It reads files all the time, for drivers that print them.
        node = subprocess.Popen(
            [*command, *options, *arguments],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            env={**os.environ, **TOKEN, **SETTINGS},
            start_new_session=True,
        )
        self._nodes.append(node)
        self._wills.append(LastWill(_END, str(node.pid), str(self._folder)))
        deadline = time.monotonic() + START_SECONDS
        while b"Ray runtime started" not in (text := Path(log.name).read_bytes()):
            if node.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"a Ray node did not start: {text.decode(errors='replace')}")
            time.sleep(0.05)
        with socket.create_connection(("127.0.0.2", int(self.address.rpartition(":")[2])), timeout=60):
            log.close()


def _descendants(pid: int) -> list[int]:
    """Return all processes below a process, the youngest first."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError, ValueError, IndexError):
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
                children.setdefault(parent, []).append(int(entry.name))
    found, open_ones = [], [pid]
    while open_ones:
        below = children.get(open_ones.pop(), [])
        found += below
        open_ones += below
    return found[::-1]
