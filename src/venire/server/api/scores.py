"""Scores of votes that age, now and as of any time, and every vote behind them."""

from __future__ import annotations

from datetime import datetime

from litestar import get
from litestar.params import FromQuery

from venire.domain.vote import VoterKind
from venire.server.api.parameters import After, InCourt, Limit, Text
from venire.server.court.views import Page
from venire.server.court.vote_views import ItemScore, WeighedVote
from venire.server.people.person import readers_only


@get("/api/v1/scores", opt=readers_only(), tags=["scores"])
async def scores(
    court: InCourt,
    after: After = 0,
    limit: Limit = 100,
    as_of: FromQuery[datetime | None] = None,
    voter_kind: FromQuery[VoterKind] = VoterKind.PERSON,
) -> Page[ItemScore]:
    """List the consensus on every item, in the order in which items got their first votes; `as_of` needs a zone."""
    return await court.scores.listed(voter_kind, as_of, after, limit)


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
    return court.scores.trail(inference_id, voter_prompt_id, voter_kind, as_of, after, limit)


HANDLERS = (scores, score_trail)
"""The calls of this group."""
