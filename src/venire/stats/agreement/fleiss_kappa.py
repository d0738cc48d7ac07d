"""Fleiss' kappa: agreement beyond what the raters' shared habits would give.

Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. Psychological Bulletin 76, 378–382; with gaps
and weights as in Gwet (2014), Handbook of Inter-Rater Reliability, 4th ed., §2.4 and §3.4.
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


def fleiss_kappa(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return Fleiss' kappa of units × raters with a jackknife interval over units, or over `clusters` of them.

    It is not known where all ratings are equal ("no variation"): chance alone would then give full agreement.

    >>> fleiss_kappa([[1, 1], [2, 2], [1, 2], [2, 1]]).value
    0.0
    """
    return chance_corrected(
        ratings,
        _chance,
        method=say("method.fleiss_kappa", weights=weights_name(weights)),
        weights=weights,
        categories=categories,
        clusters=clusters,
        level=level,
    )


def _chance(shares: Array, credit: Array) -> Array:
    return np.asarray(shares @ (credit + credit.T) / 2)
