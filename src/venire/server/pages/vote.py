"""The page on which jurors vote: one blinded output at a time."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromQuery
from litestar.response import Redirect

from venire.errors import AlreadyVotedError, TooLateError, UsageError
from venire.reports.page.shown_text import numbered_text
from venire.reports.words import ReportWords
from venire.server.court.court import Court
from venire.server.court.jury_room import FIVE
from venire.server.court.vote_requests import JudgementRequest, VoteRequest
from venire.server.court.vote_views import Ballot
from venire.server.pages.language import asked_languages
from venire.server.pages.rendering import AnyRequest, page_words, render
from venire.server.pages.reply_form import (
    asked_parts,
    cites_sentences,
    claim_questions,
    compose_reply,
    findings_by_dimension,
    questions,
    quotable,
    strengths,
)
from venire.server.people.person import Role, only

LONGEST_REASON = 2000
"""How many characters a juror's reason may have."""

UNIT_STEPS = ("0", "0.125", "0.25", "0.375", "0.5", "0.625", "0.75", "0.875", "1")
"""The nine numbers that keys 1 to 9 stand for on the scale from 0 to 1."""

_HOW_TO = {
    (True, False): "pages.vote.how_to_check",
    (True, True): "pages.vote.how_to_check_by_number",
    (False, False): "pages.vote.how_to_quote",
    (False, True): "pages.vote.how_to_quote_by_number",
}
_FROM_MATERIALS = "pages.vote.how_to_quote_materials"
"""What a juror is told about the form: whether it asks by claims, and for the numbers of sentences."""
_ON_ZERO_AND_ONE = ("1 means accept, 0 means reject", "1 表示接受，0 表示拒绝")


@get("/vote", name="vote", opt=only(Role.JUROR))
async def vote_page(request: AnyRequest, court: NamedDependency[Court], done: FromQuery[str] = "") -> Response[str]:
    """Show the next output."""
    notice = page_words(request)("pages.vote.undone") if done == "undone" else ""
    return await _show(request, court, notice=notice)


@post("/vote", name="cast", opt=only(Role.JUROR))
async def cast(request: AnyRequest, court: NamedDependency[Court]) -> Response[Any]:
    """Record a vote, or leave the output for later."""
    form = await _read_form(request)
    juror, item = request.user.pseudonym, form.get("item", "")
    words = page_words(request)
    if form.get("action") == "skip":
        await court.skip_item(juror, item)
        return _next()
    docket = await court.docket(juror)
    ballot = docket.ballot
    try:
        if ballot is not None and ballot.item == item and ballot.scale == "protocol":
            return await _judge(request, court, ballot, form)
        vote = _vote_of(form)
        if vote is None:
            return await _show(
                request, court, problem=words("pages.vote.choose"), filled=form, status=HTTPStatus.BAD_REQUEST
            )
        await court.cast(request.user, VoteRequest(item, vote, form.get("reason", "")[:LONGEST_REASON]))
    except AlreadyVotedError:
        return await _show(request, court, problem=words("pages.vote.twice"), status=HTTPStatus.CONFLICT)
    except UsageError:
        return await _show(request, court, problem=words("pages.vote.gone"), status=HTTPStatus.CONFLICT)
    return _next()


@post("/vote/undo", name="undo", opt=only(Role.JUROR))
async def undo(request: AnyRequest, court: NamedDependency[Court]) -> Response[Any]:
    """Take the last vote back."""
    try:
        await court.undo_vote(request.user.pseudonym)
    except TooLateError:
        problem = page_words(request)("pages.vote.too_late")
        return await _show(request, court, problem=problem, status=HTTPStatus.CONFLICT)
    return Redirect("/vote?done=undone", status_code=303)


def _next() -> Response[Any]:
    return Redirect("/vote", status_code=303)


async def _judge(request: AnyRequest, court: Court, ballot: Ballot, form: Mapping[str, str]) -> Response[Any]:
    judgement = await court.cast(request.user, JudgementRequest(ballot.item, compose_reply(ballot, form)))
    if judgement.valid:
        return _next()
    words = page_words(request)
    return await _show(
        request,
        court,
        problem=words("pages.vote.not_counted"),
        findings=findings_by_dimension(judgement, asked_parts(ballot), words.language),
        filled=form,
        status=HTTPStatus.UNPROCESSABLE_ENTITY,
    )


async def _show(
    request: AnyRequest,
    court: Court,
    *,
    problem: str = "",
    notice: str = "",
    findings: Mapping[str, tuple[str, ...]] | None = None,
    filled: Mapping[str, str] | None = None,
    status: int = HTTPStatus.OK,
) -> Response[str]:
    docket = await court.docket(request.user.pseudonym)
    ballot = docket.ballot
    if ballot is not None:
        ballot = msgspec.structs.replace(ballot, prompt=ballot.prompt.said_in(asked_languages(request)))
    claims = claim_questions(ballot) if ballot is not None and ballot.scale == "protocol" else ()
    cites = ballot is not None and cites_sentences(ballot)
    sources = quotable(ballot) if ballot is not None else ()
    return render(
        request,
        "vote.html",
        page_words(request),
        status=status,
        docket=docket,
        ballot=ballot,
        claims=claims,
        cites=cites,
        how_to=_how_to(ballot, claims=bool(claims), cites=cites, sources=bool(sources)),
        strengths=strengths(ballot) if ballot is not None else (),
        quotable=sources,
        numbered_text=numbered_text,
        questions=questions(ballot) if ballot is not None and ballot.scale == "protocol" else (),
        problem=problem,
        notice=notice,
        findings=findings or {},
        filled=filled if filled and ballot is not None and filled.get("item") == ballot.item else {},
        unit_steps=UNIT_STEPS,
        guidance=_guidance(ballot, page_words(request)) if ballot is not None else "",
        five=[f"{each:g}" for each in FIVE],
        longest_reason=LONGEST_REASON,
    )


def _how_to(ballot: Ballot | None, *, claims: bool, cites: bool, sources: bool) -> str:
    """Return the code of what a juror is told about the form."""
    if ballot is not None and ballot.second is not None:
        return "pages.vote.how_to_compare"
    return _FROM_MATERIALS if sources and not claims and not cites else _HOW_TO[claims, cites]


def _guidance(ballot: Ballot, words: ReportWords) -> str:
    """Return what the prompt says below its question; where nobody sees 0 and 1, what they mean would mislead."""
    first, line_break, rest = ballot.prompt.guidance.partition("\n")
    if not first.startswith(_ON_ZERO_AND_ONE):
        return ballot.prompt.guidance
    if ballot.scale == "yes_no":
        return rest
    return f"{words('pages.vote.five_read')}{line_break}{rest}" if ballot.scale == "five" else ballot.prompt.guidance


async def _read_form(request: AnyRequest) -> dict[str, str]:
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


def _vote_of(form: Mapping[str, str]) -> float | None:
    given = form.get("vote", "")
    return float(given) if given in UNIT_STEPS else None
