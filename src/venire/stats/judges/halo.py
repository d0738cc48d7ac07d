"""Halo: whether a judge's dimensions move together more than the outputs make them.

The correlation of two dimensions in one judge's scores holds the halo and what the outputs have in common; between two
judges it holds only the latter. Their difference is the halo (Campbell & Fiske 1959, multitrait–multimethod matrix).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.judges.bias import Bias, measured, silent
from venire.stats.observations import as_floats
from venire.stats.ratings.grouping import cluster_codes, number_groups
from venire.stats.result import Estimate
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from venire.stats.observations import FloatArray, IntArray
    from venire.stats.ratings.table import PrimarySet

SMALLEST = 30
"""How many outputs a judge must have scored on two dimensions or more."""

_GROUPS = 50
_MEANING = say("meaning.halo")
_METHOD = say("method.halo")


def halo(primary: PrimarySet, *, level: float = 0.95) -> tuple[Bias, ...]:
    """Give each judge's halo; of a judge alone, only the correlation inside it is known, which the details hold."""
    frame = primary.table.frame.filter(
        primary.table.frame["score"].is_not_null() & (primary.table.frame["dimension"] != "")
    )
    judges, judge = number_groups(frame, ["rater"])
    dimensions, dimension = number_groups(frame, ["dimension"])
    if dimensions.height < 2:
        return (silent(say("method.bias.halo"), say("reason.two_dimensions"), smallest=SMALLEST, meaning=_MEANING),)
    units, unit = number_groups(frame, ["unit"])
    width = dimensions.height
    table = np.full((units.height, judges.height * width), np.nan)
    table[unit, judge * width + dimension] = as_floats(frame["score"].to_numpy())
    group = np.zeros(units.height, dtype=np.intp)
    group[unit] = cluster_codes(frame)
    sums = _grouped_sums(table, group % _GROUPS)
    total = sums.sum(axis=0)
    everything = _correlations(total)
    left_out = [_correlations(total - part) for part in sums]
    found = []
    for place, name in enumerate(judges["rater"].cast(str)):
        own = ~np.isnan(table[:, place * width : (place + 1) * width])
        outputs = int((own.sum(axis=1) > 1).sum())
        within, across = _means(everything, place, width)
        estimate = _jackknife(within, across, [_means(each, place, width) for each in left_out], outputs, level)
        details = {} if math.isnan(within) else {"within the judge": within}
        if not math.isnan(across):
            details["across judges"] = across
        found.append(
            measured(
                "halo", name, estimate, observations=outputs, smallest=SMALLEST, meaning=_MEANING, details=details
            )
        )  # fmt: skip
    return tuple(found)


def _grouped_sums(table: FloatArray, group: IntArray) -> FloatArray:
    """Return for each group the sums from which correlations of all pairs of columns follow."""
    there = ~np.isnan(table)
    counts = np.maximum(there.sum(axis=0), 1)
    # Centred first: sums of raw squares would lose digits to a common offset.
    values = np.where(there, table - np.where(there, table, 0.0).sum(axis=0) / counts, 0.0)
    present = there.astype(np.float64)
    order = np.argsort(group, kind="stable")
    cuts = np.flatnonzero(np.diff(group[order])) + 1
    return np.array(
        [
            [m.T @ m, x.T @ m, (x * x).T @ m, x.T @ x]
            for rows in np.split(order, cuts)
            for x, m in [(values[rows], present[rows])]
        ]
    )


def _correlations(sums: FloatArray) -> FloatArray:
    n, first, squares, products = sums
    count = np.maximum(n, 1.0)
    spread = squares - first**2 / count
    spread[spread <= 1e-12 * np.maximum(squares, 1e-300)] = 0.0
    scale = np.sqrt(spread) * np.sqrt(spread.T)
    correlations = np.full(n.shape, np.nan)
    np.divide(products - first * first.T / count, scale, out=correlations, where=(scale > 0) & (n > 2.5))
    return correlations


def _means(correlations: FloatArray, judge: int, width: int) -> tuple[float, float]:
    """Return the mean correlation of different dimensions within the judge and across judges."""
    rows = correlations[judge * width : (judge + 1) * width].reshape(width, -1, width)
    different: NDArray[np.bool_] = ~np.eye(width, dtype=bool)
    within = rows[:, judge][different]
    across = np.delete(rows, judge, axis=1).transpose(1, 0, 2)[:, different]
    return _mean(within), _mean(across)


def _mean(values: FloatArray) -> float:
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) else math.nan


def _jackknife(
    within: float, across: float, left_out: list[tuple[float, float]], outputs: int, level: float
) -> Estimate:
    n = {"outputs": outputs, "groups": len(left_out)}
    if math.isnan(within):
        return Estimate.unknown(_METHOD, say("reason.no_dimension_correlation"), n=n)
    if math.isnan(across):
        return Estimate.unknown(_METHOD, say("reason.no_other_judge"), n=n)
    value = within - across
    values = np.array([one - two for one, two in left_out])
    groups = len(values)
    if groups < 2 or np.isnan(values).any():
        return Estimate(value=value, method=_METHOD, n=n, reason=say("reason.no_interval.few_questions"))
    error = math.sqrt((groups - 1) / groups * float(((values - values.mean()) ** 2).sum()))
    if error <= 1e-12:
        return Estimate(value=value, method=_METHOD, n=n, reason=say("reason.no_variation_error"))
    margin = t_quantile(level, groups - 1) * error
    return Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=_METHOD, n=n
    )
