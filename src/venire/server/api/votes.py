"""Votes: what lies before a juror, casting one or many, taking one back."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from litestar import Request, get, post
from litestar.params import HeaderParameter, JSONBody

from venire.domain.judgement import Judgement
from venire.errors import VenireError
from venire.server.api.parameters import InCourt
from venire.server.court.vote_requests import JudgementRequest, Name, VoteRequest
from venire.server.court.vote_views import BatchOutcome, BatchResult, Docket, VoteReceipt
from venire.server.people.person import Person, Role, only
from venire.server.problems import venire_problem

MOST_IN_A_BATCH = 10_000
"""How many votes one request may bring."""

IdempotencyKey = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        max_length=200,
        description="Any text that is new for each vote or batch; a request repeated under it is done once.",
    ),
]


class BatchRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Votes to be cast in one commit."""

    votes: Annotated[tuple[VoteRequest, ...], msgspec.Meta(min_length=1, max_length=MOST_IN_A_BATCH)]
    """The votes."""


class ItemRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An item by its opaque name."""

    item: Name
    """The opaque name."""


@get("/api/v1/docket", opt=only(Role.JUROR), tags=["votes"])
async def docket(court: InCourt, request: Request[Person, Any, Any]) -> Docket:
    """Return the next blinded output in the juror's own order, and how far the juror has come."""
    return await court.docket(request.user.pseudonym)


@post("/api/v1/votes", opt=only(Role.JUROR, Role.OPERATOR), tags=["votes"])
async def cast_vote(
    court: InCourt,
    request: Request[Person, Any, Any],
    data: JSONBody[VoteRequest],
    idempotency_key: IdempotencyKey = None,
) -> VoteReceipt:
    """Cast a vote; the answer comes when it is durable. A second one on an item in a round is 409, or a change."""
    return await court.cast(request.user, data, idempotency_key or "")


@post("/api/v1/votes/batch", opt=only(Role.JUROR, Role.OPERATOR), status_code=200, tags=["votes"])
async def cast_votes(
    court: InCourt,
    request: Request[Person, Any, Any],
    data: JSONBody[BatchRequest],
    idempotency_key: IdempotencyKey = None,
) -> BatchResult:
    """Cast many votes in one commit; those that cannot be cast are named and do not hold up the others."""
    keys = [f"{idempotency_key}:{place}" if idempotency_key else "" for place in range(len(data.votes))]
    results = await court.cast_all(request.user, data.votes, keys)
    outcomes = tuple(map(_outcome, results))
    accepted = sum(outcome.receipt is not None for outcome in outcomes)
    return BatchResult(accepted, len(outcomes) - accepted, outcomes)


@post("/api/v1/votes/undo", opt=only(Role.JUROR), status_code=200, tags=["votes"])
async def undo_vote(court: InCourt, request: Request[Person, Any, Any]) -> VoteReceipt:
    """Take the juror's last vote back by a new entry; 409 if it is too late."""
    return await court.undo_vote(request.user.pseudonym)


@post("/api/v1/votes/skip", opt=only(Role.JUROR), status_code=204, tags=["votes"])
async def skip_item(court: InCourt, request: Request[Person, Any, Any], data: JSONBody[ItemRequest]) -> None:
    """Put an item at the end of the juror's order; it is not a vote."""
    await court.skip_item(request.user.pseudonym, data.item)


@post("/api/v1/votes/judgement", opt=only(Role.JUROR), status_code=200, tags=["votes"])
async def cast_judgement(
    court: InCourt, request: Request[Person, Any, Any], data: JSONBody[JudgementRequest]
) -> Judgement:
    """Judge an item by the dimensions of the protocol; an invalid judgement comes back with findings, unrecorded."""
    return await court.cast(request.user, data)


def _outcome(result: VoteReceipt | VenireError) -> BatchOutcome:
    if isinstance(result, VoteReceipt):
        return BatchOutcome(receipt=result)
    return BatchOutcome(problem=venire_problem(result))


HANDLERS = (docket, cast_vote, cast_votes, undo_vote, skip_item, cast_judgement)
"""The calls of this group."""
