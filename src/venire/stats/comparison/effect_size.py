"""How large a paired difference is, free of the scale: Cohen's d_z, Hedges' g and the rank-biserial correlation."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from msgspec.structs import replace

from venire.stats.comparison.paired import signed_ranks
from venire.stats.observations import paired_differences
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.jackknife import JackknifeGroups, cluster_codes_of, jackknife_groups, with_jackknife
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray

FEWEST = 5
"""How many pairs or clusters a jackknife needs."""

ROUGH_BELOW = 10
"""Below so many pairs or clusters an interval was seen to cover less than 93 of 100 in simulation."""


def cohen_d_z(
    first: ArrayLike, second: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Give the mean difference in standard deviations of the differences (Cohen 1988, §2.3.5).

    The interval is the wider of that which inverts the noncentral t distribution, exact for normal differences, and
    that of a jackknife over pairs, or over whole `clusters` of them, such as questions.
    """
    return _standardised(first, second, clusters, level, say("method.cohen_d"), corrected=False)


def hedges_g(
    first: ArrayLike, second: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Give d_z without its upward bias in small samples, by the exact gamma factor (Hedges 1981).

    `clusters` names the cluster of each pair, such as its question.
    """
    return _standardised(first, second, clusters, level, say("method.hedges_g"), corrected=True)


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


def _standardised(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None, level: float, method: str, *, corrected: bool
) -> Estimate:
    require_level(level)
    differences = paired_differences(first, second)
    codes = cluster_codes_of(clusters, len(differences))
    there = ~np.isnan(differences)
    differences, codes = differences[there], None if codes is None else codes[there]
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
    blank = Estimate(value=factor * t / root, method=method, n=n)
    groups = jackknife_groups(len(differences), codes)
    if ends is None:
        return replace(blank, reason=say("reason.large_effect"))
    if groups.size < FEWEST and codes is not None:
        return replace(blank, n={**n, "clusters": groups.clusters or 0}, reason=say("reason.no_interval.few_questions"))
    plain = replace(blank, low=factor * ends[0] / root, high=factor * ends[1] / root, level=level)
    if groups.size < FEWEST:
        return plain
    left = factor * _without_each_group(differences, groups)
    again = with_jackknife(blank, left, groups, level=level, scale="effect", rough_below=ROUGH_BELOW)
    if again.low is None or again.high is None:
        return again if codes is not None else plain
    return replace(again, low=min(again.low, factor * ends[0] / root), high=max(again.high, factor * ends[1] / root))


def _without_each_group(differences: FloatArray, groups: JackknifeGroups) -> FloatArray:
    """Return d_z without each group, from sums; NaN where all other differences are equal."""
    centred = differences - differences.mean()
    columns = (np.ones(len(centred)), centred, centred**2)
    by_group = np.array([np.bincount(groups.group, weights=each, minlength=groups.size) for each in columns])
    count, total, squares = by_group.sum(axis=1, keepdims=True) - by_group
    spread = np.where(count > 1, (squares - total**2 / np.maximum(count, 1)) / np.maximum(count - 1, 1), 0.0)
    found = np.full(groups.size, np.nan)
    mean = differences.mean() + total / np.maximum(count, 1)
    np.divide(mean, np.sqrt(np.maximum(spread, 0.0)), out=found, where=spread > 1e-12 * float(squares.max()))
    return found


def _noncentrality_interval(t: float, degrees: int, level: float) -> tuple[float, float] | None:
    if abs(t) > 35:  # the noncentral t routine loses its digits beyond
        return None
    from scipy.special import nctdtrinc

    low = float(nctdtrinc(degrees, (1 + level) / 2, t))
    high = float(nctdtrinc(degrees, (1 - level) / 2, t))
    return (low, high) if math.isfinite(low) and math.isfinite(high) and low <= high else None


def _bias_factor(degrees: int) -> float:
    return math.exp(math.lgamma(degrees / 2) - math.lgamma((degrees - 1) / 2)) / math.sqrt(degrees / 2)
