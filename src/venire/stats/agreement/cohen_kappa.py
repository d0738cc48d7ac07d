"""Cohen's kappa, plain and weighted: agreement of two raters beyond what each one's own habits would give.

Cohen, J. (1968). Weighted kappa. Psychological Bulletin 70, 213–220. The standard error is that of Fleiss, Cohen &
Everitt (1969), Large sample standard errors of kappa and weighted kappa, Psychological Bulletin 72, 323–327.
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
from venire.stats.uncertainty.quantile import normal_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.stats.ratings.source import Array


def cohen_kappa(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return Cohen's kappa of units × two raters with its large-sample interval, cut off at ±1.

    Units that one of the two did not rate are left out. Kappa is not known where both raters always gave one and the
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
    table, values = confusion_table(matrix)
    pairs = int(table.sum())
    n = {"units": pairs, "raters": 2, "units left out": matrix.unit_count - pairs, "categories": len(values)}
    if pairs == 0:
        return Estimate.unknown(method, say("reason.not_rated_by_both"), n=n)
    return kappa_of_table(table, agreement_weights(values, weights), method=method, n=n, level=level)


def confusion_table(matrix: RatingMatrix) -> tuple[Array, Array]:
    """Return how often the first rater gave one category and the second another, and the categories' values.

    Categories that nobody gave are dropped unless the scale is known.
    """
    codes, values = matrix.coded.codes, matrix.coded.categories
    size = len(values) + 1
    cells = codes[:, 0].astype(np.int64) * size + codes[:, 1]
    table = np.bincount(cells, minlength=size * size).reshape(size, size)[:-1, :-1]
    if matrix.scale is not None or (matrix.labels is not None and matrix.ordered):
        return table, values
    # A category that one rater gave only where the other was silent still belongs to the scale's range.
    used = np.bincount(codes.reshape(-1), minlength=size)[:-1] > 0
    return table[np.ix_(used, used)], values[used]


def kappa_of_table(table: Array, credit: Array, *, method: str, n: dict[str, int], level: float) -> Estimate:
    """Return weighted kappa of a table of counts (first rater × second rater) and weights of agreement."""
    pairs = float(table.sum())
    shares = table / pairs
    first, second = shares.sum(axis=1), shares.sum(axis=0)
    observed, expected = float((credit * shares).sum()), float(first @ credit @ second)
    if 1 - expected < 1e-12:
        return Estimate.unknown(method, say("reason.no_variation"), n=n)
    value = (observed - expected) / (1 - expected)
    if pairs < 2:
        return Estimate(value=value, method=method, n=n, reason=say("reason.no_interval.two_units"))
    habits = (credit @ second)[:, None] + (first @ credit)[None, :]
    # The mean of these over the units is the term that the paper subtracts; taken off first, nothing cancels.
    apart = credit * (1 - expected) - habits * (1 - observed) - (observed * expected - 2 * expected + observed)
    spread = float((shares * apart**2).sum())
    error = math.sqrt(spread / pairs) / (1 - expected) ** 2
    if error < 1e-9:
        return Estimate(value=value, method=method, n=n, reason=say("reason.no_interval.same_agreement"))
    reach = normal_quantile(level) * error
    return Estimate(
        value=value,
        low=max(value - reach, -1.0),
        high=min(value + reach, 1.0),
        level=level,
        standard_error=error,
        method=say("method.with_normal_interval", method=method),
        n=n,
    )
