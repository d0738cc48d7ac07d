"""A real PostgreSQL server for tests and benchmarks, in a temporary folder, on a socket and a port of its own."""

from __future__ import annotations

import os
import random
import select
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path

import psycopg

from last_will import LastWill
from venire.ledger.postgres.schema import set_up

WRITER, READER = "app", "analyst"
PASSWORD = "correct horse"  # Asked for over TCP only; the socket trusts.

_LEDGERS = 8
# Killed processes, unlike a power cut, leave to the kernel what they have written: nothing here needs the disk itself.
# That commits do not wait for the write either is the server's default only; a ledger must ask for more.
_FAST = {
    "fsync": "off",
    "synchronous_commit": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "min_wal_size": "32MB",
    "max_wal_size": "64MB",
}
_SETTINGS = {
    "max_connections": "60",
    "shared_buffers": "32MB",
    "autovacuum": "off",
    "log_min_messages": "fatal",
    "listen_addresses": "127.0.0.1",
}


@cache
def binaries() -> Path:
    """The folder of PostgreSQL's programs, of the newest version that is installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    on_path = shutil.which("initdb")
    if not found and on_path is None:
        raise RuntimeError("PostgreSQL is not installed: run .ci/install-postgresql (Debian's package postgresql)")
    return found[-1].parent if found else Path(on_path).resolve().parent


def free_port() -> int:
    """Return a port that nobody listens on, and that the kernel gives to no outgoing connection in the meantime."""
    while True:
        port = random.SystemRandom().randrange(30_000, 32_768)  # Those are above; Ray and Slurm jobs take theirs below.
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port


class PostgresServer:
    """A server of its own; a `durable` one waits for the disk, as servers do unless they are told otherwise."""

    def __init__(self, *, durable: bool = False) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="venire-pg-", dir="/tmp"))
        self.port = free_port()
        # The server refuses to run as root.
        self._as_user = {"user": "postgres", "group": "postgres", "extra_groups": []} if os.getuid() == 0 else {}
        if self._as_user:
            shutil.chown(self.folder, "postgres", "postgres")
        self._numbers = count(1)
        self._ledgers: list[str] = []
        settings = {
            **_SETTINGS,
            **({} if durable else _FAST),
            "port": self.port,
            "unix_socket_directories": self.folder,
        }
        stop = f"{binaries()}/pg_ctl stop --mode=immediate --silent"
        self._will = LastWill(f'{stop} --pgdata "$1/data"; rm -rf "$1"', str(self.folder), cwd="/", **self._as_user)
        self._options = " ".join(f"-c {name}={value}" for name, value in settings.items())
        options = ["--no-sync", "--no-locale", "--encoding=UTF8", "--username=owner", "--auth-local=trust"]
        self._run("initdb", *options, "--auth-host=scram-sha-256")
        self.start()
        with self.connect("postgres") as connection:
            for role in (WRITER, READER):
                connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")

    def start(self) -> None:
        self._run(
            "pg_ctl", "start", "--wait", "--silent", "--log", str(self.folder / "log"), "--options", self._options
        )

    def stop(self) -> None:
        self._run("pg_ctl", "stop", "--mode=fast", "--silent")

    def kill(self) -> None:
        """End every process of the server at once, as a power cut would."""
        (pid,) = (self.folder / "data" / "postmaster.pid").read_text().split()[:1]
        os.kill(int(pid), signal.SIGSTOP)  # So that it starts no more children.
        processes = [pid, *Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
        handles = [os.pidfd_open(int(process)) for process in processes]
        for handle in handles:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
        for handle in handles:
            select.select([handle], [], [])
            os.close(handle)
        # The dead may stay in the process table, where a new server would take them for the living.
        (self.folder / "data" / "postmaster.pid").unlink()
        (self.folder / f".s.PGSQL.{self.port}.lock").unlink()

    def remove(self) -> None:
        self._will.execute()

    def url(self, database: str, user: str = "owner") -> str:
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def tcp_url(self, database: str, user: str = WRITER, password: str = PASSWORD) -> str:
        return f"postgresql://{user}:{password.replace(' ', '%20')}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str, user: str = "owner") -> psycopg.Connection:
        return psycopg.connect(self.url(database, user), autocommit=True)

    def new_database(self) -> str:
        name = f"test_{next(self._numbers)}"
        with self.connect("postgres") as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return name

    def new_ledger(self) -> str:
        """Make an empty ledger, which `app` may append to and `analyst` read; returns the name of its database.

        A database is used again after seven others: hundreds of them would be gigabytes.
        """
        if len(self._ledgers) < _LEDGERS:
            self._ledgers.append(self.new_database())
        else:
            self._ledgers.append(self._ledgers.pop(0))
        database = self._ledgers[-1]
        with self.connect(database) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
                [database],
            )
            connection.execute("SET client_min_messages = warning")
            connection.execute("DROP SCHEMA IF EXISTS venire, venire_people CASCADE")
        set_up(self.url(database), writers=[WRITER], readers=[READER])
        return database

    def _run(self, program: str, *arguments: str) -> None:
        command = [str(binaries() / program), "--pgdata", str(self.folder / "data"), *arguments]
        done = subprocess.run(
            command,
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            **self._as_user,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr}")
