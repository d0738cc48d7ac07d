"""The six questions about votes that a caller brings along; the very functions of `venire.votes` answer them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Annotated, Any, TypeVar

import msgspec
from litestar import post
from litestar.params import JSONBody

from venire.errors import UsageError
from venire.server.api.parameters import InCourt
from venire.server.court import Court
from venire.server.people import readers_only
from venire.workflows.grand_jury_client import GrandJuryClient

T = TypeVar("T")

Unit = Annotated[float, msgspec.Meta(ge=0, le=1)]
Records = Annotated[tuple[dict[str, Any], ...], msgspec.Meta(max_length=1_000_000)]
Names = tuple[str | int | float, ...]


class EvaluateRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A batch of votes after a score."""

    previous_timestamp: datetime
    """When the previous score was made, with its zone."""
    timestamp: datetime
    """When the votes were cast, with its zone."""
    previous_score: Unit = 0.0
    """The previous score."""
    votes: tuple[Unit, ...] = ()
    """The votes."""
    reputations: tuple[Annotated[float, msgspec.Meta(gt=0, le=1e12)], ...] = ()
    """The weight of each; all alike if left out."""


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
    """Everything that should be voted on; what was voted on if left out."""
    gross: bool = False
    """Whether one number for all inferences is wanted."""


class ConfidenceRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Votes of some of a population."""

    data: Records
    """The votes."""
    voter_list: Names
    """The population."""
    inference_ids: Names | None = None
    """The inferences; those that were voted on if left out."""


class MajorityRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Votes, and which of them are good."""

    data: Records
    """The votes."""
    good_vote: bool | float = True
    """True for votes above 0.5, False for those below, or exactly this number."""
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
    return await _answer(
        court,
        lambda client: client.evaluate_model(
            data.previous_score, data.previous_timestamp, data.votes, data.reputations, timestamp=data.timestamp
        ),
    )


@post("/api/v1/verdict/histogram", opt=readers_only(), status_code=200, tags=["analysis"])
async def histogram(court: InCourt, data: JSONBody[HistogramRequest]) -> dict[str, Any]:
    """Count votes in buckets of time."""
    return await _answer(
        court, lambda client: client.vote_histogram(list(data.data), data.duration_minutes, gross=data.gross)
    )


@post("/api/v1/verdict/completeness", opt=readers_only(), status_code=200, tags=["analysis"])
async def completeness(court: InCourt, data: JSONBody[CompletenessRequest]) -> dict[str, float | None] | float | None:
    """Return the share of voters who voted on each inference, or on all."""
    return await _answer(
        court,
        lambda client: client.vote_completeness(list(data.data), data.voter_list, data.inference_ids, gross=data.gross),
    )


@post("/api/v1/verdict/population-confidence", opt=readers_only(), status_code=200, tags=["analysis"])
async def confidence(court: InCourt, data: JSONBody[ConfidenceRequest]) -> dict[str, float]:
    """Return how sure the majority of the population is on each inference."""
    return await _answer(
        court, lambda client: client.population_confidence(list(data.data), data.voter_list, data.inference_ids)
    )


@post("/api/v1/verdict/majority-good", opt=readers_only(), status_code=200, tags=["analysis"])
async def majority(court: InCourt, data: JSONBody[MajorityRequest]) -> dict[str, int]:
    """Return the number of good votes on each inference on which they are the majority."""
    return await _answer(
        court, lambda client: client.majority_good_votes(list(data.data), data.good_vote, data.threshold)
    )


@post("/api/v1/verdict/votes-distribution", opt=readers_only(), status_code=200, tags=["analysis"])
async def distribution(court: InCourt, data: JSONBody[DistributionRequest]) -> dict[str, int]:
    """Return the number of votes on each inference."""
    return await _answer(court, lambda client: client.votes_distribution(list(data.data), data.inference_ids))


async def _answer(court: Court, question: Callable[[GrandJuryClient], T]) -> T:
    client = GrandJuryClient(decay=court.options.decay)
    try:
        return await court.record.in_thread(lambda: question(client))
    except OverflowError as error:  # Such as an hour before the year 1.
        raise UsageError(f"a time or number is out of range: {error}") from error


HANDLERS = (evaluate, histogram, completeness, confidence, majority, distribution)
"""The calls of this group."""
