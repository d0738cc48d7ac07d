"""What a jury was asked about each output: one row for each output, one column for each ask of the whole jury.

The first columns are the asks that every output gets. The whole jury is all columns: what is estimated is the mean
that it would give if every output were put to all of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from venire.stats.observations import FloatArray, IntArray

    BoolArray = NDArray[np.bool_]


class JuryAsks(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The replies of a jury so far."""

    values: FloatArray
    """The score of each reply, outputs by asks; NaN where there is none that is valid."""
    answered: BoolArray
    """Whether an ask was answered, validly or not."""
    weights: FloatArray
    """The weight of each ask in the score of an output."""
    judges: IntArray
    """The number of the judge of each ask."""
    start: int
    """How many asks every output gets; they are the first columns."""
    groups: IntArray
    """The number of the group of each output, such as its target model; each group has an estimate of its own."""
    span: float
    """How far apart the lowest and the highest score are."""

    @property
    def further(self) -> int:
        """How many asks there are beyond those that every output gets."""
        return len(self.weights) - self.start

    @property
    def open(self) -> BoolArray:
        """Which asks may still be drawn."""
        found: BoolArray = ~self.answered
        found[:, : self.start] = False
        return found

    @property
    def base(self) -> FloatArray:
        """The mean of the first asks of each output; the mean of all outputs where none of them is valid."""
        values, weights = self.values[:, : self.start], self.weights[: self.start]
        there = ~np.isnan(values)
        total = (there * weights).sum(axis=1)
        summed = np.where(there, values, 0.0) @ weights
        known = total > 0
        means: FloatArray = np.divide(summed, total, out=np.full(len(values), np.nan), where=known)
        middle = float(means[known].mean()) if known.any() else 0.0
        return np.where(known, means, middle)

    @property
    def apart(self) -> FloatArray:
        """How far the first asks of each output lie apart; 0 where fewer than two are valid."""
        values = self.values[:, : self.start]
        there = ~np.isnan(values)
        highest = np.where(there, values, -np.inf).max(axis=1)
        lowest = np.where(there, values, np.inf).min(axis=1)
        return np.where(there.sum(axis=1) > 1, highest - lowest, 0.0)
