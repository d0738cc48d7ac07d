"""Conger's kappa: Cohen's for any number of raters, each of whom has habits of their own.

Conger, A. J. (1980). Integration and generalization of kappas for multiple raters. Psychological Bulletin 88, 322–328;
with gaps and weights as in Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., §2.4.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.agreement.chance_corrected import MANY_CATEGORIES, ROUGH_BELOW
from venire.stats.agreement.disagreement import NO_PAIR
from venire.stats.agreement.weights import WeightKind, agreement_weights, needed_metric, weights_name
from venire.stats.ratings.matrix import rating_matrix
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.jackknife import cluster_codes_of, jackknife_groups, with_jackknife
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.ratings.source import Array


def conger_kappa(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return Conger's kappa of units × raters with a jackknife interval over units, or over `clusters` of them.

    Of two raters without gaps it is Cohen's kappa. It is not known where all ratings are equal ("no variation").

    >>> conger_kappa([[1, 1], [1, 1], [2, 2], [2, 1]]).value
    0.5
    """
    require_level(level)
    matrix = rating_matrix(ratings, categories=categories)
    matrix.require(needed_metric(weights))
    method = say("method.conger_kappa", weights=weights_name(weights))
    codes, values = matrix.coded.codes.astype(np.int64), matrix.coded.categories
    if len(values) > MANY_CATEGORIES:
        return Estimate.unknown(method, say("reason.many_categories", found=len(values)))
    clustered = cluster_codes_of(clusters, matrix.unit_count)
    rated = codes < len(values)
    there = rated.any(axis=1)
    codes, rated = codes[there], rated[there]
    paired = rated.sum(axis=1) >= 2
    n = {
        "units": int(there.sum()), "units with two ratings": int(paired.sum()), "raters": matrix.rater_count,
        "ratings": int(rated.sum()), "categories": len(values),
    }  # fmt: skip
    if not paired.any():
        return Estimate.unknown(method, NO_PAIR, n=n)
    credit = np.asarray(agreement_weights(values, weights))
    agreeing = _agreement(codes, rated, credit)
    groups = jackknife_groups(len(codes), None if clustered is None else clustered[there])
    of_raters = [
        np.bincount(groups.group[rated[:, place]] * len(values) + codes[rated[:, place], place],
                    minlength=groups.size * len(values)).reshape(groups.size, len(values))
        for place in range(codes.shape[1])
    ]  # fmt: skip
    counts = np.stack(of_raters, axis=1).astype(np.float64)  # group × rater × category
    sums = np.bincount(groups.group, weights=agreeing, minlength=groups.size)
    pairs = np.bincount(groups.group[paired], minlength=groups.size).astype(np.float64)
    value = _kappa(counts.sum(axis=0), sums.sum(), pairs.sum(), credit)
    if math.isnan(value):
        return Estimate.unknown(method, say("reason.no_variation"), n=n)
    whole = counts.sum(axis=0)
    left = np.array(
        [
            _kappa(whole - counts[place], sums.sum() - sums[place], pairs.sum() - pairs[place], credit)
            for place in range(groups.size)
        ]
    )
    blank = Estimate(value=value, method=method, n=n)
    return with_jackknife(blank, left, groups, level=level, rough_below=ROUGH_BELOW)


def _agreement(codes: Array, rated: Array, credit: Array) -> Array:
    """Return the mean credit of all pairs of ratings of each unit; 0 where there is no pair."""
    size = len(credit)
    counts = np.stack([((codes == place) & rated).sum(axis=1) for place in range(size)], axis=1).astype(np.float64)
    total = counts.sum(axis=1)
    agreeing = (counts * (counts @ credit.T - np.diag(credit))).sum(axis=1)
    return np.asarray(agreeing / np.maximum(total * (total - 1), 1.0))


def _kappa(counts: Array, agreeing: float, pairs: float, credit: Array) -> float:
    """Return kappa of raters' counts (rater × category); chance is the mean over all pairs of different raters."""
    totals = counts.sum(axis=1)
    used = totals > 0
    raters = int(used.sum())
    if raters < 2 or pairs <= 0:
        return math.nan
    shares = counts[used] / totals[used, None]
    together = shares.sum(axis=0)
    own = float(np.einsum("gk,kl,gl->", shares, credit, shares))
    expected = (float(together @ credit @ together) - own) / (raters * (raters - 1))
    return math.nan if 1 - expected < 1e-12 else float((agreeing / pairs - expected) / (1 - expected))
