"""How small a difference a comparison can find, and how many samples it takes to find one."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from venire.errors import UsageError
from venire.stats.observations import require_correlation, require_finite
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable

_MOST_SAMPLES = 10**9


def design_effect(cluster_size: float, intraclass_correlation: float) -> float:
    """Return by how much clustering inflates a variance: 1 + (m − 1)·ρ (Kish 1965, Survey Sampling, §5.4).

    Raises `UsageError` for a size below 1, and for a correlation that clusters of this size cannot have.
    """
    require_finite("cluster_size", cluster_size)
    if cluster_size < 1:
        raise UsageError("error.stats.cluster_size", found=f"{cluster_size:g}")
    require_correlation(intraclass_correlation, -1 / max(cluster_size - 1, 1.0))
    return 1 + (cluster_size - 1) * intraclass_correlation


def paired_power(
    difference: float, standard_deviation: float, n: float, *, alpha: float = 0.05, variance_inflation: float = 1.0
) -> float:
    """Return the probability that a two-sided paired t test finds a true mean difference (noncentral t).

    `standard_deviation` is that of the differences; both tails count, also the one on the wrong side. Raises
    `UsageError` for a difference of 0, which nothing can find, and for a spread or a number of pairs that no test can
    have.
    """
    require_level(alpha)
    given = (difference, standard_deviation, n, variance_inflation)
    if not all(math.isfinite(each) for each in given) or standard_deviation <= 0 or n < 2 or variance_inflation <= 0:
        raise UsageError("error.stats.power", found=", ".join(f"{each:g}" for each in given))
    if difference == 0:
        raise UsageError("error.stats.power_of_nothing")
    return _power(difference, standard_deviation, n, alpha, variance_inflation)


def _power(difference: float, standard_deviation: float, n: float, alpha: float, variance_inflation: float) -> float:
    from scipy.special import nctdtr

    degrees = n - 1
    critical = t_quantile(1 - alpha, degrees)
    shift = abs(difference) / standard_deviation * math.sqrt(n / variance_inflation)
    if (
        shift > 37
    ):  # beyond the range of the noncentral t routine; the probability is 1 to double precision for any n > 2
        return 1.0
    below = float(nctdtr(degrees, shift, critical))
    far_side = float(nctdtr(degrees, shift, -critical))
    return min(1.0, 1 - below + (far_side if math.isfinite(far_side) else 0.0))


def minimum_detectable_effect(
    standard_deviation: float, n: int, *, alpha: float = 0.05, power: float = 0.8, variance_inflation: float = 1.0
) -> Estimate:
    """Give the smallest true mean difference that n pairs find with the given power, in the units of the scores.

    `variance_inflation` is the design effect of clustering. Fewer than two pairs, or no spread, give "not known".
    """
    require_finite("n", n)
    method = say("method.minimum_detectable_effect", alpha=alpha, power=power)
    reason = _cannot(standard_deviation, alpha, power, variance_inflation)
    if n < 2 or reason:
        return Estimate.unknown(method, reason or say("reason.two_pairs"), n={"pairs": n})

    def missing_power(difference: float) -> float:
        return _power(difference, standard_deviation, n, alpha, variance_inflation) - power

    high = standard_deviation * math.sqrt(variance_inflation / n)
    for _ in range(60):
        if missing_power(high) >= 0:
            found = _halve(missing_power, high, 1e-10 * standard_deviation)
            return Estimate(value=found, method=method, n={"pairs": n})
        high *= 2
    return Estimate.unknown(method, say("reason.few_pairs_for_power"), n={"pairs": n})


def _halve(function: Callable[[float], float], high: float, width: float) -> float:
    """Return where a function that grows from below 0 passes it; importing SciPy's search takes longer than this."""
    low = 0.0
    while high - low > max(width, 1e-15 * high):
        middle = (low + high) / 2
        low, high = (low, middle) if function(middle) >= 0 else (middle, high)
    return (low + high) / 2


def samples_needed(
    difference: float,
    standard_deviation: float,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    variance_inflation: float = 1.0,
) -> Estimate:
    """Give the least number of pairs with which a two-sided paired t test finds a difference with the given power.

    >>> samples_needed(0.5, 1.0).value
    34.0
    """
    method = say("method.samples_needed", alpha=alpha, power=power)
    reason = _cannot(standard_deviation, alpha, power, variance_inflation)
    if reason or not math.isfinite(difference) or difference == 0:
        return Estimate.unknown(method, reason or say("reason.no_difference"))

    def enough(n: int) -> bool:
        found = paired_power(difference, standard_deviation, n, alpha=alpha, variance_inflation=variance_inflation)
        return found >= power

    high = 2
    while not enough(high):
        high *= 2
        if high > _MOST_SAMPLES:
            return Estimate.unknown(method, say("reason.more_pairs", limit=_MOST_SAMPLES))
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return Estimate(value=float(max(high, 2)), method=method, n={"pairs": max(high, 2)})


def _cannot(standard_deviation: float, alpha: float, power: float, variance_inflation: float) -> str:
    if not (math.isfinite(standard_deviation) and standard_deviation > 0):
        return say("reason.no_spread")
    if not (0 < alpha < power < 1 and variance_inflation > 0):
        return say("reason.power_range")
    return ""
