"""Votes as a matrix of ratings, and how far voters agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.errors import UsageError
from venire.stats.agreement.disagreement import alpha_method
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.ratings.matrix import from_long
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS
from venire.votes.analysis.ballots import cast_ballots
from venire.votes.analysis.people_votes import people_of, prompts_of, require_one_prompt

if TYPE_CHECKING:
    import polars as pl

    from venire.stats.ratings.matrix import Metric, RatingMatrix


def vote_matrix(votes: pl.DataFrame) -> RatingMatrix:
    """Return the ballots as inferences × voters. Raises `PoolingError` for votes under several prompts."""
    require_one_prompt(prompts_of(votes))
    ballots = cast_ballots(votes)
    return from_long(ballots["inference_id"].to_list(), ballots["voter_id"].to_list(), ballots["vote"].to_numpy())


def metric_for(metric: Metric | None, *, labels: bool) -> Metric:
    """Return the metric that is meant. Raises `UsageError` for one that classes, which are names, do not have."""
    if labels and metric not in (None, "nominal"):
        raise UsageError("error.votes.label_metric", metric=metric)
    return "nominal" if labels else metric or "interval"


def voter_agreement(
    votes: pl.DataFrame, metric: Metric = "interval", *, replicates: int = 1000, seed: int = 0
) -> Estimate:
    """Return Krippendorff's alpha of people's votes under one prompt, with an interval from drawing inferences anew."""
    people = people_of(votes)
    if not people.height:
        return Estimate.unknown(alpha_method(metric), NO_OBSERVATIONS, n={"ratings": 0})
    return krippendorff_alpha(vote_matrix(people), metric, replicates=replicates, seed=seed)
