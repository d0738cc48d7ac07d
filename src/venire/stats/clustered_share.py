"""A share of successes that come in clusters, such as several judges' verdicts on one sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.clustered import clustered_mean
from venire.stats.intervals import wilson_interval
from venire.stats.quantile import t_quantile
from venire.stats.result import Estimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def clustered_share(successes: ArrayLike, clusters: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Give a share of 1s among 0s and 1s with Wilson's interval, widened for clusters.

    If no cluster has two values, it is Wilson's interval itself. Otherwise the number of trials is the effective one,
    share·(1 − share)/variance with the variance clustered, at most the number of values, and the quantile is Student's
    with G − 1 degrees of freedom (Dean & Pagano 2015, Evaluating confidence interval methods for binomial proportions
    in clustered surveys, J. Survey Stat. Methodol. 3, 484–503). Where the variance cannot be seen (a share of 0 or 1,
    or equal clusters) each cluster counts as one trial, which is the cautious end.
    """
    estimate = clustered_mean(successes, clusters, level=level)
    values, groups = estimate.n["values"], estimate.n["clusters"]
    if estimate.value is None:
        return Estimate.unknown("share; Wilson score interval", estimate.reason, n=estimate.n)
    share = min(max(estimate.value, 0.0), 1.0)
    if values == groups:
        plain = wilson_interval(round(share * values), values, level=level)
        return Estimate(
            value=plain.value, low=plain.low, high=plain.high, level=level, standard_error=plain.standard_error,
            method="share; Wilson score interval", n=estimate.n,
        )  # fmt: skip
    method = "share; Wilson score interval, effective trials by cluster, t quantile with G−1 degrees of freedom"
    if groups < 2:
        return Estimate(value=share, method=method, n=estimate.n, reason=estimate.reason)
    trials = float(groups)
    if estimate.standard_error and 0 < share < 1:
        trials = min(float(values), share * (1 - share) / estimate.standard_error**2)
    quantile = t_quantile(level, groups - 1)
    scale = 1 + quantile**2 / trials
    centre = (share + quantile**2 / (2 * trials)) / scale
    margin = quantile / scale * math.sqrt(share * (1 - share) / trials + quantile**2 / (4 * trials**2))
    tiny = float(np.finfo(np.float64).eps)
    return Estimate(
        value=share,
        low=0.0 if share <= tiny else max(0.0, centre - margin),
        high=1.0 if share >= 1 - tiny else min(1.0, centre + margin),
        level=level,
        standard_error=estimate.standard_error,
        method=method,
        n={**estimate.n, "effective trials": max(1, round(trials))},
    )


def share_difference(first: Estimate, second: Estimate) -> Estimate:
    """Give second minus first of two independent shares by Newcombe's hybrid of their score intervals.

    Newcombe 1998, Interval estimation for the difference between independent proportions, Stat. Med. 17, 873–890,
    method 10; each share brings its own interval, so clustered ones may be used.
    """
    method = "difference of shares; Newcombe's hybrid score interval"
    n = {
        f"{side} {name}": count for side, one in (("first", first), ("second", second)) for name, count in one.n.items()
    }
    if first.value is None or second.value is None:
        return Estimate.unknown(method, first.reason or second.reason, n=n)
    value = second.value - first.value
    ends = (first.low, first.high, second.low, second.high)
    if any(end is None for end in ends):
        return Estimate(value=value, method=method, n=n, reason=first.reason or second.reason)
    low_1, high_1, low_2, high_2 = (end or 0.0 for end in ends)
    return Estimate(
        value=value,
        low=max(-1.0, value - math.hypot(second.value - low_2, high_1 - first.value)),
        high=min(1.0, value + math.hypot(high_2 - second.value, first.value - low_1)),
        level=first.level,
        method=method,
        n=n,
    )
