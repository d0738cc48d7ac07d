"""How likely each open ask is to be drawn, so that an estimate gets as narrow as is wanted with the fewest asks.

Asks are drawn independently, each with its own probability (Poisson sampling). The variance of the estimate is least
where a probability is proportional to the ask's weight times how far off its expectation may be (Neyman 1934; Zrnic &
Candès 2024 for judges and labels). A part is uniform, so that no ask is left out for good.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray

UNIFORM = 0.2
"""The share of the probabilities that is uniform."""
DIGITS = 6
"""To how many digits probabilities are rounded, so that another machine draws the same."""
_STEPS = 60


def draw_probabilities(sizes: FloatArray, wanted_variance: float, least: float, most: float) -> FloatArray:
    """Return the probability of each ask: as low as the wanted variance allows, for `least` to `most` asks on average.

    `sizes` are weights times spreads. Probabilities may all be 1: then nothing is left to chance.
    """
    if not len(sizes):
        return np.zeros(0)
    shape = (1 - UNIFORM) * sizes / sizes.mean() + UNIFORM
    low, high = 0.0, 1 / float(shape.min())
    for _ in range(_STEPS):
        middle = (low + high) / 2
        chosen = _scaled(shape, middle)
        is_narrow = expected_variance(sizes, chosen) <= wanted_variance
        is_enough = chosen.sum() > most or (is_narrow and chosen.sum() >= min(least, len(sizes)))
        low, high = (low, middle) if is_enough else (middle, high)
    return np.maximum(np.round(_scaled(shape, high), DIGITS), 10.0**-DIGITS)


def expected_variance(sizes: FloatArray, probabilities: FloatArray) -> float:
    """Return the variance of a total that is estimated from asks drawn with these probabilities."""
    chances = np.maximum(probabilities, 1e-12)
    return float((sizes**2 * (1 - chances) / chances).sum())


def _scaled(shape: FloatArray, factor: float) -> FloatArray:
    return np.minimum(1.0, factor * shape)
