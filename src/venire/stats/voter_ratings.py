"""Votes as ratings, so that every measure of agreement and reliability also measures voters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np
import polars as pl

from venire.domain.vote import VoterKind
from venire.errors import PoolingError
from venire.stats.cast_ballots import cast_ballots
from venire.stats.intervals import NO_OBSERVATIONS, t_interval
from venire.stats.krippendorff_alpha import krippendorff_alpha
from venire.stats.rating_matrix import from_long
from venire.stats.ratings import RatingsTable
from venire.stats.result import Estimate

if TYPE_CHECKING:
    from venire.stats.rating_matrix import Metric, RatingMatrix


class VoterReliability(msgspec.Struct, frozen=True, eq=False):
    """How far each voter stands from the others."""

    frame: pl.DataFrame
    """One row for each voter, the most distant first: `voter_id`, `shared` (inferences that others voted on too),
    `distance` (the mean distance from the mean of the others), `bias` (the signed one), and `bias_low`, `bias_high`."""
    level: float
    """The coverage of the intervals."""


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
    prompts = votes["voter_prompt_id"].cast(pl.String).unique().sort().to_list()
    if len(prompts) > 1:
        raise PoolingError(
            f"expected votes under one prompt, found {len(prompts)}: {', '.join(map(repr, prompts[:5]))}",
            hint="Votes on different questions do not agree or disagree; choose one prompt.",
        )
    ballots = cast_ballots(votes)
    return from_long(ballots["inference_id"].to_list(), ballots["voter_id"].to_list(), ballots["vote"].to_numpy())


def voter_agreement(
    votes: pl.DataFrame, metric: Metric = "interval", *, replicates: int = 1000, seed: int = 0
) -> Estimate:
    """Return Krippendorff's alpha of people's votes under one prompt, with an interval from drawing inferences anew."""
    people = votes.filter(pl.col("voter_kind").cast(pl.String) == VoterKind.PERSON.value)
    if not people.height:
        return Estimate.unknown(f"krippendorff alpha, {metric}", NO_OBSERVATIONS, n={"ratings": 0})
    return krippendorff_alpha(vote_matrix(people), metric, replicates=replicates, seed=seed)


def voter_reliability(votes: pl.DataFrame, *, level: float = 0.95) -> VoterReliability:
    """Compare each voter with the mean of the others on the inferences that others voted on too."""
    ballots = cast_ballots(votes, prompts_apart=True)
    unit = ["inference_id", "voter_prompt_id"]
    others = (pl.col("vote").sum().over(unit) - pl.col("vote")) / (pl.len().over(unit) - 1)
    compared = ballots.with_columns((pl.col("vote") - others).alias("away")).filter(pl.col("away").is_finite())
    rows = []
    for (voter,), own in compared.group_by(["voter_id"], maintain_order=True):
        away = own["away"].to_numpy()
        bias = t_interval(away, level=level)
        rows.append((voter, len(away), float(np.abs(away).mean()), bias.value, bias.low, bias.high))
    names = {"voter_id": pl.String(), "shared": pl.Int64()}
    numbers = dict.fromkeys(("distance", "bias", "bias_low", "bias_high"), pl.Float64())
    frame = pl.DataFrame(rows, schema={**names, **numbers}, orient="row")
    return VoterReliability(frame.sort("distance", "voter_id", descending=[True, False]), level)
