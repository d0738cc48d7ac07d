"""The mean of values that come in clusters, such as many samples of one question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.observations import floats_and_sum, number, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS, NO_VARIATION, ONE_OBSERVATION
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

_CHUNK = 1 << 14  # Values that are worked on at a time, so that deviations stay in the processor's cache.


def clustered_mean(values: ArrayLike, clusters: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Give the mean with a standard error that allows for correlation inside clusters.

    The variance is G/(G−1) · Σ_g (Σ_{i∈g} (xᵢ − x̄))² / n²: the cluster-robust estimate of an intercept with the
    small-sample factor CR1, which is G/(G−1) · (n−1)/(n−1) here (Cameron & Miller 2015, A Practitioner's Guide to
    Cluster-Robust Inference, §II and §VI). The interval uses t with G−1 degrees of freedom. If each value is its own
    cluster, this is the usual t interval. Values that are missing, or whose cluster is, are left out and counted.
    """
    method = say("method.clustered_mean")
    array, total = floats_and_sum(values)
    array, names = array.ravel(), np.asarray(clusters)
    bound, codes = number(names)
    require_same_length("values", array, "clusters", codes)
    given = len(array)
    if math.isnan(total) or (names.dtype.kind not in "iub" and codes.min(initial=0) < 0):
        there = ~np.isnan(array) & (codes >= 0)
        array, codes = array[there], codes[there]
        total = float(array.sum())
    if not len(array):
        n = {"values": 0, "clusters": 0, "missing": given}
        return Estimate.unknown(method, NO_OBSERVATIONS, n=n)
    mean = total / len(array)
    by_cluster, squares = _sum_deviations(array, mean, codes, bound)
    groups = _count_groups(by_cluster, codes)
    n = {"values": len(array), "clusters": groups, "missing": given - len(array)}
    if groups == 1:
        reason = ONE_OBSERVATION if len(array) == 1 else say("reason.one_cluster")
        return Estimate(value=mean, method=method, n=n, reason=reason)
    error = math.sqrt(groups / (groups - 1) * float(by_cluster @ by_cluster)) / len(array)
    # Below this, only rounding is left of deviations that cancel in every cluster.
    if error <= np.finfo(np.float64).eps * (abs(mean) + 8 * math.sqrt(squares / len(array))):
        reason = NO_VARIATION if array.min() == array.max() else say("reason.no_variation_clusters")
        return Estimate(value=mean, method=method, n=n, reason=reason)
    margin = t_quantile(level, groups - 1) * error
    return Estimate(
        value=mean, low=mean - margin, high=mean + margin, level=level, standard_error=error, method=method, n=n
    )


def _sum_deviations(array: FloatArray, mean: float, codes: IntArray, bound: int) -> tuple[FloatArray, float]:
    """Return the sum of deviations from the mean in each cluster, and the sum of their squares.

    Deviations are summed, not raw values: a large common offset would cancel the difference away.
    """
    sums, squares = np.zeros(bound), 0.0
    step = max(_CHUNK, bound)
    for start in range(0, len(array), step):
        rows = slice(start, start + step)
        deviations = array[rows] - mean
        sums += np.bincount(codes[rows], weights=deviations, minlength=bound)
        squares += float(deviations @ deviations)
    return sums, squares


def _count_groups(by_cluster: FloatArray, codes: IntArray) -> int:
    """Count the clusters that have values: all whose deviations do not sum to 0, and those that are found there."""
    groups = int(np.count_nonzero(by_cluster))
    return groups if groups == len(by_cluster) else int(np.count_nonzero(np.bincount(codes)))
