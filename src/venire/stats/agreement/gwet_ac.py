"""Gwet's AC1 and AC2: agreement beyond chance that stays meaningful when one category prevails.

Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of high agreement. British
Journal of Mathematical and Statistical Psychology 61, 29–48; AC2 in Gwet (2014), Handbook of Inter-Rater Reliability.
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


def gwet_ac(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return AC1 (identity weights) or AC2 (others) with a jackknife interval over units, or over `clusters` of them.

    Chance agreement depends on how many categories there are: without `categories` they are those that occur. If only
    one occurs, the coefficient is not known ("no variation"); with the whole scale given, it is 1.

    >>> round(gwet_ac([[1, 1], [2, 2], [1, 1], [1, 2]]).value, 4)
    0.5294
    """
    is_first = isinstance(weights, str) and weights == "identity"
    return chance_corrected(
        ratings,
        _chance,
        method=say("method.gwet_ac1") if is_first else say("method.gwet_ac2_weighted", weights=weights_name(weights)),
        weights=weights,
        categories=categories,
        clusters=clusters,
        level=level,
    )


def _chance(shares: Array, credit: Array) -> Array:
    count = len(shares)
    if count < 2:
        return np.full(count, np.nan)
    return np.asarray(credit.sum() / (count * (count - 1)) * (1 - shares))
