"""Percent agreement: how often two raters of the same unit agree, averaged over units."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.stats.agreement.agreement_weights import WeightKind, weights_name
from venire.stats.agreement.chance_corrected import chance_corrected
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.stats.result import Estimate


def percent_agreement(
    ratings: object,
    *,
    weights: WeightKind | object = "identity",
    categories: Sequence[object] | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return the share of agreeing pairs of raters, from 0 to 1, with a t interval over units.

    A unit counts once however many raters it has; units with fewer than two ratings are left out. It is not corrected
    for chance.

    >>> percent_agreement([["a", "a"], ["a", "b"]]).value
    0.5
    """
    return chance_corrected(
        ratings,
        None,
        method=say("method.percent_agreement", weights=weights_name(weights)),
        weights=weights,
        categories=categories,
        level=level,
    )
