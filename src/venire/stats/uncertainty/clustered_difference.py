"""Differences and slopes with errors that allow for clusters which both sides share."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.observations import as_floats, encode, group_marks, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.cluster_robust import RobustError, combine_clusters, robust_error
from venire.stats.uncertainty.intervals import require_level
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

    Both sides may hold values of the same cluster; what they have in common then cancels, as it should. The error is
    CR2 with Satterthwaite's degrees of freedom, each side with a variance of its own; if each value is its own cluster,
    this is Welch's t interval (1947). Missing values are left out and counted.
    """
    return difference_and_degrees(values, in_first, clusters, level=level)[0]


def difference_and_degrees(
    values: ArrayLike, in_first: ArrayLike, clusters: ArrayLike, *, level: float = 0.95
) -> tuple[Estimate, float]:
    """Give the difference of means and the degrees of freedom of its error, which a test needs; 0 if it has none."""
    require_level(level)
    method = say("method.clustered_difference")
    array, first = as_floats(values).ravel(), group_marks(in_first)
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
    value = float(array[first].mean() - array[~first].mean())
    error = robust_error([(array[first], codes[first]), (-array[~first], codes[~first])])
    return _with_error(value, error, method, n, level, _ROUNDING * float(np.abs(array).max()))


def slope_within(values: ArrayLike, against: ArrayLike, clusters: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Give the least-squares slope of values against a predictor inside clusters, each with a mean of its own."""
    require_level(level)
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
    by_cluster, weight = _summed(x * (y - slope * x) / spread, codes), _summed(x * x, codes)
    used = np.unique(codes)
    # A slope is a mean of the slopes inside clusters, weighed by the spread of the predictor there.
    error = combine_clusters(by_cluster[used][None, :], weight[used][None, :], np.ones(1), "CR2")
    return _with_error(slope, error, method, n, level, rounding)[0]


def _centred(values: FloatArray, codes: IntArray) -> FloatArray:
    counts = np.maximum(np.bincount(codes), 1)
    centred: FloatArray = values - (np.bincount(codes, weights=values) / counts)[codes]
    return centred


def _summed(influence: FloatArray, codes: IntArray) -> FloatArray:
    return np.bincount(codes, weights=influence).astype(np.float64, copy=False)


def _with_error(
    value: float, found: RobustError, method: str, n: dict[str, int], level: float, rounding: float
) -> tuple[Estimate, float]:
    """Give a value its error, and the error's degrees of freedom."""
    if n["clusters"] < 2:
        return Estimate(value=value, method=method, n=n, reason=say("reason.one_cluster")), 0.0
    if not math.isfinite(found.error):
        return Estimate(value=value, method=method, n=n, reason=say("reason.one_cluster_side")), 0.0
    if found.error <= rounding:
        return Estimate(value=value, method=method, n=n, reason=_NO_VARIATION), 0.0
    margin = t_quantile(level, found.degrees) * found.error
    estimate = Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=found.error, method=method,
        n=n,
    )  # fmt: skip
    return estimate, found.degrees
