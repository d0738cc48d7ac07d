"""Brennan & Prediger's coefficient: agreement beyond what raters would have who choose every category alike.

Brennan, R. L. & Prediger, D. J. (1981). Coefficient kappa: some uses, misuses, and alternatives. Educational and
Psychological Measurement 41, 687–699; with gaps and weights as in Gwet (2014), Handbook of Inter-Rater Reliability.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.agreement.chance_corrected import chance_corrected
from venire.stats.agreement.weights import WeightKind, weights_name
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.ratings.source import Array
    from venire.stats.result import Estimate


def brennan_prediger(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return Brennan & Prediger's coefficient of units × raters with a jackknife interval over units or `clusters`.

    Chance agreement is one over the number of categories: without `categories` these are the ones that occur.

    >>> brennan_prediger([[1, 1], [2, 2], [1, 1], [1, 2]]).value
    0.5
    """
    return chance_corrected(
        ratings,
        _chance,
        method=say("method.brennan_prediger", weights=weights_name(weights)),
        weights=weights,
        categories=categories,
        clusters=clusters,
        level=level,
    )


def _chance(shares: Array, credit: Array) -> Array:
    count = len(shares)
    return np.full(count, np.nan) if count < 2 else np.full(count, credit.sum() / count**2)
