"""How sure a consensus is: an interval from the spread of votes, and one from drawing other voters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.quantile import t_quantile
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.items import ITEM
from venire.votes.decay.terms import Decay
from venire.votes.decay.trail import trail
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

_DRAWS_AT_ONCE = 4_000_000


def weighted_intervals(
    frame: pl.DataFrame,
    decay: Decay | None = None,
    *,
    level: float = 0.95,
    as_of: datetime | None = None,
    by: Sequence[str] = ITEM,
) -> pl.DataFrame:
    """Return the state of every item with `low`, `high` and `standard_error`, within 0 and 1.

    The standard error is that of a weighted mean of voters: √(Σ (Σ_own w(v − S))² · m/(m − 1)) over m voters (the
    sandwich of Huber 1967, clustered by voter), because one voter's votes are not independent; the interval takes
    Student's t with m − 1 degrees of freedom. Both are null with fewer than two voters.

    Where all votes are equal there is no standard error. The interval then allows for a share of voters whom nobody
    has asked, who might vote 0 or 1: with m voters of one mind it is at most 1 − ((1 − level)/2)^(1/m) (Clopper and
    Pearson 1934).
    """
    return voter_errors(frame, decay, level=level, as_of=as_of, by=by).drop("squares", "equal_voters")


def voter_errors(
    frame: pl.DataFrame,
    decay: Decay | None = None,
    *,
    level: float = 0.95,
    as_of: datetime | None = None,
    by: Sequence[str] = ITEM,
) -> pl.DataFrame:
    """Return what `weighted_intervals` does, with `squares`, Σ (Σ_own w(v − S))², and `equal_voters`.

    The latter are the voters of equal weight that would give as sure a mean: 1/Σ (Σ_own w)².
    """
    require_level(level)
    terms = decay or Decay()
    scores = score_votes(frame, terms, as_of=as_of, by=by).frame
    votes = trail(frame, terms, as_of=as_of, by=by).with_columns(pl.col(name).cast(pl.String) for name in by)
    keys = list(by)
    deviations = (
        votes.lazy()
        .join(scores.lazy().select(*keys, "score"), on=keys)
        .group_by(*keys, "voter_id")
        .agg((pl.col("weight") * (pl.col("vote") - pl.col("score"))).sum().alias("own"), pl.col("weight").sum())
        .group_by(keys)
        .agg(
            (pl.col("own") ** 2).sum().alias("squares"),
            (1 / (pl.col("weight") ** 2).sum()).alias("equal_voters"),
            pl.len().alias("voters"),
        )
        .collect()
    )
    several, many = pl.col("voters") > 1, pl.col("voters").cast(pl.Float64)
    error = pl.when(several & (pl.col("variance") > 0)).then((pl.col("squares") * many / (many - 1)).sqrt())
    counts = [count for count in deviations["voters"].unique() if count > 1]
    quantiles = {count: t_quantile(level, count - 1) for count in counts}
    reach = pl.col("voters").replace_strict(quantiles, default=None, return_dtype=pl.Float64()) * error
    unseen = pl.when(several).then(1 - ((1 - level) / 2) ** (1 / many))
    least = pl.col("score") * (1 - unseen)
    return scores.join(deviations, on=keys, how="left", maintain_order="left").with_columns(
        standard_error=error,
        low=pl.when(error.is_null()).then(least).otherwise((pl.col("score") - reach).clip(0, 1)),
        high=pl.when(error.is_null()).then(least + unseen).otherwise((pl.col("score") + reach).clip(0, 1)),
    )


def bootstrap_interval(
    votes: pl.DataFrame,
    decay: Decay | None = None,
    *,
    seed: int,
    replicates: int = 2000,
    level: float = 0.95,
    as_of: datetime | None = None,
) -> Estimate:
    """Return the score of the votes of one item with a percentile interval from drawing its voters anew.

    Each voter that is drawn brings all of its votes with the weights that they have in the score, and weights are
    scaled to sum to 1 again. All votes of the frame count as one item.
    """
    require_level(level)
    method = say("method.decayed_bootstrap", replicates=replicates)
    one = votes.with_columns(inference_id=pl.lit("one item"))
    counted = trail(one, decay, as_of=as_of, by=("inference_id",))
    if not counted.height:
        return Estimate.unknown(method, say("reason.no_votes"), n={"votes": 0})
    voters = counted.group_by("voter_id", maintain_order=True).agg(
        pl.col("weight").sum(), (pl.col("weight") * pl.col("vote")).sum().alias("part")
    )
    n = {"votes": counted.height, "voters": voters.height}
    score = math.fsum(voters["part"])
    if voters.height < 2:
        return Estimate(value=score, method=method, n=n, reason=say("reason.one_voter"))
    draws = _draw(voters["weight"].to_numpy(), voters["part"].to_numpy(), replicates, np.random.default_rng(seed))
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2])
    return Estimate(
        value=score,
        low=float(low),
        high=float(high),
        level=level,
        standard_error=float(draws.std(ddof=1)),
        method=method,
        n=n,
        seed=seed,
    )


def _draw(weights: np.ndarray, parts: np.ndarray, replicates: int, generator: np.random.Generator) -> np.ndarray:
    """Return the score of each replicate; one that drew only votes without weight is left out."""
    voters = len(weights)
    chances = np.full(voters, 1 / voters)
    scores: list[np.ndarray] = []
    remaining = replicates
    while remaining:
        now = min(remaining, max(1, _DRAWS_AT_ONCE // voters))
        counts = generator.multinomial(voters, chances, size=now)
        total = counts @ weights
        scores.append((counts @ parts)[total > 0] / total[total > 0])
        remaining -= now
    return np.concatenate(scores)
