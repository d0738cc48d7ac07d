"""How much each judge moves the panel: the panel mean with and without the judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.stats.observations import as_floats, require_same_length, scores_by_judge
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.intervals import t_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """The panel mean with and without one judge, on the units that have a panel score either way."""

    judge: Any
    """The judge that was left out."""
    with_judge: Estimate
    """The mean panel score with the judge."""
    without_judge: Estimate
    """The mean panel score without the judge."""
    difference: Estimate
    """With minus without, paired by unit: how far the judge moves the panel."""


def leave_one_judge_out(
    scores: ArrayLike,
    judges: Sequence[Any],
    *,
    weights: ArrayLike | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> tuple[LeftOut, ...]:
    """Give the panel mean with and without each judge, from a table of units × judges with NaN for missing.

    Weights are renormalised over the judges present on a unit. A unit that only the judge scored has no panel score
    without that judge and counts on neither side: otherwise the two means would be of different units.
    """
    table = scores_by_judge(scores, judges)
    share = np.ones(len(judges)) if weights is None else as_floats(weights)
    require_same_length("judges", judges, "values", share)
    everyone = _panel_scores(table, share)
    names = np.arange(len(table)) if clusters is None else np.asarray(clusters)

    def mean(values: FloatArray) -> Estimate:
        return t_interval(values, level=level) if clusters is None else clustered_mean(values, names, level=level)

    results = []
    for index, judge in enumerate(judges):
        others = share.copy()
        others[index] = 0.0
        without = _panel_scores(table, others)
        common = np.where(np.isnan(without), np.nan, everyone)
        results.append(
            LeftOut(
                judge=judge, with_judge=mean(common), without_judge=mean(without), difference=mean(common - without)
            )
        )
    return tuple(results)


def _panel_scores(table: FloatArray, weights: FloatArray) -> FloatArray:
    there = ~np.isnan(table)
    present = there @ weights
    total = np.where(there, table, 0.0) @ weights
    scores: FloatArray = np.full(len(table), np.nan)
    np.divide(total, present, out=scores, where=present > 0)
    return scores
