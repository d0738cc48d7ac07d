"""Many voters at once, each with a connection and a key of its own, who remember what was confirmed to them."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path

from making_courts import sample_of, write_samples
from venire.server.people.person import Role
from venire.server.people.registry import CredentialKind, Registry


class CourtProcess:
    """A court that listens in another process, on a socket that outlives it.

    Its ledger and keys are files in the folder, or in the database at an address.
    """

    def __init__(self, folder: Path, samples: int, address: str = "") -> None:
        self.folder = folder
        self.address = address
        if address or not (folder / "ledger.sqlite").exists():
            write_samples(address or folder / "ledger.sqlite", samples)
        registry = Registry(self.people)
        self.secret = registry.court_secret()
        registry.close()
        self.items = [self.secret.item_name(sample_of(number).digest) for number in range(samples)]
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=16_384)
        self.port = self.listening.getsockname()[1]
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def people(self) -> Path | str:
        """Where keys and the court's secret are."""
        return self.address or self.folder / "people.sqlite"

    def receipts(self, keys: set[str]) -> set[str]:
        """Return what jurors are told of votes with these keys."""
        return {self.secret.receipt_key(key) for key in keys}

    def start(self) -> int:
        number = self.listening.fileno()
        script = Path(__file__).with_name("court_process.py")
        command = [sys.executable, script, str(self.folder), str(number)]
        self.process = subprocess.Popen([*command, *([self.address] if self.address else [])], pass_fds=[number])
        return self.process.pid

    def wait_until_ready(self) -> None:
        """Wait until it answers; its socket takes connections before there is anybody to serve them."""
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/api/v1/ready", timeout=60):
            pass

    def kill(self) -> None:
        """Kill it, and hang up on whoever it has not let in yet: the socket that they wait at outlives it."""
        self.process.kill()
        self.process.wait()
        self.listening.setblocking(False)
        with suppress(BlockingIOError):
            while True:
                self.listening.accept()[0].close()

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait()
        self.listening.close()

    def invite(self, count: int) -> list[str]:
        registry = Registry(self.people)
        secrets = [registry.issue(CredentialKind.KEY, Role.JUROR).secret for _ in range(count)]
        registry.close()
        return secrets


class Voter:
    """One juror at one connection."""

    def __init__(self, port: int, secret: str) -> None:
        self.port = port
        self.secret = secret
        self.confirmed: dict[str, str] = {}
        self.refused: list[int] = []

    async def connect(self) -> None:
        self.reader, self.writer = await asyncio.open_connection("127.0.0.1", self.port)

    async def vote(self, item: str, *, key: str = "") -> int:
        """Cast one vote and return the status of the answer; raises `ConnectionError` if none comes."""
        body = json.dumps({"item": item, "vote": 1}).encode()
        head = (
            f"POST /api/v1/votes HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.secret}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        )
        if key:
            head += f"Idempotency-Key: {key}\r\n"
        self.writer.write(f"{head}\r\n".encode() + body)
        status, answer = await self._read_answer()
        if status == 201:
            self.confirmed[item] = json.loads(answer)["key"]
        else:
            self.refused.append(status)
        return status

    async def get(self, path: str) -> dict:
        """Return what the server answers."""
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nAuthorization: Bearer {self.secret}\r\n\r\n"
        self.writer.write(head.encode())
        status, answer = await self._read_answer()
        assert status == 200, answer
        return json.loads(answer)

    async def _read_answer(self) -> tuple[int, bytes]:
        try:
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
            length = int(head.partition("content-length: ")[2].partition("\r\n")[0])
            return int(head.split()[1]), await self.reader.readexactly(length)
        except asyncio.IncompleteReadError as error:
            raise ConnectionError("the server went away") from error

    def close(self) -> None:
        self.writer.close()


async def connect_all(voters: list[Voter], at_once: int = 500) -> None:
    """Open all connections, and keep them open."""
    for start in range(0, len(voters), at_once):
        await asyncio.gather(*(voter.connect() for voter in voters[start : start + at_once]))
