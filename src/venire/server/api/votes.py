"""Votes: what lies before a juror, casting one or many, taking one back."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import Request, get, post
from litestar.params import HeaderParameter, JSONBody

from venire.domain.judgement import Judgement
from venire.domain.vote import VoterKind
from venire.errors import UsageError, VenireError
from venire.server.api.parameters import InCourt
from venire.server.court.new_vote import NewVote
from venire.server.court.vote_views import BatchOutcome, BatchResult, Docket, VoteReceipt
from venire.server.people.person import Person, Role, only
from venire.server.problems import venire_problem

MOST_IN_A_BATCH = 10_000
"""How many votes one request may bring."""

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Words = Annotated[str, msgspec.Meta(max_length=10_000)]
IdempotencyKey = Annotated[
    str | None,
    HeaderParameter(
        name="Idempotency-Key",
        max_length=200,
        description="Any text that is new for each vote or batch; a request repeated under it is done once.",
    ),
]


class VoteRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A vote to be cast. Jurors give the first three; operators may bring votes of others."""

    item: Name
    """The opaque name of the item; operators give the id of the output."""
    vote: Annotated[float, msgspec.Meta(ge=0, le=1)]
    """From 0 (reject) to 1 (accept)."""
    reason: Words = ""
    """Why."""
    voter_id: Name | None = None
    """For operators: the pseudonym of the voter."""
    vote_time: datetime | None = None
    """For operators: when it was cast, with its zone; now if it is left out."""
    voter_prompt_id: Annotated[str, msgspec.Meta(max_length=500)] | None = None
    """For operators: the prompt that was asked; the one of this server if it is left out."""
    reputation: Annotated[float, msgspec.Meta(gt=0, le=1e12)] = 1.0
    """For operators: the weight of the voter."""
    voter_kind: VoterKind = VoterKind.PERSON
    """For operators: whether a person or a judge voted."""


class BatchRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Votes to be cast in one commit."""

    votes: Annotated[tuple[VoteRequest, ...], msgspec.Meta(min_length=1, max_length=MOST_IN_A_BATCH)]
    """The votes."""


class ItemRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An item by its opaque name."""

    item: Name
    """The opaque name."""


class JudgementRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A juror's judgement by the dimensions of the protocol."""

    item: Name
    """The opaque name of the item; the reply names it as its `output_id`."""
    reply: Annotated[str, msgspec.Meta(max_length=1_000_000)]
    """The judgement in the protocol's own JSON."""


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
    person = request.user
    if person.role is Role.JUROR:
        _check_own(data)
        return await court.jury.cast(person.pseudonym, data.item, data.vote, data.reason, idempotency_key or "")
    return await court.voting.cast(_foreign(data, person, idempotency_key or ""))


@post("/api/v1/votes/batch", opt=only(Role.JUROR, Role.OPERATOR), status_code=200, tags=["votes"])
async def cast_votes(
    court: InCourt,
    request: Request[Person, Any, Any],
    data: JSONBody[BatchRequest],
    idempotency_key: IdempotencyKey = None,
) -> BatchResult:
    """Cast many votes in one commit; those that cannot be cast are named and do not hold up the others."""
    person = request.user
    keys = [f"{idempotency_key}:{place}" if idempotency_key else "" for place in range(len(data.votes))]
    if person.role is Role.JUROR:
        for each in data.votes:
            _check_own(each)
        cast = [(each.item, each.vote, each.reason, key) for each, key in zip(data.votes, keys, strict=True)]
        results = await court.jury.cast_all(person.pseudonym, cast)
    else:
        votes = [_foreign(each, person, key) for each, key in zip(data.votes, keys, strict=True)]
        results = await court.voting.cast_all(votes)
    outcomes = tuple(map(_outcome, results))
    accepted = sum(outcome.receipt is not None for outcome in outcomes)
    return BatchResult(accepted, len(outcomes) - accepted, outcomes)


@post("/api/v1/votes/undo", opt=only(Role.JUROR), status_code=200, tags=["votes"])
async def undo_vote(court: InCourt, request: Request[Person, Any, Any]) -> VoteReceipt:
    """Take the juror's last vote back by a new entry; 409 if it is too late."""
    return await court.jury.undo(request.user.pseudonym)


@post("/api/v1/votes/skip", opt=only(Role.JUROR), status_code=204, tags=["votes"])
async def skip_item(court: InCourt, request: Request[Person, Any, Any], data: JSONBody[ItemRequest]) -> None:
    """Put an item at the end of the juror's order; it is not a vote."""
    await court.skip_item(request.user.pseudonym, data.item)


@post("/api/v1/votes/judgement", opt=only(Role.JUROR), status_code=200, tags=["votes"])
async def cast_judgement(
    court: InCourt, request: Request[Person, Any, Any], data: JSONBody[JudgementRequest]
) -> Judgement:
    """Judge an item by the dimensions of the protocol; an invalid judgement comes back with findings, unrecorded."""
    return await court.cast_judgement(request.user.pseudonym, data.item, data.reply)


def _check_own(data: VoteRequest) -> None:
    plain = VoteRequest(data.item, data.vote, data.reason)
    if data != plain:
        raise UsageError("a juror votes in the own name, now: expected only `item`, `vote` and `reason`")


def _foreign(data: VoteRequest, person: Person, key: str) -> NewVote:
    return NewVote(
        voter_id=data.voter_id or person.pseudonym,
        item=data.item,
        vote=data.vote,
        reason=data.reason,
        request=key,
        voter_prompt_id=data.voter_prompt_id,
        vote_time=data.vote_time,
        reputation=data.reputation,
        voter_kind=data.voter_kind,
    )


def _outcome(result: VoteReceipt | VenireError) -> BatchOutcome:
    if isinstance(result, VoteReceipt):
        return BatchOutcome(receipt=result)
    return BatchOutcome(problem=venire_problem(result))


HANDLERS = (docket, cast_vote, cast_votes, undo_vote, skip_item, cast_judgement)
"""The calls of this group."""
