"""How large a paired difference is, free of the scale: Cohen's d_z, Hedges' g and the rank-biserial correlation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.comparison.paired import signed_ranks
from venire.stats.observations import paired_differences
from venire.stats.result import Estimate
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def cohen_d_z(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Give the mean difference in standard deviations of the differences (Cohen 1988, §2.3.5).

    The interval inverts the noncentral t distribution, which is exact for normal differences.
    """
    return _standardised(first, second, level, say("method.cohen_d"), corrected=False)


def hedges_g(first: ArrayLike, second: ArrayLike, *, level: float = 0.95) -> Estimate:
    """Give d_z without its upward bias in small samples, by the exact gamma factor (Hedges 1981)."""
    return _standardised(first, second, level, say("method.hedges_g"), corrected=True)


def rank_biserial(first: ArrayLike, second: ArrayLike) -> Estimate:
    """Give the share of favourable minus unfavourable rank sums, from −1 to 1 (Kerby 2014); zeros are dropped."""
    method = say("method.rank_biserial")
    differences = paired_differences(first, second)
    pairs = int((~np.isnan(differences)).sum())
    ranks, signs = signed_ranks(differences)
    n = {"pairs": pairs, "zeros": pairs - len(ranks)}
    if not len(ranks):
        return Estimate.unknown(method, say("reason.no_pairs") if not pairs else say("reason.all_zero"), n=n)
    return Estimate(value=float((ranks * signs).sum() / ranks.sum()), method=method, n=n)


def _standardised(first: ArrayLike, second: ArrayLike, level: float, method: str, *, corrected: bool) -> Estimate:
    differences = paired_differences(first, second)
    differences = differences[~np.isnan(differences)]
    n = {"pairs": len(differences)}
    if len(differences) < 2:
        return Estimate.unknown(method, say("reason.two_pairs"), n=n)
    spread = float(differences.std(ddof=1))
    if spread <= 1e-12 * float(np.abs(differences).max()):
        return Estimate.unknown(method, say("reason.equal_differences"), n=n)
    degrees = len(differences) - 1
    if corrected and degrees < 2:
        return Estimate.unknown(method, say("reason.three_pairs"), n=n)
    factor = _bias_factor(degrees) if corrected else 1.0
    root = math.sqrt(len(differences))
    t = float(differences.mean()) / spread * root
    ends = _noncentrality_interval(t, degrees, level)
    if ends is None:
        return Estimate(value=factor * t / root, method=method, n=n, reason=say("reason.large_effect"))
    return Estimate(
        value=factor * t / root, low=factor * ends[0] / root, high=factor * ends[1] / root, level=level, method=method,
        n=n,
    )  # fmt: skip


def _noncentrality_interval(t: float, degrees: int, level: float) -> tuple[float, float] | None:
    if abs(t) > 35:  # the noncentral t routine loses its digits beyond
        return None
    from scipy.special import nctdtrinc

    low = float(nctdtrinc(degrees, (1 + level) / 2, t))
    high = float(nctdtrinc(degrees, (1 - level) / 2, t))
    return (low, high) if math.isfinite(low) and math.isfinite(high) and low <= high else None


def _bias_factor(degrees: int) -> float:
    return math.exp(math.lgamma(degrees / 2) - math.lgamma((degrees - 1) / 2)) / math.sqrt(degrees / 2)
