"""Observed against expected disagreement as functions of how often each pattern of ratings occurs.

Both are written for many weightings at once, as a bootstrap needs them. Sums run over ordered pairs of ratings.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import msgspec
import numpy as np

from venire.words.said import Said, say

if TYPE_CHECKING:
    from venire.stats.ratings.matrix import Metric
    from venire.stats.ratings.source import Array

NO_PAIR = say("reason.no_pair")
"""Why nothing can be said about agreement where no two raters met."""

RATIO_VALUES = 4096
"""The most distinct values for the ratio metric, whose cost grows with their square."""


def alpha_method(metric: Metric) -> Said:
    """Return how alpha by this metric is called."""
    return say("method.krippendorff_alpha", metric=say(f"method.metric.{metric}"))


class Disagreement(Protocol):
    """Something that alpha can be computed from."""

    @property
    def sizes(self) -> Array:
        """How many ratings each pattern has, at least 2."""
        ...

    @property
    def reason(self) -> str:
        """Why alpha is not known; empty if it is."""
        ...

    def alpha(self, weights: Array) -> Array:
        """Return alpha for each row of weights (weightings × patterns), NaN where there is no variation."""
        ...


class IntervalDisagreement(msgspec.Struct, frozen=True, eq=False):
    """Squared differences, for which the number, sum and sum of squares of a unit's ratings are enough.

    Ratings are centred and scaled first, so that neither large values nor a large mean lose digits.
    """

    sizes: Array
    """How many ratings each pattern has, at least 2."""
    sums: Array
    """The sum of each pattern's ratings, centred on the mean of all."""
    squares: Array
    """The sum of their squares."""
    within: Array
    """The sum of squared deviations from the pattern's own mean, times size over size − 1."""
    constant: bool
    """Whether all ratings are equal."""

    @classmethod
    def from_scores(cls, scores: Array) -> IntervalDisagreement:
        """Take each row of scores (NaN for missing) as a pattern."""
        if scores.size == 0:
            return cls(np.empty(0), np.empty(0), np.empty(0), np.empty(0), True)
        low, high = float(np.fmin.reduce(scores, axis=None)), float(np.fmax.reduce(scores, axis=None))
        centred = _standardise(scores, low, high)
        gaps = np.isnan(centred)
        sizes = (scores.shape[1] - gaps.sum(axis=1)).astype(np.float64)
        np.putmask(centred, gaps, 0.0)
        centred -= centred.sum() / sizes.sum()
        np.putmask(centred, gaps, 0.0)
        sums = centred.sum(axis=1)
        squares = np.einsum("ij,ij->i", centred, centred)
        centred -= (sums / sizes)[:, None]
        np.putmask(centred, gaps, 0.0)
        within = np.einsum("ij,ij->i", centred, centred)
        return cls(sizes, sums, squares, within * sizes / (sizes - 1), low == high)

    @classmethod
    def from_counts(cls, counts: Array, values: Array) -> IntervalDisagreement:
        """Take rows of counts of the values as patterns."""
        used = counts.any(axis=0)
        counts, values = counts[:, used], values[used]
        if values.size == 0:
            return cls(np.empty(0), np.empty(0), np.empty(0), np.empty(0), True)
        low, high = float(values.min()), float(values.max())
        sizes = counts.sum(axis=1)
        centred = _standardise(values, low, high)
        centred -= (counts @ centred).sum() / sizes.sum()
        sums = counts @ centred
        deviations = centred - (sums / sizes)[:, None]
        within = (counts * deviations**2).sum(axis=1)
        return cls(sizes, sums, counts @ centred**2, within * sizes / (sizes - 1), low == high)

    @property
    def reason(self) -> str:
        """Why alpha is not known; empty if it is."""
        if len(self.sizes) == 0:
            return NO_PAIR
        return say("reason.no_variation") if self.constant else ""

    def alpha(self, weights: Array) -> Array:
        """Return alpha for each row of weights (weightings × patterns), NaN where there is no variation."""
        size, total = weights @ self.sizes, weights @ self.sums
        between_all = weights @ self.squares - total**2 / size
        # What rounding leaves of a sum of squares that is zero; the ratings themselves span a range of 1.
        between_all[between_all <= 1e-13 * size] = np.nan
        return np.asarray(1 - (size - 1) / size * (weights @ self.within) / between_all)


