"""Test–retest: how well a judge repeats itself when asked the same thing twice."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.intervals import NO_OBSERVATIONS, t_interval, wilson_interval
from venire.stats.observations import observed_pairs, paired_differences
from venire.stats.quantile import normal_quantile
from venire.stats.result import Estimate

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray

RELIABLE = 0.8
"""The correlation or ICC below which a warning is given."""


class RetestReliability(msgspec.Struct, frozen=True, kw_only=True):
    """How well second answers repeat the first."""

    exact_match: Estimate
    """The share of pairs with equal scores."""
    mean_absolute_difference: Estimate
    """The mean distance between first and second score."""
    correlation: Estimate
    """Pearson's correlation of first and second scores."""
    icc: Estimate
    """The intraclass correlation of single scores, one-way: ICC(1,1) of Shrout & Fleiss 1979."""
    warnings: tuple[str, ...]
    """What is below 0.8, in words; empty if nothing is or nothing is known."""


def retest_reliability(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> RetestReliability:
    """Compare first and second answers of a judge; pairs of which one is missing are left out.

    The two answers are exchangeable repeats, so the ICC is the one-way form.
    """
    one, two = observed_pairs(first, second)
    differences = paired_differences(one, two)
    correlation = _pearson(one, two, level)
    icc = _icc_one_way(one, two, level)
    warnings = tuple(
        f"{name} {estimate.value:.2f} is under {RELIABLE}"
        for name, estimate in (("correlation", correlation), ("ICC", icc))
        if estimate.value is not None and estimate.value < RELIABLE
    )
    return RetestReliability(
        exact_match=wilson_interval(int((differences == 0).sum()), len(differences), level=level),
        mean_absolute_difference=t_interval(np.abs(differences), level=level),
        correlation=correlation,
        icc=icc,
        warnings=warnings,
    )


def _pearson(one: FloatArray, two: FloatArray, level: float) -> Estimate:
    method = "Pearson's r; Fisher's z interval"
    n = {"pairs": len(one)}
    if len(one) < 3:
        return Estimate.unknown(method, "fewer than three pairs", n=n)
    a, b = one - one.mean(), two - two.mean()
    scale = math.sqrt(float(a @ a) * float(b @ b))
    if scale <= 1e-12 * float(np.abs(one).max() * np.abs(two).max() + 1e-300):
        return Estimate.unknown(method, "no variation", n=n)
    r = min(1.0, max(-1.0, float(a @ b) / scale))
    if len(one) < 4 or abs(r) >= 1 - 1e-12:
        reason = "fewer than four pairs" if len(one) < 4 else "a perfect correlation has no interval"
        return Estimate(value=r, method=method, n=n, reason=reason)
    margin = normal_quantile(level) / math.sqrt(len(one) - 3)
    low, high = (math.tanh(math.atanh(r) + side) for side in (-margin, margin))
    return Estimate(value=r, low=low, high=high, level=level, method=method, n=n)


def _icc_one_way(one: FloatArray, two: FloatArray, level: float) -> Estimate:
    method = "ICC(1,1), Shrout & Fleiss 1979; F interval"
    n = {"pairs": len(one)}
    if len(one) < 2:
        return Estimate.unknown(method, NO_OBSERVATIONS if not len(one) else "fewer than two pairs", n=n)
    means = (one + two) / 2
    between = 2 * float(((means - means.mean()) ** 2).sum()) / (len(one) - 1)
    within = float(((one - two) ** 2).sum()) / 2 / len(one)
    if between + within <= 1e-24 * float(np.abs(means).max() ** 2 + 1e-300):
        return Estimate.unknown(method, "no variation", n=n)
    value = (between - within) / (between + within)
    if within == 0 or between == 0:
        return Estimate(value=value, method=method, n=n, reason="perfect or reversed repetition has no interval")
    from scipy.special import fdtri

    ratio = between / within
    low = ratio / float(fdtri(len(one) - 1, len(one), 0.5 + level / 2))
    high = ratio * float(fdtri(len(one), len(one) - 1, 0.5 + level / 2))
    return Estimate(
        value=value, low=(low - 1) / (low + 1), high=(high - 1) / (high + 1), level=level, method=method, n=n
    )
