"""Cohen's kappa, plain and weighted: agreement of two raters beyond what each one's own habits would give.

Cohen, J. (1968). Weighted kappa. Psychological Bulletin 70, 213–220. The standard error is that of Fleiss, Cohen &
Everitt (1969), Large sample standard errors of kappa and weighted kappa, Psychological Bulletin 72, 323–327; as its
normal interval covers too little for few units, the interval is that of a jackknife.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.errors import UsageError
from venire.stats.agreement.chance_corrected import MANY_CATEGORIES
from venire.stats.agreement.weights import WeightKind, agreement_weights, needed_metric, weights_name
from venire.stats.ratings.matrix import RatingMatrix, rating_matrix
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.jackknife import cluster_codes_of, jackknife_groups, with_jackknife
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.ratings.source import Array

ROUGH_BELOW = 20
"""Below so many units or clusters an interval was seen to cover less than 93 of 100 in simulation."""


def cohen_kappa(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return Cohen's kappa of units × two raters with a jackknife interval.

    Units that one of the two did not rate are left out. `clusters` names the cluster of each unit (such as its
    question); then whole clusters are left out in turn. Kappa is not known where both raters always gave one and the
    same category ("no variation").

    >>> cohen_kappa([[1, 1], [1, 1], [2, 2], [2, 1]]).value
    0.5
    """
    require_level(level)
    matrix = rating_matrix(ratings, categories=categories)
    if matrix.rater_count != 2:
        raise UsageError("error.stats.two_raters", found=matrix.rater_count)
    matrix.require(needed_metric(weights))
    method = say("method.cohen_kappa", weights=weights_name(weights))
    used = len(matrix.coded.categories)
    if used > MANY_CATEGORIES:
        return Estimate.unknown(method, say("reason.many_categories", found=used))
    codes = cluster_codes_of(clusters, matrix.unit_count)
    table, values, rated = confusion_table(matrix)
    pairs = int(table.sum())
    n = {"units": pairs, "raters": 2, "units left out": matrix.unit_count - pairs, "categories": len(values)}
    if pairs == 0:
        return Estimate.unknown(method, say("reason.not_rated_by_both"), n=n)
    credit = agreement_weights(values, weights)
    value = kappa_of_table(table, credit)
    if value is None:
        return Estimate.unknown(method, say("reason.no_variation"), n=n)
    both = (rated < len(values)).all(axis=1)
    groups = jackknife_groups(pairs, None if codes is None else codes[both])
    cells = rated[both, 0] * len(values) + rated[both, 1]
    without = (
        kappa_of_table(table - inside.reshape(table.shape), credit) for inside in groups.tally(cells, table.size)
    )
    left = np.array([np.nan if each is None else each for each in without])
    return with_jackknife(
        Estimate(value=value, method=method, n=n), left, groups, level=level, rough_below=ROUGH_BELOW,
        standard_error=large_sample_error(table, credit),
    )  # fmt: skip


def confusion_table(matrix: RatingMatrix) -> tuple[Array, Array, Array]:
    """Return how often the first rater gave one category and the second another, the categories' values, and codes.

    Codes are units × 2: the place of the category that each rater gave, or the number of categories for none.
    Categories that nobody gave are dropped unless the scale is known.
    """
    codes, values = matrix.coded.codes, matrix.coded.categories
    size = len(values) + 1
    cells = codes[:, 0].astype(np.int64) * size + codes[:, 1]
    table = np.bincount(cells, minlength=size * size).reshape(size, size)[:-1, :-1]
    if matrix.scale is not None or (matrix.labels is not None and matrix.ordered):
        return table, values, codes.astype(np.int64)
    # A category that one rater gave only where the other was silent still belongs to the scale's range.
    used = np.bincount(codes.reshape(-1), minlength=size)[:-1] > 0
    places = np.append(np.cumsum(used) - 1, np.count_nonzero(used))
    return table[np.ix_(used, used)], values[used], places[codes]


def kappa_of_table(table: Array, credit: Array) -> float | None:
    """Return weighted kappa of a table of counts (first rater × second rater); None without variation."""
    pairs = float(table.sum())
    if not pairs:
        return None
    shares = table / pairs
    first, second = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float((credit * shares).sum()), float(first @ credit @ second)
    return None if 1 - expected < 1e-12 else (observed - expected) / (1 - expected)


def large_sample_error(table: Array, credit: Array) -> float:
    """Return the large-sample standard error of weighted kappa, of a table with variation."""
    pairs = float(table.sum())
    shares = table / pairs
    first, second = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float((credit * shares).sum()), float(first @ credit @ second)
    habits = (credit @ second)[:, None] + (first @ credit)[None, :]
    # The mean of these over the units is the term that the paper subtracts; taken off first, nothing cancels.
    apart = credit * (1 - expected) - habits * (1 - observed) - (observed * expected - 2 * expected + observed)
    return math.sqrt(float((shares * apart**2).sum()) / pairs) / (1 - expected) ** 2
