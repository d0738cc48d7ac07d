"""The six questions about votes that a caller brings along, in the shapes that the `grandjury` package knows.

`GrandJuryClient` answers them here as it does on the caller's machine.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

import msgspec
from litestar import post
from litestar.params import JSONBody

from venire.server.api.parameters import InCourt
from venire.server.people.person import readers_only

Unit = Annotated[float, msgspec.Meta(ge=0, le=1)]
Records = Annotated[tuple[dict[str, Any], ...], msgspec.Meta(max_length=1_000_000)]
Names = tuple[str | int | float, ...]


class EvaluateRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A batch of votes after a score."""

    previous_timestamp: datetime | None = None
    """When the previous score was made, in the server's local time if it has no zone; an hour before if left out."""
    timestamp: datetime | None = None
    """When the votes were cast, in the server's local time if it has no zone; now if left out."""
    previous_score: Unit = 0.0
    """The previous score."""
    votes: tuple[Unit, ...] = ()
    """The votes."""
    reputations: tuple[Annotated[float, msgspec.Meta(gt=0, le=1e12)], ...] = ()
    """The weight of each; all alike if left out."""
    decay_per_second: Annotated[float, msgspec.Meta(ge=0)] | None = None
    """The decay constant; the server's if left out."""
    critical_variance: Annotated[float, msgspec.Meta(ge=0, le=0.25)] | None = None
    """From above which variance the batch is ambiguous; the server's if left out."""


class HistogramRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Votes to be counted in buckets of time."""

    data: Records
    """The votes."""
    duration_minutes: Annotated[float, msgspec.Meta(gt=0, le=1e9)] = 60
    """How long a bucket is."""
    gross: bool = True
    """Whether all inferences are counted together."""


class CompletenessRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Votes, and who should have cast them."""

    data: Records
    """The votes."""
    voter_list: Names
    """Everybody who should vote."""
    inference_ids: Names | None = None
    """The inferences to be told one by one; if left out, one number tells of all."""
    gross: bool = False
    """Whether one number for all inferences is wanted."""


class ConfidenceRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Votes of some of a population."""

    data: Records
    """The votes."""
    voter_list: Names
    """Everybody who should vote."""
    inference_ids: Names | None = None
    """The inferences to be told one by one; if left out, one number tells of all."""


class MajorityRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Votes, and which of them are good."""

    data: Records
    """The votes."""
    good_vote: bool | float | str = True
    """True for votes above 0.5, False for those below, or exactly this number or label."""
    threshold: Unit = 0.5
    """The share of good votes that has to be exceeded."""


class DistributionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Votes to be counted by inference."""

    data: Records
    """The votes."""
    inference_ids: Names | None = None
    """The inferences; those that were voted on if left out."""


@post("/api/v1/evaluate", opt=readers_only(), status_code=200, tags=["analysis"])
async def evaluate(court: InCourt, data: JSONBody[EvaluateRequest]) -> dict[str, Any]:
    """Return the score after one more batch of votes."""
    return await court.scores.answer(
        lambda client: client.evaluate_model(
            data.previous_score, data.previous_timestamp, data.votes, data.reputations, timestamp=data.timestamp
        ),
        rate_per_second=data.decay_per_second,
        critical_variance=data.critical_variance,
    )


@post("/api/v1/verdict/histogram", opt=readers_only(), status_code=200, tags=["analysis"])
async def histogram(court: InCourt, data: JSONBody[HistogramRequest]) -> dict[str, Any]:
    """Count votes in buckets of time, null votes too; buckets without any are left out."""
    return await court.scores.answer(
        lambda client: client.vote_histogram(list(data.data), data.duration_minutes, gross=data.gross)
    )


@post("/api/v1/verdict/completeness", opt=readers_only(), status_code=200, tags=["analysis"])
async def completeness(court: InCourt, data: JSONBody[CompletenessRequest]) -> dict[str, float | None] | float | None:
    """Return the share of voters who voted on each named inference, or on any."""
    return await court.scores.answer(
        lambda client: client.vote_completeness(list(data.data), data.voter_list, data.inference_ids, gross=data.gross),
    )


@post("/api/v1/verdict/population-confidence", opt=readers_only(), status_code=200, tags=["analysis"])
async def confidence(court: InCourt, data: JSONBody[ConfidenceRequest]) -> dict[str, float | None] | float | None:
    """Return the same as completeness does; how sure a majority is tells `venire votes confidence`."""
    return await court.scores.answer(
        lambda client: client.population_confidence(list(data.data), data.voter_list, data.inference_ids)
    )


@post("/api/v1/verdict/majority-good", opt=readers_only(), status_code=200, tags=["analysis"])
async def majority(court: InCourt, data: JSONBody[MajorityRequest]) -> dict[str, int]:
    """Return as `count` on how many inferences the share of good votes exceeds the threshold."""
    return await court.scores.answer(
        lambda client: client.majority_good_votes(list(data.data), data.good_vote, data.threshold)
    )


@post("/api/v1/verdict/votes-distribution", opt=readers_only(), status_code=200, tags=["analysis"])
async def distribution(court: InCourt, data: JSONBody[DistributionRequest]) -> dict[str, int]:
    """Return the number of votes on each inference, the largest first."""
    return await court.scores.answer(lambda client: client.votes_distribution(list(data.data), data.inference_ids))


HANDLERS = (evaluate, histogram, completeness, confidence, majority, distribution)
"""The calls of this group."""
