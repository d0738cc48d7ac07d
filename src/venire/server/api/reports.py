"""The report, and the way from any of its numbers to the judgements behind it."""

from __future__ import annotations

from typing import Annotated

from litestar import get
from litestar.params import QueryParameter

from venire.errors import NotFoundError
from venire.reports.report import Report
from venire.server.api.parameters import InCourt, Text
from venire.server.people.person import readers_only
from venire.workflows.trace import Trace


@get("/api/v1/report", opt=readers_only(), tags=["reports"])
async def report(court: InCourt) -> Report:
    """Return the report of all judgements; it is made again in the background when there are new ones."""
    made = await court.report()
    if made is None:
        raise NotFoundError("error.court.nothing_judged")
    return made


@get("/api/v1/report/trace", opt=readers_only(), tags=["reports"])
async def report_trace(court: InCourt, cell: Text, limit: Annotated[int, QueryParameter(ge=1, le=200)] = 20) -> Trace:
    """Walk from a cell of the report to the judgements, replies and quotes behind it."""
    if await court.report() is None:
        raise NotFoundError("error.court.nothing_judged")
    return await court.trace_cell(cell, limit)


HANDLERS = (report, report_trace)
"""The calls of this group."""
