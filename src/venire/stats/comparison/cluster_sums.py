"""The derivatives of a Bradley–Terry fit, summed over the comparisons of each cluster, as errors by clusters need them.

A comparison of i and j pulls βᵢ up by what its outcome exceeds the expected one, βⱼ down by as much, and log ν by how
far it was no tie that was expected, or one that was not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.comparison.win_matrix import kind_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from venire.stats.comparison.bradley_terry import BradleyTerryFit
    from venire.stats.comparison.win_matrix import KindArray
    from venire.stats.observations import FloatArray, IntArray

_CHUNK = 1 << 15
"""How many comparisons are worked on at a time, so that what they need stays in the processor's cache."""
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
        self._models, self._columns = len(fit.models), len(fit.information)
        self._bits, self._has_ties = kind_bits(self._models), self._columns > self._models
        self._effects = self._by_kind(fit, np.complex128 if clusters * self._models <= _EXACT else np.complex64)
        kind = self._effects.real.dtype
        self._sums: NDArray[np.floating] = np.empty(clusters * self._columns, dtype=kind)
        self._sums.fill(0)  # Unlike zeros that come as memory is first touched, all at once.
        self._by_ties: NDArray[np.floating] = np.zeros(clusters, dtype=kind)

    def _by_kind(self, fit: BradleyTerryFit, dtype: type[np.complexfloating]) -> NDArray[np.complexfloating]:
        """Return what a comparison of each kind adds, by the number of the kind; see `empty_kinds`.

        The real part is its pull on the strengths, the imaginary part that on log ν, so that one look gives both.
        """
        found, (lean, tie) = np.zeros((3, 1 << self._bits, 1 << self._bits), dtype=dtype), fit.expected()
        for halves in range(3):
            mine = found[halves, : self._models, : self._models]
            mine.real = halves / 2 - 0.5 - lean / 2
            if tie is not None:
                mine.imag = (halves == 1) - tie
        return found.ravel()

    def add(
        self,
        one: NDArray[np.integer],
        two: NDArray[np.integer],
        outcome: FloatArray,
        clusters: IntArray,
        weights: FloatArray | None = None,
        kinds: KindArray | None = None,
    ) -> None:
        """Add comparisons, with the numbers of their models in the fit and of their clusters; none may be missing.

        `kinds` are their kinds where they are known, which spares reading models and outcomes again.
        """
        model = (1 << self._bits) - 1
        for start in range(0, len(outcome), _CHUNK):
            rows = slice(start, start + _CHUNK)
            if kinds is None:
                place = (outcome[rows] * 2).astype(np.intp)
                for number in (one[rows], two[rows]):
                    place <<= self._bits
                    place |= number
            else:
                place = kinds[rows].astype(np.intp)
            effect = self._effects.take(place)
            if weights is not None:
                effect *= weights[rows]
            if self._has_ties:
                np.add.at(self._by_ties, clusters[rows], effect.imag)
            row = clusters[rows] * self._columns
            first = place >> self._bits
            first &= model
            first += row
            np.add.at(self._sums, first, effect.real)
            place &= model
            place += row
            np.subtract.at(self._sums, place, effect.real)

    def _rows(self, rows: slice = slice(None)) -> NDArray[np.floating]:
        """Return the sums of some clusters; those by log ν are held apart, so that they stay in the cache."""
        found = self._sums.reshape(-1, self._columns)[rows]
        if self._has_ties:
            found[:, self._models] = self._by_ties[rows]
        return found

    def table(self) -> FloatArray:
        """Return the sums, a row for each cluster and a column for each strength and, with ties, for log ν."""
        return self._rows().astype(np.float64)

    def may_lack_clusters(self) -> bool:
        """Tell whether some cluster may have no comparison: its sums are 0."""
        if self._has_ties:
            return not self._by_ties.all()
        rows = self._rows()
        return not np.einsum("gi,gi->g", rows, rows).all()

    def squares(self) -> FloatArray:
        """Return Σ_g s_g s_gᵀ over all clusters."""
        squares = np.zeros((self._columns,) * 2)
        for start in range(0, len(self._by_ties), _BLOCK):
            some = self._rows(slice(start, start + _BLOCK))
            squares += some.T @ some
        return squares


def cluster_squares(
    fit: BradleyTerryFit,
    one: NDArray[np.integer],
    two: NDArray[np.integer],
    outcome: FloatArray,
    clusters: IntArray,
    weights: FloatArray | None = None,
    *,
    kinds: KindArray | None = None,
    bound: int | None = None,
) -> tuple[FloatArray, int]:
    """Return Σ_g s_g s_gᵀ of comparisons that come all at once, and how many clusters there are.

    Clusters are numbered from 0; some numbers may stand for none. `bound` is above all of them, where it is known.
    """
    bound = int(clusters.max(initial=-1)) + 1 if bound is None else bound
    rows = max(1, _MOST // len(fit.information))
    if bound <= rows:
        sums = ClusterSums(fit, bound)
        sums.add(one, two, outcome, clusters, weights, kinds)
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
