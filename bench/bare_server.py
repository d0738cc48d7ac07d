"""What `bench.server` compares with: a bare Litestar handler that commits votes in the same group commit.

It knows no people, no rounds, no scores and no limits. Run by `bench.server`: python bench/bare_server.py LEDGER SOCKET
"""

from __future__ import annotations

import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import uvicorn
from litestar import Litestar, post
from litestar.params import JSONBody

from venire.ledger.entry import Draft, Kind
from venire.ledger.group_commit import GroupCommit
from venire.ledger.sqlite.ledger import SqliteLedger


class Cast(msgspec.Struct):
    """A vote to be cast."""

    item: str
    vote: float


class Receipt(msgspec.Struct):
    """What a voter gets."""

    key: str
    head: int


def create_app(path: Path) -> Litestar:
    ledger = SqliteLedger(path)

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        app.state.writer = GroupCommit(ledger)
        yield
        await app.state.writer.close()
        ledger.close()

    @post("/api/v1/votes")
    async def cast(data: JSONBody[Cast]) -> Receipt:
        now = datetime.now(UTC).isoformat()
        draft = Draft(Kind.VOTE, {"vote": {"inference_id": data.item, "vote": data.vote, "vote_time": now}}, now)
        head = await app.state.writer.append([draft])
        return Receipt(now, head.sequence)

    app = Litestar([cast], lifespan=[lifespan], openapi_config=None, logging_config=None)
    return app


if __name__ == "__main__":
    listening = socket.socket(fileno=int(sys.argv[2]))
    config = uvicorn.Config(
        create_app(Path(sys.argv[1])), loop="asyncio", log_level="error", access_log=False, backlog=16_384
    )
    uvicorn.Server(config).run(sockets=[listening])
