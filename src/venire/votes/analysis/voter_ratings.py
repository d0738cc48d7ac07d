"""Votes as ratings, so that every measure of agreement and reliability also measures voters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from venire.errors import UsageError
from venire.stats.agreement.disagreement import alpha_method
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.ratings.matrix import from_long
from venire.stats.ratings.table import RatingsTable
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS
from venire.votes.analysis.ballots import cast_ballots
from venire.votes.analysis.people_votes import people_of, prompts_of, require_one_prompt

if TYPE_CHECKING:
    from venire.stats.ratings.matrix import Metric, RatingMatrix


def votes_as_ratings(votes: pl.DataFrame) -> RatingsTable:
    """Return the ballots as a ratings table: inferences are units, voters are raters, the prompt is the protocol.

    The last vote of each voter on an inference under a prompt counts. Prompts are kept apart as protocols are, so that
    statistics refuse to pool them unless one is chosen.
    """
    ballots = cast_ballots(votes, prompts_apart=True).select(
        pl.col("inference_id").alias("unit"),
        pl.col("voter_id").alias("rater"),
        pl.col("vote").alias("score"),
        pl.col("voter_prompt_id").alias("protocol"),
        "voter_kind",
    )
    return RatingsTable.from_frame(ballots, factors=["voter_kind"], minimum=0.0, maximum=1.0)


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
