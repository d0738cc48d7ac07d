"""Runs, and how far they have come, now and while it changes."""

from __future__ import annotations

from collections.abc import AsyncIterator

import msgspec
from litestar import get
from litestar.params import FromPath
from litestar.response import ServerSentEvent, ServerSentEventMessage

from venire.errors import NotFoundError
from venire.server.api.parameters import InCourt
from venire.server.court.court import Court
from venire.server.court.views import Page, RunProgress
from venire.server.people.person import readers_only
from venire.words.said import as_text


@get("/api/v1/runs", opt=readers_only(), tags=["runs"])
async def runs(court: InCourt) -> Page[RunProgress]:
    """List all runs, the latest first."""
    listed = await court.runs()
    return Page(listed, len(listed))


@get("/api/v1/runs/{run:str}", opt=readers_only(), tags=["runs"])
async def run(court: InCourt, run: FromPath[str]) -> RunProgress:
    """Return how far a run has come."""
    return await _find(court, run)


@get("/api/v1/runs/{run:str}/events", opt=readers_only(), tags=["runs"])
async def run_events(court: InCourt, run: FromPath[str]) -> ServerSentEvent:
    """Send the progress of a run whenever it has changed, as server-sent events; `end` is the last one."""
    await _find(court, run)
    return ServerSentEvent(_messages(court, run))


async def _find(court: Court, name: str) -> RunProgress:
    found = next((each for each in await court.runs() if each.run == name), None)
    if found is None:
        raise NotFoundError("error.server.no_run", name=name[:80])
    return found


async def _messages(court: Court, name: str) -> AsyncIterator[ServerSentEventMessage]:
    async for progress in court.watch_run(name):
        yield ServerSentEventMessage(data=msgspec.json.encode(progress, enc_hook=as_text).decode(), event="progress")
    yield ServerSentEventMessage(data="", event="end")


HANDLERS = (runs, run, run_events)
"""The calls of this group."""
