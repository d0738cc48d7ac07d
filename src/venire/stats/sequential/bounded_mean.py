"""The mean of values between 0 and 1, by betting: an interval that holds at every look, whatever their distribution.

For each mean that is thought of, a bettor stakes on "it is more" and on "it is less", in games that are fair if that
mean is the true one. By Ville's inequality its wealth ever reaches 1/α with a probability of at most α then, so the
means at which it has not are a confidence sequence: hedged capital of Waudby-Smith & Ramdas 2024 (JRSS B 86, 1–27). The
wealth is shared out over fixed stakes as in Cover's universal portfolio (Orabona & Jun 2024, IEEE Trans. Inf. Theory
70, 436–455), so that the order of the values does not matter, and neither normality nor many values are asked for.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray

STAKES = np.append(np.geomspace(0.002, 0.9, 46), 0.999)
"""What is staked, as parts of the largest stake that cannot lose more than there is."""
WEALTH = -np.diff((1 - np.concatenate(([0.0], np.sqrt(STAKES[1:] * STAKES[:-1]), [1.0]))) ** 0.25) / 2
"""What part of the wealth is on each stake for "more", and as much for "less": shared out like Beta(1, ¼).

Half of it is on stakes of nearly everything, which decide early; the small ones find small differences in many values.
`bench.stats.sequential` shows what that gives.
"""

_LOG_WEALTH = np.tile(np.log(WEALTH), 2)
_GRID = 2000
"""Into how many steps the scale is cut where there are more distinct values than that."""
_NEAR = 1e-9
"""How near to the ends of the scale a mean is looked for."""


def gathered(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the distinct values and how many there are of each.

    Where they are many, each is split between its two neighbours on a fine grid, with the same mean. Logarithms are
    concave, so that the wealth is never more than that of the values themselves: what holds for one holds for both.
    """
    there = np.asarray(np.round(np.clip(values, 0, 1), 12), dtype=np.float64)
    distinct, counts = np.unique(there, return_counts=True)
    if len(distinct) <= _GRID:
        return distinct, counts.astype(np.float64)
    below = np.minimum((distinct * _GRID).astype(np.int64), _GRID - 1)
    upper = distinct * _GRID - below
    parts = np.bincount(below, weights=counts * (1 - upper), minlength=_GRID + 1)
    parts += np.bincount(below + 1, weights=counts * upper, minlength=_GRID + 1)
    return np.linspace(0.0, 1.0, _GRID + 1), np.asarray(parts, dtype=np.float64)


def log_wealth(values: FloatArray, counts: FloatArray, mean: float) -> float:
    """Return the logarithm of the wealth of who bets that the mean is another one, strictly between 0 and 1."""
    more = np.log1p(STAKES[:, None] * (values / mean - 1)) @ counts
    less = np.log1p(STAKES[:, None] * ((1 - values) / (1 - mean) - 1)) @ counts
    logs = np.concatenate([more, less]) + _LOG_WEALTH
    largest = float(logs.max())
    return largest + math.log(float(np.exp(logs - largest).sum()))


def mean_interval(values: FloatArray, counts: FloatArray, alpha: float) -> tuple[float, float]:
    """Return the least and the greatest mean at which the wealth is below 1/α.

    The wealth is convex in the mean that is bet against, and at most 1 at the mean of the values: so there is one end
    on either side of it.
    """
    from scipy.optimize import brentq  # Start-up stays quick.

    def excess(mean: float) -> float:
        return log_wealth(values, counts, mean) + math.log(alpha)

    least, most = _NEAR, 1 - _NEAR
    centre = min(max(float(values @ counts / counts.sum()), least), most)
    find = partial(brentq, excess, xtol=1e-10)
    low = find(least, centre) if centre > least and excess(least) > 0 else 0.0
    high = find(centre, most) if centre < most and excess(most) > 0 else 1.0
    return float(low), float(high)
