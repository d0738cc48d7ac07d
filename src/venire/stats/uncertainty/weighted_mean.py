"""Weighted means that say how much of the weight was there: missing parts are missing, not zero."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec

from venire.errors import UsageError
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Mapping

WEIGHT_TOLERANCE = 1e-9
"""How far weights may be from summing to 1."""


class WeightedMean(msgspec.Struct, frozen=True, kw_only=True):
    """A weighted mean over the parts that are there."""

    value: float | None
    """The mean, with the weights renormalised over the parts present; None if none is."""
    coverage: float
    """Which share of the weight was present, from 0 to 1."""
    missing: tuple[str, ...]
    """The parts that have a weight and no value, in the order of the weights."""
    renormalised: bool = False
    """Whether the given weights did not sum to 1 and were rescaled on request."""

    @property
    def complete(self) -> bool:
        """Whether every part was there."""
        return not self.missing


def weighted_mean(
    values: Mapping[str, float | None], weights: Mapping[str, float], *, renormalise: bool = False
) -> WeightedMean:
    """Combine values by weights that sum to 1; a part that is missing is left out and the mean marked incomplete.

    Raises `UsageError` for weights that do not sum to 1 (unless `renormalise` rescales them) and for values without
    a weight.

    >>> scores = {"accuracy": 4.5, "conciseness": 4.0, "clarity": 4.5}
    >>> round(weighted_mean(scores, {"accuracy": 0.4, "conciseness": 0.3, "clarity": 0.3}).value, 12)
    4.35
    """
    shares, rescaled = check_weights(weights, renormalise=renormalise)
    unweighted = [name for name in values if name not in shares]
    if unweighted:
        raise UsageError("error.stats.part_weight", found=tuple(map(repr, unweighted)), known=tuple(map(repr, shares)))
    present = {
        name: value for name, value in values.items() if value is not None and math.isfinite(value) and shares[name] > 0
    }
    coverage = math.fsum(shares[name] for name in present)
    value = math.fsum(shares[name] * value for name, value in present.items()) / coverage if present else None
    missing = tuple(name for name, share in shares.items() if share > 0 and name not in present)
    return WeightedMean(value=value, coverage=1.0 if not missing else coverage, missing=missing, renormalised=rescaled)


def check_weights(weights: Mapping[str, float], *, renormalise: bool = False) -> tuple[dict[str, float], bool]:
    """Return weights that sum to 1, and whether they had to be rescaled; raises `UsageError` where they may not be."""
    total = math.fsum(weights.values())
    listed = ", ".join(f"{name} {weight:g}" for name, weight in weights.items())
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights.values()):
        raise UsageError("error.stats.negative_weight", found=listed)
    if abs(total - 1) <= WEIGHT_TOLERANCE:
        return dict(weights), False
    if renormalise and total > 0:
        return {name: weight / total for name, weight in weights.items()}, True
    raise UsageError("error.stats.weights_sum", total=total, found=listed or say("error.stats.none"))
