"""Outputs in a list that can be filtered, and one of them with everything that is known of it."""

from __future__ import annotations

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath
from litestar.response import Redirect

from venire.domain.reader_mark import Remark
from venire.reports.outputs.asked import AskedList, Only, Order, OutputFilter, read_asked
from venire.reports.outputs.drawn import drawn_output
from venire.reports.outputs.rows import OutputRow
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import MARKERS, only, readers_only
from venire.server.viewer.room import OutputsRoom
from venire.workflows.outputs.listing import PAGE

LONGEST_MARK = 2000
"""How many characters a reader's words may have."""


@get("/outputs", name="outputs", opt=readers_only())
async def outputs_page(request: AnyRequest, outputs: NamedDependency[OutputsRoom]) -> Response[str]:
    """List outputs, and show the first of them beside the list."""
    await outputs.catch_up()
    asked = await outputs.wanted(read_asked(request.query_params))
    page = await outputs.page(asked.wanted, asked.order, asked.first)
    return await _show(request, outputs, asked, page.rows[0] if page.rows else None, alone=False)


@get("/outputs/{key:str}", name="output", opt=readers_only())
async def output_page(request: AnyRequest, outputs: NamedDependency[OutputsRoom], key: FromPath[str]) -> Response[str]:
    """Show one output beside the list that it was found in."""
    await outputs.catch_up()
    asked = await outputs.wanted(read_asked(request.query_params))
    return await _show(request, outputs, asked, await outputs.row(key), alone=True)


@get("/outputs-live", name="outputs-live", opt=readers_only())
async def outputs_live(request: AnyRequest, outputs: NamedDependency[OutputsRoom]) -> dict[str, int]:
    """Say how far the source was read and how many outputs there are, for a page that stays open."""
    await outputs.catch_up()
    read, known = await outputs.progress()
    asked = await outputs.wanted(read_asked(request.query_params))
    page = await outputs.page(asked.wanted, Order.RECORDED, 0)
    return {"read": read, "known": known, "total": page.total}


@post("/outputs/{key:str}/marks", name="mark-output", opt=only(*MARKERS))
async def mark_output(
    request: AnyRequest, outputs: NamedDependency[OutputsRoom], key: FromPath[str]
) -> Redirect | Response[str]:
    """Record a mark and come back to the output."""
    form = await request.form()
    given = {name: value for name, value in form.items() if isinstance(value, str)}
    row = await outputs.row(key)
    text = given.get("text", "").strip()[:LONGEST_MARK]
    remark = next((each for each in Remark if each.value == given.get("remark")), Remark.NOTE)
    if text or remark is not Remark.NOTE:  # A note without words says nothing.
        author = request.user.pseudonym
        await outputs.mark(row, remark, author=author, judgement=given.get("judgement", ""), text=text)
    return Redirect(f"/outputs/{key}{read_asked(request.query_params).query()}#marks", status_code=303)


async def _show(
    request: AnyRequest, outputs: OutputsRoom, asked: AskedList, row: OutputRow | None, *, alone: bool
) -> Response[str]:
    page, before, after = (
        await outputs.around(asked.wanted, asked.order, row, asked.first)
        if row
        else (await outputs.page(asked.wanted, asked.order, asked.first), "", "")
    )
    one = await outputs.show(row) if row else None
    words = page_words(request, one.names if one else None)
    same = await outputs.page(OutputFilter(same=(row.same,)), Order.RECORDED, 0) if row and row.same else None
    read, known = await outputs.progress()
    return render(
        request,
        "outputs.html",
        words,
        asked=asked,
        page=page,
        row=row,
        one=one,
        before=_address(before, asked, page.rows, -PAGE),
        after=_address(after, asked, page.rows, PAGE),
        beside=same.total - 1 if same else 0,
        facets=await outputs.facets(),
        protocols=await outputs.protocols(),
        alone=alone,
        source=outputs.name,
        read=read,
        known=known,
        per_page=PAGE,
        kinds=list(Only),
        remarks=list(Remark),
        may_mark=outputs.takes_marks and request.user.role in MARKERS,
        longest_mark=LONGEST_MARK,
        **(drawn_output(one, words) if one else {}),
    )


def _address(key: str, asked: AskedList, rows: tuple[OutputRow, ...], step: int) -> str:
    """Return the address of a neighbour; one that is not on this page stands on the one before or behind it."""
    if not key:
        return ""
    first = asked.first if any(each.key == key for each in rows) else max(0, asked.first + step)
    return f"/outputs/{key}{asked.query(first=first)}"
