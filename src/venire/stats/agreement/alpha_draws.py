"""Replicates of Krippendorff's alpha by the Poisson bootstrap of units, as sums that add up over shards.

In a replicate each unit counts as often as it is drawn, and alpha is a function of sums over units: for the interval
metric of the moments of ratings, else of the coincidences of values. So a shard gives these sums for each replicate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.agreement.disagreement import ratio_distances
from venire.stats.fingerprints import draw_sums

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from venire.stats.fingerprints import Fingerprints
    from venire.stats.observations import FloatArray
    from venire.stats.ratings.matrix import Metric

DRAWN_VALUES = 101
"""The most distinct values whose coincidences are kept for each replicate; the interval metric takes any number."""


class AlphaDraws(msgspec.Struct, frozen=True, eq=False):
    """The sums of each replicate."""

    seed: int
    """The seed of the weights."""
    moments: FloatArray
    """For the interval metric, replicates × 4: the number of ratings, the sums of their distances from the centre and
    of the squares of these, and the sum within units; else replicates × 0."""
    coincidences: FloatArray
    """Replicates × values × values; no values for the interval metric."""

    @property
    def replicates(self) -> int:
        """How many replicates there are."""
        return len(self.moments)

    def moved(self, distance: float) -> AlphaDraws:
        """Return the same with the moments about a centre that lies so much higher."""
        if not self.moments.shape[1]:
            return self
        count, total, squares, within = self.moments.T
        squares = squares - 2 * distance * total + count * distance * distance
        moments = np.column_stack([count, total - distance * count, squares, within])
        return AlphaDraws(self.seed, moments, self.coincidences)

    def spread(self, own: FloatArray, values: FloatArray) -> AlphaDraws:
        """Return the same for more values, of which these were its own."""
        if len(own) == len(values):
            return self
        require_drawable(values, self.replicates)
        wider = np.zeros((self.replicates, len(values), len(values)))
        places = np.searchsorted(values, own)
        wider[:, places[:, None], places] = self.coincidences
        return AlphaDraws(self.seed, self.moments, wider)

    def plus(self, other: AlphaDraws) -> AlphaDraws:
        """Return the sums of both shards, which must have one centre and the same values.

        Raises `UsageError` if their seeds or replicates differ.
        """
        if self.seed != other.seed or self.replicates != other.replicates:
            raise UsageError(
                "error.stats.seeds",
                seed=self.seed,
                replicates=self.replicates,
                found=other.seed,
                drawn=other.replicates,
            )
        return AlphaDraws(self.seed, self.moments + other.moments, self.coincidences + other.coincidences)

    def alphas(self, metric: Metric, values: FloatArray, width: float) -> FloatArray:
        """Return alpha of each replicate, NaN where it drew no variation; ratings lie within `width`."""
        if metric == "interval":
            return _interval_alphas(self.moments, width)
        totals = self.coincidences.sum(axis=2)
        return np.array([counted_alpha(metric, values, *each) for each in zip(self.coincidences, totals, strict=True)])


def draw_moments(units: Fingerprints, columns: FloatArray, seed: int, replicates: int) -> AlphaDraws:
    """Draw units with the moments of each, in columns as `AlphaDraws.moments` has them."""
    return AlphaDraws(seed, draw_sums(units, columns, seed, replicates), np.zeros((replicates, 0, 0)))


def draw_coincidences(
    units: Fingerprints, counts: csr_array, shares: csr_array, seed: int, replicates: int
) -> AlphaDraws:
    """Draw units with the coincidences of each, from units × values: the number of ratings, and it ÷ (m − 1)."""
    from scipy.sparse import diags_array, hstack

    width = counts.shape[1]
    if not replicates or not width:
        return AlphaDraws(seed, np.zeros((replicates, 0)), np.zeros((replicates, width, width)))
    by_value = counts.tocsc()
    # A rating does not meet itself: of those with its own value one is taken off.
    blocks = [
        diags_array(by_value[:, [value]].toarray().reshape(-1)) @ shares
        - shares @ diags_array((np.arange(width) == value).astype(np.float64))
        for value in range(width)
    ]
    drawn = draw_sums(units, hstack(blocks, format="csr"), seed, replicates)
    return AlphaDraws(seed, np.zeros((replicates, 0)), drawn.reshape(replicates, width, width))


def counted_alpha(metric: Metric, values: FloatArray, coincidences: FloatArray, totals: FloatArray) -> float:
    """Return alpha of the coincidences of values; NaN if fewer than two values have any."""
    if np.count_nonzero(totals) < 2:
        return float("nan")
    distances = _distances(metric, values, totals)
    observed, expected = float((coincidences * distances).sum()), float(totals @ distances @ totals)
    return 1 - (float(totals.sum()) - 1) * observed / expected


def require_drawable(values: FloatArray, replicates: int) -> None:
    """Raise `UsageError` for more values than replicates can hold."""
    if replicates and len(values) > DRAWN_VALUES:
        raise UsageError("error.stats.drawn_values", limit=DRAWN_VALUES, found=len(values))


def _interval_alphas(moments: FloatArray, width: float) -> FloatArray:
    count, total, squares, within = moments.T
    known = np.full(len(moments), np.nan)
    # Ratings that are equal leave a little of their squares, by rounding.
    drawn = count > 0
    about = np.where(drawn, squares - total * total / np.where(drawn, count, 1), 0.0)
    varied = about > 1e-12 * count * width * width
    known[varied] = 1 - (count[varied] - 1) / count[varied] * within[varied] / about[varied]
    return known


def _distances(metric: Metric, values: FloatArray, totals: FloatArray) -> FloatArray:
    if metric == "nominal":
        return 1.0 - np.eye(len(values))
    if metric == "ratio":
        return ratio_distances(values)
    ranks = (np.cumsum(totals) - totals / 2) / totals.sum()  # The ordinal metric is the interval one of mid-ranks.
    return np.asarray((ranks[:, None] - ranks) ** 2)
