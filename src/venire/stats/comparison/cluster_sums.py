"""The derivatives of a Bradley–Terry fit, summed over the comparisons of each cluster, as errors by clusters need them.

A comparison of i and j pulls βᵢ up by what its outcome exceeds the expected one, βⱼ down by as much, and log ν by how
far it was no tie that was expected, or one that was not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from venire.stats.comparison.bradley_terry import BradleyTerryFit
    from venire.stats.observations import FloatArray, IntArray

_CHUNK = 1 << 15
"""How many comparisons are worked on at a time, so that what they need stays in the processor's cache."""
_EXACT = 1 << 17
"""Up to so many sums are doubles. More are floats: they come of many clusters, each with few comparisons to add up, and
at half the size they are added to four times as fast."""
_MOST = 1 << 26
"""How many sums are held at a time; clusters that need more are gone through in parts."""


class ClusterSums:
    """Sums of derivatives of each cluster: by every strength and, with ties, by log ν."""

    def __init__(self, fit: BradleyTerryFit, clusters: int) -> None:
        self._models = len(fit.models)
        kind = np.float64 if clusters * self._models <= _EXACT else np.float32
        lean, tie = fit.expected()
        self._expected = (0.5 + lean / 2).ravel().astype(kind)
        self._by_strength: NDArray[np.floating] = np.zeros(clusters * self._models, dtype=kind)
        self._tie = None if tie is None else tie.ravel().astype(kind)
        self._by_ties: NDArray[np.floating] = np.zeros(clusters, dtype=kind)

    def add(
        self, one: IntArray, two: IntArray, outcome: FloatArray, clusters: IntArray, weights: FloatArray | None = None
    ) -> None:
        """Add comparisons, with the numbers of their models in the fit and of their clusters; none may be missing."""
        kind = self._expected.dtype
        for start in range(0, len(outcome), _CHUNK):
            rows = slice(start, start + _CHUNK)
            cluster, seen = clusters[rows], outcome[rows]
            weight = None if weights is None else weights[rows].astype(kind)
            pair = one[rows] * self._models
            pair += two[rows]
            pull = seen.astype(kind)
            pull -= self._expected.take(pair)
            if weight is not None:
                pull *= weight
            row = cluster * self._models
            np.add.at(self._by_strength, row + one[rows], pull)
            row += two[rows]
            np.add.at(self._by_strength, row, np.negative(pull, out=pull))
            if self._tie is not None:
                surprise = (seen == 0.5).astype(kind)
                surprise -= self._tie.take(pair)
                np.add.at(self._by_ties, cluster, surprise if weight is None else surprise * weight)

    def squares(self) -> FloatArray:
        """Return Σ_g s_g s_gᵀ over all clusters."""
        sums = self._by_strength.reshape(-1, self._models)
        by_strength = (sums.T @ sums).astype(np.float64)
        if self._tie is None:
            return by_strength
        between = (self._by_ties @ sums).astype(np.float64)
        return np.block([[by_strength, between[:, None]], [between, float(self._by_ties @ self._by_ties)]])


def cluster_squares(
    fit: BradleyTerryFit,
    one: IntArray,
    two: IntArray,
    outcome: FloatArray,
    clusters: IntArray,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return Σ_g s_g s_gᵀ of comparisons that come all at once; the clusters are numbered from 0."""
    groups, rows = int(clusters.max(initial=-1)) + 1, max(1, _MOST // len(fit.information))
    if groups <= rows:
        sums = ClusterSums(fit, groups)
        sums.add(one, two, outcome, clusters, weights)
        return sums.squares()
    squares = np.zeros_like(fit.information)
    order = np.argsort(clusters, kind="stable")
    ends = np.searchsorted(clusters[order], np.arange(0, groups + rows, rows))
    for part in range(len(ends) - 1):
        mine = order[ends[part] : ends[part + 1]]
        sums = ClusterSums(fit, rows)
        some = None if weights is None else weights[mine]
        sums.add(one[mine], two[mine], outcome[mine], clusters[mine] - part * rows, some)
        squares += sums.squares()
    return squares
