"""Z-scores of judges: how far a score lies from its judge's own mean. A diagnostic, no step in the panel's score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.observations import as_floats
from venire.stats.ratings.grouping import number_groups
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from venire.stats.ratings.table import PrimarySet


class JudgeMoments(msgspec.Struct, frozen=True, kw_only=True):
    """Mean and spread of a judge's scores on its own scale."""

    mean: float
    """The mean."""
    deviation: float | None
    """The standard deviation with the divisor n − 1; None for a single score."""
    scores: int
    """How many scores there are."""
    reason: str = ""
    """Why the judge has no z-scores; empty if it has."""


class ZScores(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Z-scores of all judges."""

    frame: pl.DataFrame
    """The columns `unit`, `rater`, `score`, `z` and `judgement`; z is null where it is not known."""
    judges: dict[str, JudgeMoments]
    """What each judge's scores are compared with."""


def z_score(score: float, mean: float, deviation: float) -> float | None:
    """Return (score − mean)/deviation; None without spread, and of numbers that are not finite.

    >>> round(z_score(4.5, 4.2, 0.5), 3), round(z_score(4.2, 3.8, 0.6), 3)
    (0.6, 0.667)
    """
    known = math.isfinite(score) and math.isfinite(mean) and 0 < deviation < math.inf
    return (score - mean) / deviation if known else None


def combined_z_scores(primary: PrimarySet, weights: Mapping[str, float]) -> pl.DataFrame:
    """Combine the judges' z-scores of each sample by weight, over the judges that have one: columns `unit` and `z`."""
    import polars as pl

    weight = pl.col("rater").cast(pl.String).replace_strict(dict(weights), default=0.0, return_dtype=pl.Float64)
    known = z_scores(primary).frame.filter(pl.col("z").is_not_null()).with_columns(weight=weight)
    sums = known.group_by("unit", maintain_order=True).agg(
        total=(pl.col("z") * pl.col("weight")).sum(), weight=pl.col("weight").sum()
    )
    return sums.filter(pl.col("weight") > 0).select("unit", z=pl.col("total") / pl.col("weight"))


def z_scores(primary: PrimarySet, *, dimension: str | None = None) -> ZScores:
    """Give each score on a dimension, or overall, as a deviation from its judge's mean in standard deviations."""
    import polars as pl

    rated = primary.scores(dimension)
    keys, codes = number_groups(rated, ["rater"])
    scores = as_floats(rated["score"].to_numpy())
    counts = np.bincount(codes, minlength=keys.height)
    means = np.bincount(codes, weights=scores, minlength=keys.height) / counts
    apart = scores - means[codes]
    squares = np.bincount(codes, weights=apart**2, minlength=keys.height)
    deviations = np.full(keys.height, np.nan)
    np.divide(squares, counts - 1, out=deviations, where=counts > 1)
    deviations = np.sqrt(deviations)
    # A sum that should be 0 is rarely 0: without this, rounding would become a z-score.
    spread = deviations > 1e-12 * np.maximum(np.abs(means), 1.0)
    z = np.full(len(scores), np.nan)
    np.divide(apart, deviations[codes], out=z, where=spread[codes])
    moments = {
        str(name): JudgeMoments(
            mean=float(means[place]),
            deviation=float(deviations[place]) if counts[place] > 1 else None,
            scores=int(counts[place]),
            reason=""
            if spread[place]
            else say("reason.one_score")
            if counts[place] < 2
            else say("reason.no_variation"),
        )
        for place, name in enumerate(keys["rater"].cast(str) if keys.height else ())
    }
    frame = rated.select("unit", "rater", "score", "judgement").with_columns(z=pl.Series(z).fill_nan(None))
    return ZScores(frame=frame, judges=moments)
