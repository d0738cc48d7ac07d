"""From a number to its judgements, and from a judgement to the words that it quotes."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from venire.domain.judgement import Evidence
from venire.domain.judgement_key import JudgementKey
from venire.domain.material import Material
from venire.errors import UsageError
from venire.reports.outputs.asked import outputs_behind
from venire.reports.page.shown_text import highlighted_text, quote_anchors
from venire.server.court.court import Court
from venire.server.court.views import JudgementView
from venire.server.pages.dashboard import read_report
from venire.server.pages.problem import problem_page
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import readers_only
from venire.server.viewer.room import OutputsRoom

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


class ShownMaterial(msgspec.Struct, frozen=True):
    """A material as the page shows it."""

    material: Material
    """The material."""
    text: Markup
    """Its words, with the quotes marked."""
    is_quoted: bool
    """Whether the judge names it as the source of a quote."""


@get("/cells/{cell_id:str}", name="cell", opt=readers_only())
async def cell_page(
    request: AnyRequest,
    court: NamedDependency[Court],
    outputs: NamedDependency[OutputsRoom],
    cell_id: FromPath[str],
) -> Response[str]:
    """Show what is behind a number."""
    report, _ = await read_report(request, court)
    words = page_words(request, report.names if report else None)
    try:
        trace = await court.trace_cell(cell_id, TRACED)
    except UsageError as error:
        return problem_page(request, HTTPStatus.NOT_FOUND, words.of(error.message))
    shown = len(trace.judgements) + len(trace.requests)
    rows = words.rows(trace.cell.rows)
    address = outputs_behind(trace.cell)
    listed = await outputs.count(address) if address else 0
    return render(
        request,
        "cell.html",
        words,
        trace=trace,
        cell=trace.cell,
        shown=shown,
        rows=rows,
        address=address,
        listed=listed,
    )


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
    materials = [(f"in-{place}", each) for place, each in enumerate(view.materials)]
    texts = [("at", "", view.text), *((name, each.id, each.text) for name, each in materials)]
    by_source = {source: [item for item in evidence if item.source == source] for _, source, _ in texts}
    anchors = {source: quote_anchors(text, by_source[source], name) for name, source, text in texts}
    quotes = [
        ShownQuote(
            name_of(item.dimension),
            item,
            anchors.get(item.source, {}).get(-1 if item.start is None else item.start, ""),
        )
        for item in evidence
    ]
    shown = [
        ShownMaterial(each, highlighted_text(each.text, by_source[each.id], name), bool(by_source[each.id]))
        for name, each in materials
    ]
    asked = "by" if view.repeat == "0" else "reasked" if view.repeat.startswith("reask") else "again"
    return {"quotes": quotes, "text": highlighted_text(view.text, by_source[""]), "materials": shown, "asked": asked}
