"""From a number to its judgements, and from a judgement to the words that it quotes."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath

from venire.domain.judgement import Evidence
from venire.domain.judgement_key import JudgementKey
from venire.errors import UsageError
from venire.server.court.court import Court
from venire.server.court.views import JudgementView
from venire.server.pages.dashboard import read_report
from venire.server.pages.problem import problem_page
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.pages.shown_text import highlighted_text, quote_anchors
from venire.server.people.person import readers_only

TRACED = 50
"""How many of the judgements behind a number are listed."""


class ShownQuote(msgspec.Struct, frozen=True):
    """A quote as the page shows it."""

    dimension: str
    """What it supports, in the reader's language."""
    evidence: Evidence
    """The quote."""
    anchor: str
    """Where in the highlighted text it stands; empty if it was not found."""


@get("/cells/{cell_id:str}", name="cell", opt=readers_only())
async def cell_page(request: AnyRequest, court: NamedDependency[Court], cell_id: FromPath[str]) -> Response[str]:
    """Show what is behind a number."""
    report, _ = await read_report(request, court)
    words = page_words(request, report.names if report else None)
    try:
        trace = await court.trace_cell(cell_id, TRACED)
    except UsageError as error:
        return problem_page(request, HTTPStatus.NOT_FOUND, words.of(error.message))
    shown = len(trace.judgements) + len(trace.requests)
    rows = words.rows(trace.cell.rows)
    return render(request, "cell.html", words, trace=trace, cell=trace.cell, shown=shown, rows=rows)


@get("/judgements/{key:path}", name="judgement", opt=readers_only())
async def judgement_page(request: AnyRequest, court: NamedDependency[Court], key: FromPath[str]) -> Response[str]:
    """Show a judgement with its reply, findings, quotes and trail."""
    view = await court.judgement_view(JudgementKey.parse(key.removeprefix("/")))
    if view is None:
        return problem_page(request, HTTPStatus.NOT_FOUND, page_words(request)("pages.judgement.unknown"))
    words = page_words(request, view.names)
    return render(request, "judgement.html", words, view=view, judgement=view.judgement, **_drawn(view, words.name))


def _drawn(view: JudgementView, name_of: Any) -> dict[str, Any]:
    evidence = view.judgement.evidence
    anchors = quote_anchors(view.text, evidence)
    quotes = [
        ShownQuote(name_of(item.dimension), item, anchors.get(item.start, "") if item.start is not None else "")
        for item in evidence
    ]
    asked = "by" if view.repeat == "0" else "reasked" if view.repeat.startswith("reask") else "again"
    return {"quotes": quotes, "text": highlighted_text(view.text, evidence), "asked": asked}
