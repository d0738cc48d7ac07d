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

_CHUNK = 1 << 16
"""How many comparisons are worked on at a time, so that what they need stays in the processor's cache."""
_PAIRED = {np.float64: np.complex128, np.float32: np.complex64}
_EXACT = 1 << 17
"""Up to so many sums are doubles. More are floats: they come of many clusters, each with few comparisons to add up, and
at half the size they are added to four times as fast."""
_BLOCK = 1_000
"""Squares are summed over so many clusters at a time: too few for the matrix product to wake threads, which would cost
more processor time than the product."""
_MOST = 1 << 26
"""How many sums are held at a time; clusters that need more are gone through in parts."""


class ClusterSums:
    """Sums of derivatives of each cluster: by every strength and, with ties, by log ν."""

    def __init__(self, fit: BradleyTerryFit, clusters: int) -> None:
        self._models = len(fit.models)
        kind = np.float64 if clusters * self._models <= _EXACT else np.float32
        lean, tie = fit.expected()
        # What is expected of a pair stands side by side, so that one look finds both.
        self._expected: NDArray[np.complexfloating] = (
            ((0.5 + lean / 2) + 1j * (0.0 if tie is None else tie)).ravel().astype(_PAIRED[kind])
        )
        self._has_ties = tie is not None
        self._by_strength: NDArray[np.floating] = np.zeros(clusters * self._models, dtype=kind)
        self._by_ties: NDArray[np.floating] = np.zeros(clusters, dtype=kind)

    def add(
        self, one: IntArray, two: IntArray, outcome: FloatArray, clusters: IntArray, weights: FloatArray | None = None
    ) -> None:
        """Add comparisons, with the numbers of their models in the fit and of their clusters; none may be missing."""
        kind = self._by_strength.dtype
        for start in range(0, len(outcome), _CHUNK):
            rows = slice(start, start + _CHUNK)
            first, second, cluster = one[rows], two[rows], clusters[rows]
            seen = outcome[rows].astype(kind)
            weight = None if weights is None else weights[rows].astype(kind)
            place = first * self._models
            place += second
            expected = self._expected.take(place)
            pull = np.subtract(seen, expected.real)
            if weight is not None:
                pull *= weight
            np.multiply(cluster, self._models, out=place)
            np.add.at(self._by_strength, place + first, pull)
            place += second
            np.subtract.at(self._by_strength, place, pull)
            if self._has_ties:
                surprise = np.subtract(seen == 0.5, expected.imag, dtype=kind)
                np.add.at(self._by_ties, cluster, surprise if weight is None else surprise * weight)

    def table(self) -> FloatArray:
        """Return the sums, a row for each cluster and a column for each strength and, with ties, for log ν."""
        sums = self._by_strength.reshape(-1, self._models).astype(np.float64)
        return np.column_stack([sums, self._by_ties]) if self._has_ties else sums

    def may_lack_clusters(self) -> bool:
        """Tell whether some cluster has sums of 0 only, as one without any comparison has."""
        sums = self._by_strength.reshape(-1, self._models)
        return not np.einsum("gi,gi->g", sums, sums).all()

    def squares(self) -> FloatArray:
        """Return Σ_g s_g s_gᵀ over all clusters."""
        k, sums = self._models, self._by_strength.reshape(-1, self._models)
        squares = np.zeros((k + self._has_ties,) * 2)
        for start in range(0, len(sums), _BLOCK):
            some, ties = sums[start : start + _BLOCK], self._by_ties[start : start + _BLOCK]
            squares[:k, :k] += some.T @ some
            if self._has_ties:
                squares[k, :k] += ties @ some
                squares[k, k] += ties @ ties
        squares[:k, k:] = squares[k:, :k].T
        return squares


def cluster_squares(
    fit: BradleyTerryFit,
    one: IntArray,
    two: IntArray,
    outcome: FloatArray,
    clusters: IntArray,
    weights: FloatArray | None = None,
) -> tuple[FloatArray, int]:
    """Return Σ_g s_g s_gᵀ of comparisons that come all at once, and how many clusters there are.

    Clusters are numbered from 0; some numbers may stand for none.
    """
    bound, rows = int(clusters.max(initial=-1)) + 1, max(1, _MOST // len(fit.information))
    if bound <= rows:
        sums = ClusterSums(fit, bound)
        sums.add(one, two, outcome, clusters, weights)
        return sums.squares(), _count(clusters) if sums.may_lack_clusters() else bound
    squares = np.zeros_like(fit.information)
    order = np.argsort(clusters, kind="stable")
    ends = np.searchsorted(clusters[order], np.arange(0, bound + rows, rows))
    for part in range(len(ends) - 1):
        mine = order[ends[part] : ends[part + 1]]
        sums = ClusterSums(fit, rows)
        some = None if weights is None else weights[mine]
        sums.add(one[mine], two[mine], outcome[mine], clusters[mine] - part * rows, some)
        squares += sums.squares()
    return squares, _count(clusters)


def _count(clusters: IntArray) -> int:
    return int(np.count_nonzero(np.bincount(clusters)))
