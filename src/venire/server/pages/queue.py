"""The curators' page: items on which jurors disagree, with what they said, and a decision to be made."""

from __future__ import annotations

from http import HTTPStatus
from pathlib import Path
from typing import Any

from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery
from litestar.response import Redirect

from venire.domain.curation import Outcome
from venire.errors import TooLateError
from venire.server.court.court import Court
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.people.person import Role, only, readers_only

LISTED = 20
"""How many items are shown at once."""
LONGEST_NOTE = 2000
"""How many characters a curator's note may have."""


@get("/queue", name="queue", opt=readers_only())
async def queue_page(request: AnyRequest, court: NamedDependency[Court], done: FromQuery[str] = "") -> Response[str]:
    """Show the items that wait."""
    return await _show(request, court, settled=done == "settled")


@post("/queue", name="decide", opt=only(Role.CURATOR))
async def decide(request: AnyRequest, court: NamedDependency[Court]) -> Response[Any]:
    """Record a decision."""
    form = await request.form()
    given = {name: value for name, value in form.items() if isinstance(value, str)}
    try:
        outcome = Outcome(given.get("outcome", ""))
    except ValueError:
        return await _show(request, court, status=HTTPStatus.BAD_REQUEST)
    try:
        await court.decide(
            request.user.pseudonym,
            given.get("inference_id", ""),
            given.get("voter_prompt_id", ""),
            outcome,
            given.get("note", "")[:LONGEST_NOTE],
        )
    except TooLateError:
        problem = page_words(request)("pages.queue.gone")
        return await _show(request, court, problem=problem, status=HTTPStatus.CONFLICT)
    return Redirect("/queue?done=settled", status_code=303)


async def _show(
    request: AnyRequest, court: Court, *, problem: str = "", settled: bool = False, status: int = HTTPStatus.OK
) -> Response[str]:
    waiting = await court.queue()
    return render(
        request,
        "queue.html",
        page_words(request),
        status=status,
        items=waiting[:LISTED],
        more=max(0, len(waiting) - LISTED),
        problem=problem,
        settled=settled,
        may_decide=request.user.role is Role.CURATOR,
        ledger=Path(court.options.ledger).name if "://" not in court.options.ledger else "LEDGER",
        outcomes=[each.value for each in Outcome],
        longest_note=LONGEST_NOTE,
    )
