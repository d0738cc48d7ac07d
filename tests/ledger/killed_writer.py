"""Appends to a ledger from several coroutines for ever and prints each entry once it is acknowledged."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from venire.ledger.entry import Draft, Kind
from venire.ledger.group_commit import GroupCommit
from venire.ledger.sqlite.ledger import SqliteLedger


async def work(writer: GroupCommit, name: str) -> None:
    number = 0
    while True:
        key, blob = f"{name}-{number}", f"{number:x}" * 300
        await writer.append([Draft(Kind.ATTEMPT, {"of": key}, key), Draft(Kind.REPLY, {}, key, blob.encode())])
        os.write(1, f"{key} {blob}\n".encode())
        number += 1


async def main(path: Path) -> None:
    async with GroupCommit(SqliteLedger(path)) as writer:
        await asyncio.gather(*(work(writer, f"{os.getpid()}-{name}") for name in range(8)))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))
