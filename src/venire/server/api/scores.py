"""Scores of votes that age, now and as of any time, and every vote behind them."""

from __future__ import annotations

from datetime import datetime

import msgspec
from litestar import get
from litestar.params import FromQuery

from venire.domain.vote import VoterKind
from venire.errors import NotFoundError
from venire.server.api.parameters import After, InCourt, Limit, Text
from venire.server.court.curators import score_of
from venire.server.court.tally_item import ItemName
from venire.server.court.views import Page
from venire.server.court.vote_views import ItemScore, WeighedVote
from venire.server.people.person import readers_only
from venire.votes.decay.batches import ITEM
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.trail import trail


@get("/api/v1/scores", opt=readers_only(), tags=["scores"])
async def scores(
    court: InCourt,
    after: After = 0,
    limit: Limit = 100,
    as_of: FromQuery[datetime | None] = None,
    voter_kind: FromQuery[VoterKind] = VoterKind.PERSON,
) -> Page[ItemScore]:
    """List the consensus on every item, in the order in which items got their first votes; `as_of` needs a zone."""
    tally = court.state.tally
    if as_of is None:
        scored = [each for each in tally.by_number if each.name.voter_kind is voter_kind and each.numbers.votes]
        page = tuple(score_of(item) for item in scored[after : after + limit])
        return Page(page, len(scored), after + limit if after + limit < len(scored) else None)
    votes = tally.frame()
    frame = await court.state.in_thread(lambda: score_votes(votes, court.options.decay, as_of=as_of).frame)
    chosen = frame.filter(frame["voter_kind"] == voter_kind.value)
    page = tuple(msgspec.convert(row, ItemScore) for row in chosen[after : after + limit].iter_rows(named=True))
    return Page(page, chosen.height, after + limit if after + limit < chosen.height else None)


@get("/api/v1/scores/trail", opt=readers_only(), tags=["scores"])
async def score_trail(
    court: InCourt,
    inference_id: Text,
    voter_prompt_id: FromQuery[str | None] = None,
    voter_kind: FromQuery[VoterKind] = VoterKind.PERSON,
    as_of: FromQuery[datetime | None] = None,
    after: After = 0,
    limit: Limit = 100,
) -> Page[WeighedVote]:
    """List every vote on an item with its batch, its α and its weight in the score."""
    prompt = court.state.prompt_id if voter_prompt_id is None else voter_prompt_id
    item = court.state.tally.items.get(ItemName(inference_id, prompt, voter_kind))
    if item is None:
        raise NotFoundError(f"nobody has voted on {inference_id[:80]!r} under this prompt")
    walked = trail(court.state.tally.frame([item]), court.options.decay, as_of=as_of, by=ITEM)
    columns = walked.select(WeighedVote.__struct_fields__)
    page = tuple(WeighedVote(*row) for row in columns[after : after + limit].iter_rows())
    return Page(page, walked.height, after + limit if after + limit < walked.height else None)


HANDLERS = (scores, score_trail)
"""The calls of this group."""
