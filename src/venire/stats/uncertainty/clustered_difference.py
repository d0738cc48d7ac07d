"""Differences and slopes with errors that allow for clusters which both sides share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

_NO_VARIATION = say("reason.no_variation_error")
_ROUNDING = 8 * float(np.finfo(np.float64).eps)  # An error below this share of the values is what rounding leaves.


def difference_of_means(
    values: ArrayLike, in_first: ArrayLike, clusters: ArrayLike, *, level: float = 0.95
) -> Estimate:
    """Give the mean of the values inside a group minus that of the values outside, clustered.

    Both sides may hold values of the same cluster; what they have in common then cancels, as it should. If they share
    none, each side has its own factor G/(G−1) and the degrees of freedom are Welch's (1947), as one side may have far
    fewer clusters. Missing values are left out and counted.
    """
    return difference_and_degrees(values, in_first, clusters, level=level)[0]


def difference_and_degrees(
    values: ArrayLike, in_first: ArrayLike, clusters: ArrayLike, *, level: float = 0.95
) -> tuple[Estimate, float]:
    """Give the difference of means and the degrees of freedom of its error, which a test needs; 0 if it has none."""
    method = say("method.clustered_difference")
    array, first = as_floats(values).ravel(), np.asarray(in_first, dtype=bool).ravel()
    codes = encode(clusters)[1]
    require_same_length("values", array, "group_marks", first)
    require_same_length("values", array, "clusters", codes)
    there = ~np.isnan(array) & (codes >= 0)
    total = len(array)
    array, first, codes = array[there], first[there], codes[there]
    inside, outside = int(first.sum()), int((~first).sum())
    n = {"first": inside, "second": outside, "clusters": len(np.unique(codes)), "missing": total - len(array)}
    if not inside or not outside:
        return Estimate.unknown(method, say("reason.no_observations_one_side"), n=n), 0.0
    means = np.array([array[~first].mean(), array[first].mean()])
    apart = array - means[first.astype(np.intp)]
    by_cluster = _summed(np.where(first, apart / inside, -apart / outside), codes)
    strata = [np.unique(codes[side]) for side in (first, ~first)]
    if np.isin(strata[0], strata[1]).any() or min(map(len, strata)) < 2:
        strata = [np.unique(codes)]
    else:
        method = say("method.clustered_difference_apart")
    rounding = _ROUNDING * float(np.abs(array).max())
    return _with_error(float(means[1] - means[0]), [by_cluster[each] for each in strata], method, n, level, rounding)


def slope_within(values: ArrayLike, against: ArrayLike, clusters: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Give the least-squares slope of values against a predictor inside clusters, each with a mean of its own."""
    method = say("method.slope")
    y, x, codes = as_floats(values).ravel(), as_floats(against).ravel(), encode(clusters)[1]
    require_same_length("values", y, "predictors", x)
    require_same_length("values", y, "clusters", codes)
    there = ~(np.isnan(y) | np.isnan(x)) & (codes >= 0)
    total = len(y)
    y, x, codes = y[there], x[there], codes[there]
    n = {"values": len(y), "clusters": len(np.unique(codes)), "missing": total - len(y)}
    if not len(y):
        return Estimate.unknown(method, say("reason.no_observations"), n=n)
    largest = float(np.abs(y).max())
    y, x = _centred(y, codes), _centred(x, codes)
    spread = float(x @ x)
    if spread <= 1e-12 * max(1.0, float(np.abs(as_floats(against)[there]).max())) ** 2:
        return Estimate.unknown(method, say("reason.no_variation_predictor"), n=n)
    slope = float(x @ y) / spread
    rounding = _ROUNDING * (abs(slope) + largest / math.sqrt(spread))
    by_cluster = _summed(x * (y - slope * x) / spread, codes)
    return _with_error(slope, [by_cluster[np.unique(codes)]], method, n, level, rounding)[0]


def _centred(values: FloatArray, codes: IntArray) -> FloatArray:
    counts = np.maximum(np.bincount(codes), 1)
    centred: FloatArray = values - (np.bincount(codes, weights=values) / counts)[codes]
    return centred


def _summed(influence: FloatArray, codes: IntArray) -> FloatArray:
    return np.bincount(codes, weights=influence).astype(np.float64, copy=False)


def _with_error(
    value: float, strata: list[FloatArray], method: str, n: dict[str, int], level: float, rounding: float
) -> tuple[Estimate, float]:
    """Give a value its error from the influence of each cluster, by strata, and the error's degrees of freedom."""
    if n["clusters"] < 2:
        return Estimate(value=value, method=method, n=n, reason=say("reason.one_cluster")), 0.0
    variances = [len(influence) / (len(influence) - 1) * float(influence @ influence) for influence in strata]
    error = math.sqrt(sum(variances))
    if error <= rounding:
        return Estimate(value=value, method=method, n=n, reason=_NO_VARIATION), 0.0
    shares = [variance / sum(variances) for variance in variances]
    degrees = 1 / sum(share**2 / (len(each) - 1) for share, each in zip(shares, strata, strict=True))
    margin = t_quantile(level, degrees) * error
    found = Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method, n=n
    )
    return found, degrees
