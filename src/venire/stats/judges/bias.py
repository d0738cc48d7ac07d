"""What the measures of bias share: their record, when they stay silent, and scores beside those of other judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.domain.judgement import Method
from venire.stats.ratings.grouping import number_groups
from venire.stats.ratings.panel_scores import normalise
from venire.stats.result import Estimate
from venire.words.said import say

if TYPE_CHECKING:
    import polars as pl

    from venire.stats.ratings.table import PrimarySet


class Bias(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of bias, of one judge."""

    name: str
    """The kind of bias."""
    judge: str
    """The judge; empty if the measure is not of a single judge."""
    about: str = ""
    """What it is about, such as the language; empty if the name says it all."""
    estimate: Estimate
    """The measure with its interval, or why it is not known."""
    observations: int
    """How many observations it rests on."""
    smallest: int
    """How many it needs; below, it stays silent."""
    meaning: str
    """What the number says, in words."""
    details: dict[str, float] = {}
    """Further numbers that help to read it."""


def measured(
    name: str,
    judge: str,
    estimate: Estimate,
    *,
    observations: int,
    smallest: int,
    meaning: str,
    about: str = "",
    details: dict[str, float] | None = None,
) -> Bias:
    """Make a measure, which is not known if it rests on fewer observations than it needs."""
    if observations < smallest:
        reason = say("reason.few_observations", found=observations, least=smallest)
        estimate, details = Estimate.unknown(estimate.method, reason, n=estimate.n), None
    return Bias(
        name=name, judge=judge, about=about, estimate=estimate, observations=observations, smallest=smallest,
        meaning=meaning, details=details or {},
    )  # fmt: skip


def silent(name: str, reason: str, *, smallest: int, meaning: str) -> Bias:
    """Make a measure that no judge has, with the reason."""
    return Bias(
        name=name, judge="", estimate=Estimate.unknown(name, reason), observations=0, smallest=smallest, meaning=meaning
    )


def beside_others(primary: PrimarySet, dimension: str | None = None) -> pl.DataFrame:
    """Return each score on 0–10 with `apart`: how far it lies above the mean of other judges on the same output.

    Others are those who do not judge themselves there. A score that nobody else stands beside has no `apart` (NaN), nor
    has one whose scale is not known.
    """
    import polars as pl

    frame = primary.scores(dimension)
    scores = normalise(*(frame[name] for name in ("score", "minimum", "maximum")))
    units, unit = number_groups(frame, ["unit"])
    own = (frame["method"] == Method.SELF_JUDGE.value).fill_null(value=False).to_numpy()
    counted = ~own & ~np.isnan(scores)
    counts = np.bincount(unit[counted], minlength=units.height).astype(np.float64)
    sums = np.bincount(unit[counted], weights=scores[counted], minlength=units.height)
    others = counts[unit] - counted
    apart = np.full(len(scores), np.nan)
    np.divide(sums[unit] - np.where(counted, scores, 0.0), others, out=apart, where=others > 0)
    return frame.with_columns(score=pl.Series(scores), apart=pl.Series(scores - apart), itself=pl.Series(own))
