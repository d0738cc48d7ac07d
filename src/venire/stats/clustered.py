"""The mean of values that come in clusters, such as many samples of one question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.intervals import NO_OBSERVATIONS, NO_VARIATION, ONE_OBSERVATION
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.quantile import t_quantile
from venire.stats.result import Estimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def clustered_mean(values: ArrayLike, clusters: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Give the mean with a standard error that allows for correlation inside clusters.

    The variance is G/(G−1) · Σ_g (Σ_{i∈g} (xᵢ − x̄))² / n²: the cluster-robust estimate of an intercept with the
    small-sample factor CR1, which is G/(G−1) · (n−1)/(n−1) here (Cameron & Miller 2015, A Practitioner's Guide to
    Cluster-Robust Inference, §II and §VI). The interval uses t with G−1 degrees of freedom. If each value is its own
    cluster, this is the usual t interval. Values that are missing, or whose cluster is, are left out and counted.
    """
    method = "mean; standard error clustered, CR1 factor G/(G−1); t interval, G−1 degrees of freedom"
    array = as_floats(values).ravel()
    names, codes = encode(clusters)
    require_same_length("values", array, "clusters", codes)
    total, groups = len(array), len(names)
    if np.isnan(array.sum()) or bool((codes < 0).any()):
        there = ~np.isnan(array) & (codes >= 0)
        array, codes = array[there], codes[there]
        groups = int(np.count_nonzero(np.bincount(codes)))
    n = {"values": len(array), "clusters": groups, "missing": total - len(array)}
    if not len(array):
        return Estimate.unknown(method, NO_OBSERVATIONS, n=n)
    mean = float(array.mean())
    # Deviations are summed, not squares of raw values: a large common offset would cancel the difference away.
    by_cluster = np.bincount(codes, weights=array - mean)
    if groups == 1:
        reason = ONE_OBSERVATION if len(array) == 1 else "one cluster: how clusters differ is not known"
        return Estimate(value=mean, method=method, n=n, reason=reason)
    error = math.sqrt(groups / (groups - 1) * float(by_cluster @ by_cluster)) / len(array)
    if error <= np.finfo(np.float64).eps * abs(mean):
        reason = NO_VARIATION if array.min() == array.max() else "no variation between clusters"
        return Estimate(value=mean, method=method, n=n, reason=reason)
    margin = t_quantile(level, groups - 1) * error
    return Estimate(
        value=mean, low=mean - margin, high=mean + margin, level=level, standard_error=error, method=method, n=n
    )
