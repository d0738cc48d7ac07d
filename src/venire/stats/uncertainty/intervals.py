"""Intervals of a mean (normal, Student's t) and of a proportion (Wilson)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from venire.errors import UsageError
from venire.stats.observations import as_floats, observed, require_count
from venire.stats.result import Estimate
from venire.stats.uncertainty.quantile import normal_quantile, t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

NO_VARIATION = say("reason.equal_values")
ONE_OBSERVATION = say("reason.one_observation")
NO_OBSERVATIONS = say("reason.no_observations")


def require_level(level: float) -> None:
    """Raise `UsageError` unless the level is a share between 0 and 1."""
    if not 0 < level < 1:
        raise UsageError("error.stats.level", found=level)


def normal_interval(mean: float, standard_deviation: float, n: int, *, level: float = 0.95) -> Estimate:
    """Give the interval mean ± z·s/√n of a mean from its summary, with the sample standard deviation.

    >>> interval = normal_interval(8.26, 0.5, 100)
    >>> round(interval.high - interval.value, 3)
    0.098
    """
    require_level(level)
    require_count("n", n)
    method = say("method.normal_mean")
    if n < 1:
        return Estimate.unknown(method, NO_OBSERVATIONS, n={"values": n})
    if not (math.isfinite(mean) and math.isfinite(standard_deviation)):
        return Estimate.unknown(method, say("reason.not_finite"), n={"values": n})
    if n == 1 or standard_deviation <= 0:
        reason = ONE_OBSERVATION if n == 1 else NO_VARIATION
        return Estimate(value=mean, method=method, n={"values": n}, reason=reason)
    error = standard_deviation / math.sqrt(n)
    margin = normal_quantile(level) * error
    return Estimate(
        value=mean, low=mean - margin, high=mean + margin, level=level, standard_error=error, method=method,
        n={"values": n},
    )  # fmt: skip


def t_interval(values: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Give the mean of independent values with Student's t interval; the variance has the divisor n − 1.

    Missing values are left out and counted. Equal values give a mean without an interval.
    """
    require_level(level)
    method = say("method.t_mean")
    there = observed(values)
    n = {"values": len(there), "missing": as_floats(values).size - len(there)}
    if not len(there):
        return Estimate.unknown(method, NO_OBSERVATIONS, n=n)
    mean = float(there.mean())
    if len(there) == 1 or there.min() == there.max():
        reason = ONE_OBSERVATION if len(there) == 1 else NO_VARIATION
        return Estimate(value=float(there[0]), method=method, n=n, reason=reason)
    error = float(there.std(ddof=1)) / math.sqrt(len(there))
    margin = t_quantile(level, len(there) - 1) * error
    return Estimate(
        value=mean, low=mean - margin, high=mean + margin, level=level, standard_error=error, method=method, n=n
    )


def wilson_interval(successes: int, trials: int, *, level: float = 0.95) -> Estimate:
    """Give a proportion with Wilson's score interval, without continuity correction (Wilson 1927).

    >>> interval = wilson_interval(0, 20)
    >>> interval.value, interval.low, round(interval.high, 4)
    (0.0, 0.0, 0.1611)
    """
    require_level(level)
    require_count("successes", successes)
    require_count("trials", trials)
    method = say("method.wilson_proportion")
    n = {"trials": trials, "successes": successes}
    if trials < 1:
        return Estimate.unknown(method, NO_OBSERVATIONS, n=n)
    if not 0 <= successes <= trials:
        return Estimate.unknown(method, say("reason.not_a_proportion", successes=successes, trials=trials), n=n)
    share, z = successes / trials, normal_quantile(level)
    scale = 1 + z * z / trials
    centre = (share + z * z / (2 * trials)) / scale
    margin = z / scale * math.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return Estimate(
        value=share,
        # At the ends the formula gives 0 and 1 but for rounding.
        low=0.0 if successes == 0 else max(0.0, centre - margin),
        high=1.0 if successes == trials else min(1.0, centre + margin),
        level=level, standard_error=math.sqrt(share * (1 - share) / trials), method=method, n=n,
    )  # fmt: skip
