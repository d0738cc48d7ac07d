"""Rows per second into a ledger in PostgreSQL beside bare binary COPY of the same rows, on a server of its own.

Run: `python -m bench.postgres [ENTRIES] [BATCH] [ROUNDS]`. The server is started in a temporary folder with its default
durability: each commit reaches the disk. Bare COPY sends rows that were made before into a table with the same columns,
the same packing and nothing but a primary key, a commit for each batch: it is what PostgreSQL alone costs. The ledger
encodes, links, hashes, looks for repeats, keeps two more indexes and checks that entries go to the end. Rounds
alternate and medians of the ratios are printed, because the machine is noisy. Rows per second are by the wall clock;
CPU is that of this process and of the server's process for the connection together.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

import psycopg

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from postgres_server import WRITER, PostgresServer
from venire.ledger.audit import audit_chain
from venire.ledger.entry import Draft, Entry, Kind
from venire.ledger.postgres.ledger import PostgresLedger

BODIES = {"replies of 3 kB": os.urandom(1500).hex().encode(), "votes without a body": b""}
TABLE = """
CREATE TABLE public.bare (sequence bigint PRIMARY KEY, kind text, key bytea, payload bytea, blob bytea,
    recorded_at text, previous_hash text, hash text);
ALTER TABLE public.bare ALTER COLUMN payload SET COMPRESSION lz4, ALTER COLUMN blob SET COMPRESSION lz4
"""
COPY = "COPY public.bare FROM STDIN (FORMAT binary)"
TYPES = ("int8", "text", "bytea", "bytea", "bytea", "text", "text", "text")


def drafts_of(count: int, name: str, body: bytes) -> list[Draft]:
    kind = Kind.REPLY if body else Kind.VOTE
    payload = {"task": name, "judge": "m-1", "status": 200, "latency_seconds": 0.731, "input_tokens": 900}
    return [
        Draft(kind, payload, sha256(b"%s %d" % (name.encode(), number)).hexdigest(), body) for number in range(count)
    ]


def server_cpu_seconds(server: PostgresServer, database: str) -> float:
    """Return what the connections to a database have cost the server so far."""
    with server.connect("postgres") as connection:
        query = "SELECT pid FROM pg_stat_activity WHERE datname = %s"
        pids = [pid for (pid,) in connection.execute(query, [database])]
    ticks = 0
    for pid in pids:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def timed(server: PostgresServer, database: str, work: Callable[[], object], count: int) -> tuple[float, float]:
    """Return rows per second, and CPU microseconds per row."""
    before = server_cpu_seconds(server, database)
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return count / wall, (cpu + server_cpu_seconds(server, database) - before) / count * 1e6


def append_all(ledger: PostgresLedger, drafts: list[Draft], batch: int) -> None:
    for start in range(0, len(drafts), batch):
        ledger.append(drafts[start : start + batch])


def copy_bare(connection: psycopg.Connection, entries: list[Entry], batch: int) -> None:
    for start in range(0, len(entries), batch):
        with connection.cursor() as cursor, cursor.copy(COPY) as copy:
            copy.set_types(TYPES)
            for each in entries[start : start + batch]:
                copy.write_row(
                    (
                        each.sequence,
                        each.kind.value,
                        each.key.encode(),
                        each.payload,
                        each.blob,
                        each.recorded_at,
                        each.previous_hash,
                        each.hash,
                    )
                )


def measure(server: PostgresServer, title: str, body: bytes, entries: int, batch: int, rounds: int) -> None:
    ratios, cpu_ratios, speeds = [], [], []
    for number in range(rounds):
        database = server.new_ledger()
        ledger = PostgresLedger(server.url(database, WRITER))
        drafts = drafts_of(entries, f"round {number}", body)
        append = partial(append_all, ledger, drafts, batch)
        ours, ours_cpu = timed(server, database, append, entries)
        rows = list(ledger.read())
        reading, _ = timed(server, database, partial(audit_chain, ledger), entries)
        with server.connect(database) as connection:
            connection.execute(TABLE)
            bare, bare_cpu = timed(server, database, partial(copy_bare, connection, rows, batch), entries)
        ledger.close()
        print(
            f"{title}: ledger {ours:6.0f} rows/s, {ours_cpu:3.0f} CPU µs; bare COPY {bare:6.0f} rows/s, "
            f"{bare_cpu:3.0f} CPU µs; ratio {ours / bare:.2f}; audit {reading:6.0f} rows/s"
        )
        ratios.append(ours / bare)
        cpu_ratios.append(ours_cpu / bare_cpu)
        speeds.append(ours)
    print(
        f"{title}, medians: {statistics.median(speeds):.0f} rows/s, {statistics.median(ratios):.2f} × the rows per "
        f"second and {statistics.median(cpu_ratios):.1f} × the CPU of bare COPY"
    )


def main(entries: int = 20_000, batch: int = 1_000, rounds: int = 5) -> None:
    server = PostgresServer(durable=True)
    try:
        for title, body in BODIES.items():
            measure(server, title, body, entries, batch, rounds)
    finally:
        server.remove()


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
