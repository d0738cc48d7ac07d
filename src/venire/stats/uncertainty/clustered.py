"""The mean of values that come in clusters, such as many samples of one question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.observations import floats_and_sum, number, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.cluster_robust import Correction, RobustError, combine_clusters, require_correction
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS, NO_VARIATION, ONE_OBSERVATION, require_level
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

_CHUNK = 1 << 14  # Values that are worked on at a time, so that deviations stay in the processor's cache.


def clustered_mean(
    values: ArrayLike, clusters: ArrayLike, *, kind: Correction = "CR2", level: float = 0.95
) -> Estimate:
    """Give the mean with a standard error that allows for correlation inside clusters.

    The variance is Σ_g (Σ_{i∈g} (xᵢ − x̄))² / (1 − n_g/n) / n²: the cluster-robust estimate of an intercept, CR2, and
    the interval uses t with Satterthwaite's degrees of freedom (Pustejovsky & Tipton 2018). Of equal clusters it is
    CR1, which has the factor G/(G−1) in place of 1/(1 − n_g/n), and G−1 degrees of freedom; CR0 has no factor (Cameron
    & Miller 2015, A Practitioner's Guide to Cluster-Robust Inference, §II and §VI). If each value is its own cluster,
    this is the usual t interval. Values that are missing, or whose cluster is, are left out and counted.
    """
    return mean_and_error(values, clusters, kind=kind, level=level)[0]


def mean_and_error(
    values: ArrayLike, clusters: ArrayLike, *, kind: Correction = "CR2", level: float = 0.95
) -> tuple[Estimate, RobustError | None]:
    """Give the clustered mean, and its error with the degrees of freedom that a test needs; None if it has none."""
    require_level(level)
    require_correction(kind)
    method = say(f"method.clustered_mean_{kind.lower()}")
    array, total = floats_and_sum(values)
    array, names = array.ravel(), np.asarray(clusters)
    bound, codes, is_incomplete = number(names)
    require_same_length("values", array, "clusters", codes)
    given = len(array)
    if math.isnan(total) or is_incomplete:
        there = ~np.isnan(array) & (codes >= 0)
        array, codes = array[there], codes[there]
        total = float(array.sum())
    if not len(array):
        n = {"values": 0, "clusters": 0, "missing": given}
        return Estimate.unknown(method, NO_OBSERVATIONS, n=n), None
    mean = total / len(array)
    by_cluster, squares = _sum_deviations(array, mean, codes, bound)
    sizes = np.bincount(codes, minlength=bound)
    used = sizes > 0
    groups = int(np.count_nonzero(used))
    n = {"values": len(array), "clusters": groups, "missing": given - len(array)}
    if groups == 1:
        reason = ONE_OBSERVATION if len(array) == 1 else say("reason.one_cluster")
        return Estimate(value=mean, method=method, n=n, reason=reason), None
    found = combine_clusters(
        by_cluster[used][None, :] / len(array), sizes[used][None, :].astype(np.float64), np.ones(1), kind
    )
    error = found.error
    # Below this, only rounding is left of deviations that cancel in every cluster.
    if error <= np.finfo(np.float64).eps * (abs(mean) + 8 * math.sqrt(squares / len(array))):
        reason = NO_VARIATION if array.min() == array.max() else say("reason.no_variation_clusters")
        return Estimate(value=mean, method=method, n=n, reason=reason), None
    margin = t_quantile(level, found.degrees) * error
    estimate = Estimate(
        value=mean, low=mean - margin, high=mean + margin, level=level, standard_error=error, method=method, n=n
    )
    return estimate, found


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
        squares += float(np.einsum("i,i->", deviations, deviations))  # A matrix product would wake threads.
    return sums, squares
