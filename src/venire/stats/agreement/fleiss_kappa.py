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

    from venire.stats.ratings.source import Array
    from venire.stats.result import Estimate


def fleiss_kappa(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return Fleiss' kappa of units × raters with Gwet's standard error and a jackknife t interval over units.

    For few units kappa is a little too low; the interval allows for that, so it is not centred on the value.
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
        level=level,
        jackknife=True,
    )


def _chance(shares: Array, credit: Array) -> Array:
    return np.asarray(shares @ (credit + credit.T) / 2)
