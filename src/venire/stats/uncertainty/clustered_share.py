"""A share of successes that come in clusters, such as several judges' verdicts on one sample."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.errors import UsageError
from venire.stats.observations import as_floats
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import mean_and_error
from venire.stats.uncertainty.intervals import wilson_interval
from venire.stats.uncertainty.quantile import normal_quantile, t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray

FEWEST_OF_EACH = 5
"""How many successes, and how many failures, Wilson's interval needs to keep its level."""


def clustered_share(successes: ArrayLike, clusters: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Give a share of 1s among 0s and 1s with an interval that allows for clusters.

    If no cluster has two values, it is Wilson's interval, or Clopper and Pearson's where fewer than five values are 1,
    or fewer than five are 0, for which Wilson's covers too little. Otherwise it is that of Korn & Graubard (1998,
    Confidence intervals for proportions with small expected number of positive counts estimated from survey data,
    Survey Methodology 24, 193–201): Clopper and Pearson's for the effective number of trials, share·(1 −
    share)/variance with the variance clustered, times (z/t)² with t of that variance's degrees of freedom. Unlike
    theirs the trials are not bound by the number of values: with that bound, copies of every value would narrow the
    share of clusters that vary less than chance. It keeps its coverage for rare successes, where the variance itself
    is uncertain. Where no variance is seen (a share of 0 or 1, or equal clusters) each cluster counts as one trial,
    which is the cautious end and needs no t.
    """
    estimate, error = mean_and_error(require_shares(successes), clusters, level=level)
    values, groups = estimate.n["values"], estimate.n["clusters"]
    if estimate.value is None:
        return Estimate.unknown(say("method.wilson_share"), estimate.reason, n=estimate.n)
    share = min(max(estimate.value, 0.0), 1.0)
    if values == groups and min(round(share * values), values - round(share * values)) < FEWEST_OF_EACH:
        low, high = _clopper_pearson(share, values, level)
        return Estimate(
            value=share, low=low, high=high, level=level, standard_error=math.sqrt(share * (1 - share) / values),
            method=say("method.exact_share"), n=estimate.n,
        )  # fmt: skip
    if values == groups:
        plain = wilson_interval(round(share * values), values, level=level)
        return Estimate(
            value=plain.value, low=plain.low, high=plain.high, level=level, standard_error=plain.standard_error,
            method=say("method.wilson_share"), n=estimate.n,
        )  # fmt: skip
    method = say("method.korn_graubard")
    if groups < 2:
        return Estimate(value=share, method=method, n=estimate.n, reason=estimate.reason)
    trials, shrunk = float(groups), 1.0
    if error is not None and math.isfinite(error.error) and 0 < share < 1:
        trials = share * (1 - share) / error.error**2
        shrunk = (normal_quantile(level) / t_quantile(level, error.degrees)) ** 2
    low, high = _clopper_pearson(share, trials * shrunk, level)
    return Estimate(
        value=share,
        low=low,
        high=high,
        level=level,
        standard_error=estimate.standard_error,
        method=method,
        n={**estimate.n, "effective trials": max(1, round(trials))},
    )


def effective_share_interval(
    share: float, error: float, clusters: int, degrees: float, level: float
) -> tuple[float, float]:
    """Return Korn and Graubard's interval of a share from its error; without one, each cluster counts as one trial."""
    trials, shrunk = float(clusters), 1.0
    if error > 0 and 0 < share < 1:
        trials = share * (1 - share) / error**2
        shrunk = (normal_quantile(level) / t_quantile(level, degrees)) ** 2
    return _clopper_pearson(share, trials * shrunk, level)


def require_shares(successes: ArrayLike) -> FloatArray:
    """Return successes as numbers. Raises `UsageError` for any that is neither 0 nor 1 nor missing."""
    array = as_floats(successes)
    if not (np.isnan(array) | (array == 0) | (array == 1)).all():
        raise UsageError("error.stats.not_binary")
    return array


def _clopper_pearson(share: float, trials: float, level: float) -> tuple[float, float]:
    from scipy.special import betaincinv  # Start-up stays quick.

    hits, misses, tail = share * trials, (1 - share) * trials, (1 - level) / 2
    tiny = float(np.finfo(np.float64).eps)
    low = 0.0 if share <= tiny else float(betaincinv(hits, misses + 1, tail))
    high = 1.0 if share >= 1 - tiny else float(betaincinv(hits + 1, misses, 1 - tail))
    return low, high


def share_difference(first: Estimate, second: Estimate) -> Estimate:
    """Give second minus first of two independent shares by Newcombe's hybrid of their intervals.

    Newcombe 1998, Interval estimation for the difference between independent proportions, Stat. Med. 17, 873–890,
    method 10; each share brings its own interval, so that clustered ones may be used. Raises `UsageError` for what is
    no share from 0 to 1 inside of its interval, and for intervals of different levels.
    """
    for each in (first, second):
        if each.value is not None and not 0 <= (each.low or 0.0) <= each.value <= (each.high or each.value) <= 1:
            raise UsageError("error.stats.share_range", found=each.value)
    if None not in (first.level, second.level) and first.level != second.level:
        raise UsageError("error.stats.levels_differ", first=first.level, second=second.level)
    method = say("method.newcombe")
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
