"""The same question side by side: one output beside others, with what differs in their words and their scores."""

from __future__ import annotations

import msgspec
from litestar import Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath
from markupsafe import Markup

from venire.reports.outputs.one_output import OneOutput
from venire.reports.outputs.rows import OutputRow
from venire.reports.page.shown_text import shown_text
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import readers_only
from venire.server.viewer.room import OutputsRoom
from venire.workflows.outputs.same_question import DiffPiece, text_diff

MOST_COLUMNS = 5
"""How many outputs stand side by side at most."""
USUAL_COLUMNS = 3
"""How many do unless somebody chose."""
_TAGS = {"same": Markup("{}"), "added": Markup("<ins>{}</ins>"), "gone": Markup("<del>{}</del>")}


class BesideColumn(msgspec.Struct, frozen=True):
    """One output among others."""

    row: OutputRow
    """The output."""
    one: OneOutput
    """What is known of it."""
    text: Markup | None
    """Its words, with what differs from the first marked; None if the source does not hold them."""
    is_compared: bool
    """Whether differences are marked."""


@get("/outputs/{key:str}/beside", name="beside", opt=readers_only())
async def beside_page(request: AnyRequest, outputs: NamedDependency[OutputsRoom], key: FromPath[str]) -> Response[str]:
    """Show an output beside others that answer the same question."""
    await outputs.catch_up()
    row = await outputs.row(key)
    others = await outputs.answers_to_same(row)
    chosen = set(request.query_params.getall("with", []))
    shown = [each for each in others if each.key in chosen] if chosen else _usual(row, others)
    first = await outputs.show(row)
    own = BesideColumn(row, first, None if first.text is None else shown_text(first.text), False)
    columns = [own, *[await _column(outputs, first, each) for each in shown[: MOST_COLUMNS - 1]]]
    words = page_words(request, first.names)
    chosen = {each.row.key for each in columns}
    return render(
        request,
        "beside.html",
        words,
        row=row,
        others=others,
        columns=columns,
        chosen=chosen,
        most=MOST_COLUMNS,
        protocols=await outputs.protocols(),
    )


def _usual(row: OutputRow, others: tuple[OutputRow, ...]) -> list[OutputRow]:
    """Return what to show at first: the same place of other models, or else whatever comes first."""
    alike = [each for each in others if (each.variant, each.levels) == (row.variant, row.levels)]
    return (alike or list(others))[: USUAL_COLUMNS - 1]


async def _column(outputs: OutputsRoom, first: OneOutput, row: OutputRow) -> BesideColumn:
    one = await outputs.show(row)
    if one.text is None:
        return BesideColumn(row, one, None, False)
    pieces = await outputs.in_thread(lambda: text_diff(first.text or "", one.text or ""))
    return BesideColumn(row, one, shown_text(one.text) if pieces is None else _marked(pieces), pieces is not None)


def _marked(pieces: list[DiffPiece]) -> Markup:
    return Markup().join(_TAGS[piece.kind].format(shown_text(piece.text)) for piece in pieces)