class CountedDisagreement(msgspec.Struct, frozen=True, eq=False):
    """Nominal, ordinal or ratio disagreement of patterns given as counts of values."""

    counts: Any
    """Patterns × values: how many raters gave the value, at least two in each row; an array or a sparse one."""
    values: Array
    """The values, rising."""
    metric: Metric
    """Which disagreement; not interval."""

    @property
    def sizes(self) -> Array:
        """How many ratings each pattern has, at least 2."""
        return np.asarray(self.counts.sum(axis=1)).reshape(-1)

    @property
    def reason(self) -> str:
        """Why alpha is not known; empty if it is."""
        if self.counts.shape[0] == 0:
            return NO_PAIR
        used = self.values[np.asarray(self.counts.sum(axis=0)).reshape(-1) > 0]
        if len(used) < 2:
            return say("reason.no_variation")
        if self.metric == "ratio" and used.min() < 0:
            return say("reason.ratio_negative")
        if self.metric == "ratio" and len(self.values) > RATIO_VALUES:
            return say("reason.ratio_values", limit=RATIO_VALUES, found=len(self.values))
        return ""

    def alpha(self, weights: Array) -> Array:
        """Return alpha for each row of weights (weightings × patterns), NaN where there is no variation."""
        totals = np.asarray((self.counts.T @ weights.T).T)
        sizes = self.sizes
        if self.metric == "ordinal":
            observed, expected = self._ordinal(weights, totals, sizes)
        elif self.metric == "ratio":
            distances = ratio_distances(self.values)
            observed, expected = weights @ self._ratio_within(distances, sizes), _quadratic(totals, distances)
        else:
            squares = np.asarray((self.counts * self.counts).sum(axis=1)).reshape(-1)
            observed = weights @ ((sizes**2 - squares) / (sizes - 1))
            expected = totals.sum(axis=1) ** 2 - (totals**2).sum(axis=1)
        expected[(totals > 0).sum(axis=1) < 2] = np.nan
        return np.asarray(1 - (totals.sum(axis=1) - 1) * observed / expected)

    def _ordinal(self, weights: Array, totals: Array, sizes: Array) -> tuple[Array, Array]:
        """Use the interval metric of mid-ranks, which is what the ordinal metric comes to."""
        ranks = np.cumsum(totals, axis=1) - totals / 2
        size = totals.sum(axis=1)
        ranks = (ranks - size[:, None] / 2) / size[:, None]  # The mean mid-rank is half the size.
        sums, squares = self.counts @ ranks.T, self.counts @ (ranks**2).T
        within = 2 * (sizes[:, None] * squares - sums**2) / (sizes - 1)[:, None]
        return np.einsum("bp,pb->b", weights, within), 2 * size * (totals * ranks**2).sum(axis=1)

    def _ratio_within(self, distances: Array, sizes: Array) -> Array:
        step = max(10_000_000 // len(self.values), 1)
        rows = range(0, self.counts.shape[0], step)
        sums = [_quadratic(_full(self.counts[row : row + step]), distances) for row in rows]
        return np.asarray(np.concatenate(sums) / (sizes - 1))


def ratio_distances(values: Array) -> Array:
    """Return the squared ratio metric between all values: ((a − b) / (a + b))², and 0 between zeros."""
    scaled = values / max(float(np.abs(values).max()), np.finfo(np.float64).tiny)
    difference, total = scaled[:, None] - scaled, scaled[:, None] + scaled
    return np.asarray(np.divide(difference, total, out=np.zeros_like(total), where=total != 0) ** 2)


def _quadratic(rows: Array, matrix: Array) -> Array:
    return np.asarray(np.einsum("bv,bv->b", rows @ matrix, rows))


def _full(counts: Any) -> Array:
    return np.asarray(counts if isinstance(counts, np.ndarray) else counts.toarray())


def _standardise(values: Array, low: float, high: float) -> Array:
    half = high / 2 - low / 2
    centre = high / 2 + low / 2
    return np.asarray((values - centre) / half / 2 if half > 0 else values - centre)
