"""Runs, and the live progress of one by server-sent events."""

from __future__ import annotations

from collections.abc import AsyncIterator
from http import HTTPStatus

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import ServerSentEvent, ServerSentEventMessage

from venire.server.court.court import Court
from venire.server.pages.problem import problem_page
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import readers_only
from venire.words.said import as_text


@get("/runs", name="runs", opt=readers_only())
async def runs_page(request: AnyRequest, court: NamedDependency[Court]) -> Response[str]:
    """List all runs."""
    return render(request, "runs.html", page_words(request), runs=await court.runs())


@get("/runs/{run:str}", name="run", opt=readers_only())
async def run_page(request: AnyRequest, court: NamedDependency[Court], run: FromPath[str]) -> Response[str]:
    """Show one run."""
    found = next((each for each in await court.runs() if each.run == run), None)
    if found is None:
        return problem_page(request, HTTPStatus.NOT_FOUND, page_words(request)("pages.runs.unknown"))
    return render(request, "run.html", page_words(request), run=found)


@get("/runs/{run:str}/live", name="run-live", opt=readers_only())
async def run_live(court: NamedDependency[Court], run: FromPath[str]) -> ServerSentEvent:
    """Send the progress of a run whenever it changed, and say when it ended."""
    return ServerSentEvent(_messages(court, run))


async def _messages(court: Court, run: str) -> AsyncIterator[ServerSentEventMessage]:
    async for progress in court.watch_run(run):
        yield ServerSentEventMessage(data=msgspec.json.encode(progress, enc_hook=as_text).decode(), event="progress")
    yield ServerSentEventMessage(data="", event="end")
