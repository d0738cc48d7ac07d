"""Quantiles and tails of the normal and Student's t distribution; SciPy is imported when t is first asked for."""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_STANDARD = NormalDist()


def normal_quantile(level: float) -> float:
    """Return z such that a standard normal lies within ±z with probability `level`.

    >>> round(normal_quantile(0.95), 4)
    1.96
    """
    return _STANDARD.inv_cdf(0.5 + level / 2)


@lru_cache(maxsize=256)
def t_quantile(level: float, degrees: float) -> float:
    """Return t such that Student's t with so many degrees of freedom lies within ±t with probability `level`."""
    from scipy.special import stdtrit

    return float(stdtrit(degrees, 0.5 + level / 2))


def normal_two_sided(z: float) -> float:
    """Return the probability that a standard normal lies at least as far from 0 as z."""
    return math.erfc(abs(z) / math.sqrt(2))


def t_two_sided(t: float, degrees: float) -> float:
    """Return the probability that Student's t lies at least as far from 0 as t."""
    from scipy.special import stdtr

    return float(min(1.0, 2 * stdtr(degrees, -abs(t))))
