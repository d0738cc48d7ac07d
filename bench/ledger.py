"""CPU of a durable append through the group commit beside a bare insert loop with the same rows and transactions.

Run: `python -m bench.ledger [ENTRIES] [ROUNDS]`. Both count the CPU of the whole process, the writer's thread and the
kernel's share included. The bare loop neither encodes, hashes nor indexes: it is what SQLite alone costs. Rounds
alternate and the median of the ratios is printed, because the machine is noisy.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import apsw

from venire.ledger.audit import audit_chain
from venire.ledger.entry import Draft, Head, Kind
from venire.ledger.group_commit import GroupCommit
from venire.ledger.sqlite.ledger import SqliteLedger

APPENDERS = 64
BODY = os.urandom(1500).hex().encode()  # 3 kB, as a reply with its reasons has.


class CountingLedger(SqliteLedger):
    """A ledger that remembers how many entries each of its transactions had."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.transactions: list[int] = []

    def append(self, drafts: Sequence[Draft]) -> Head:
        """Append and count."""
        self.transactions.append(len(drafts))
        return super().append(drafts)


def draft(key: str) -> Draft:
    payload = {"task": key, "judge": "m-1", "status": 200, "latency_seconds": 0.731, "input_tokens": 900}
    return Draft(Kind.REPLY, payload, key, BODY)


async def group_commit(ledger: CountingLedger, entries: int) -> float:
    """Return CPU microseconds per entry."""
    async with GroupCommit(ledger) as writer:

        async def work(name: int) -> None:
            for number in range(entries // APPENDERS):
                await writer.append([draft(sha256(b"%d %d" % (name, number)).hexdigest())])

        start = time.process_time()
        await asyncio.gather(*(work(name) for name in range(APPENDERS)))
    return (time.process_time() - start) / (entries // APPENDERS * APPENDERS) * 1e6


def bare_loop(path: Path, transactions: Sequence[int]) -> float:
    """Return CPU microseconds per row."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA journal_mode = wal; PRAGMA synchronous = full")
    connection.execute("CREATE TABLE entry (sequence INTEGER PRIMARY KEY, key TEXT, body BLOB)")
    start = time.process_time()
    for count in transactions:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO entry (key, body) VALUES (?, ?)", [("k" * 64, BODY)] * count)
        connection.execute("COMMIT")
    spent = time.process_time() - start
    connection.close()
    return spent / sum(transactions) * 1e6


def main(entries: int = 20_000, rounds: int = 5) -> None:
    ratios, costs = [], []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            ledger = CountingLedger(Path(folder) / "ledger.db")
            ours = asyncio.run(group_commit(ledger, entries))
            start = time.process_time()
            audited = audit_chain(ledger).count
            audit = (time.process_time() - start) / audited * 1e6
            bare = bare_loop(Path(folder) / "bare.db", ledger.transactions)
            ledger.close()
        size = statistics.mean(ledger.transactions)
        print(f"append {ours:6.1f} µs  bare insert {bare:6.1f} µs  {size:5.1f} entries a commit  audit {audit:5.1f} µs")
        ratios.append(ours / bare)
        costs.append(ours)
    print(f"median: {statistics.median(costs):.1f} CPU µs per entry, {statistics.median(ratios):.2f} × the bare loop")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
