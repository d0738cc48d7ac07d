"""How far each voter stands from the others, from sums that add up as long as every inference is whole in its shard."""

from __future__ import annotations

import math

import msgspec
import polars as pl

from venire.stats.uncertainty.quantile import t_quantile
from venire.votes.analysis.ballots import cast_ballots

_UNIT = ["inference_id", "voter_prompt_id", "voter_kind"]
_VOTER = ["voter_id", "voter_kind"]
_NUMBERS = dict.fromkeys(("distance", "bias", "bias_low", "bias_high"), pl.Float64())


class VoterReliability(msgspec.Struct, frozen=True, eq=False):
    """How far each voter stands from the others."""

    frame: pl.DataFrame
    """One row for each voter, the most distant first: `voter_id`, `voter_kind`, `shared` (inferences that others voted
    on too), `distance` (the mean distance from the mean of the others; with classes, the mean share of others who voted
    for another class), `bias` (the signed one; null with classes), and `bias_low`, `bias_high`, Student's t interval,
    which one shared inference, or equal distances, do not give."""
    level: float
    """The coverage of the intervals."""


def voter_reliability(votes: pl.DataFrame, *, labels: bool = False, level: float = 0.95) -> VoterReliability:
    """Compare each voter with the others on the inferences that others voted on too.

    People are compared with people and judges with judges, under one prompt at a time. With `labels` votes are classes.
    """
    return reliability_of(distance_sums(votes, labels=labels), level=level)


def distance_sums(votes: pl.DataFrame, *, labels: bool = False) -> pl.DataFrame:
    """Return for each voter the sums of the distances from the others; for shards of whole inferences they merge."""
    ballots = cast_ballots(votes, prompts_apart=True)
    count = pl.len().over(_UNIT)
    others = (pl.col("vote").sum().over(_UNIT) - pl.col("vote")) / (count - 1)
    otherwise = (count - pl.len().over([*_UNIT, "vote"])) / (count - 1)
    away = pl.col("away")
    return (
        ballots.with_columns((otherwise if labels else pl.col("vote") - others).alias("away"))
        .filter(away.is_finite())
        .group_by(_VOTER, maintain_order=True)
        .agg(
            pl.len().cast(pl.Int64).alias("shared"),
            away.abs().sum().alias("far"),
            (pl.lit(math.nan) if labels else away.sum()).alias("total"),
            (away * away).sum().alias("squares"),
            away.min().alias("low"),
            away.max().alias("high"),
        )
    )


def merge_distances(one: pl.DataFrame, two: pl.DataFrame) -> pl.DataFrame:
    """Return the sums of both shards."""
    sums = pl.col("shared", "far", "total", "squares").sum()
    return pl.concat([one, two]).group_by(_VOTER, maintain_order=True).agg(sums, pl.min("low"), pl.max("high"))


def reliability_of(sums: pl.DataFrame, *, level: float = 0.95) -> VoterReliability:
    """Return what the sums of all shards say of each voter."""
    rows = []
    for voter, kind, shared, far, total, squares, low, high in sums.iter_rows():
        bias = None if math.isnan(total) else min(max(total / shared, low), high)
        ends: tuple[float | None, float | None] = None, None
        if bias is not None and shared > 1 and low < high:
            variance = max(0.0, squares - shared * bias * bias) / (shared - 1)
            margin = t_quantile(level, shared - 1) * math.sqrt(variance / shared)
            ends = bias - margin, bias + margin
        rows.append((voter, kind, shared, far / shared, bias, *ends))
    names = {"voter_id": pl.String(), "voter_kind": pl.String(), "shared": pl.Int64()}
    frame = pl.DataFrame(rows, schema={**names, **_NUMBERS}, orient="row")
    return VoterReliability(frame.sort("distance", "voter_id", descending=[True, False]), level)
