"""Names as numbers that are the same on every machine, and weights drawn from them: what shards can agree on unasked.

A replicate of the Poisson bootstrap gives each unit or cluster a weight of its own, drawn from Poisson(1) instead of a
multinomial count (Chamandy, Muralidharan, Najmi & Naidu 2012). Here the weight follows from seed, replicate and name by
a hash, so that it does not matter which shard meets the name, or how many do.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

from venire.errors import UsageError
from venire.stats.observations import require_count

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Fingerprints = NDArray[np.uint64]

_DRAWS_AT_ONCE = 4_000_000
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def fingerprints(names: Iterable[object]) -> Fingerprints:
    """Return 64 bits for each name: the first of its BLAKE2b digest as UTF-8.

    >>> hex(fingerprints(["joke-1"])[0])
    '0x2464e35b1b8bb492'
    """
    digests = b"".join(blake2b(str(name).encode("utf-8", "surrogatepass"), digest_size=8).digest() for name in names)
    return np.frombuffer(digests, dtype="<u8").astype(np.uint64)


def poisson_weights(names: Fingerprints, seed: int, replicates: range) -> NDArray[np.float64]:
    """Return replicates × names: how often each name is drawn in each replicate, 1 on average, as Poisson(1) is."""
    keys = _mix(_mix(np.array([seed & 0xFFFFFFFFFFFFFFFF], dtype=np.uint64)) + _counted(replicates))
    random = _mix(names[None, :] ^ keys[:, None])
    return np.searchsorted(_THRESHOLDS, random, side="right").astype(np.float64)


def draw_sums(names: Fingerprints, columns: Any, seed: int, replicates: int) -> NDArray[np.float64]:
    """Return replicates × columns: the sums of columns over names, each as often as it is drawn.

    `columns` is names × columns, dense or sparse.
    """
    require_count("seed", seed)
    sums = np.zeros((replicates, columns.shape[1]))
    step = max(1, _DRAWS_AT_ONCE // max(len(names), 1))
    for start in range(0, replicates if len(names) else 0, step):
        chosen = range(start, min(start + step, replicates))
        sums[start : chosen.stop] = poisson_weights(names, seed, chosen) @ columns
    return sums


def merge_disjoint(one: Fingerprints, two: Fingerprints) -> Fingerprints:
    """Return the units of two shards. Raises `UsageError` if they share one: what is summed by unit needs it whole."""
    shared = np.intersect1d(one, two)
    if len(shared):
        raise UsageError("error.stats.shared_units", count=len(shared))
    return np.union1d(one, two)


def _counted(replicates: range) -> NDArray[np.uint64]:
    return (np.arange(replicates.start, replicates.stop, dtype=np.uint64) + np.uint64(1)) * _GOLDEN


def _mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread 64 bits: the finaliser of SplitMix64 (Steele, Lea & Flood 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def _poisson_thresholds() -> NDArray[np.uint64]:
    """Return from which 64-bit number on a draw is above 0, above 1, and so on."""
    bounds, chance, below = [], math.exp(-1), 0.0
    for count in range(1, 21):
        below += chance
        if below * 2.0**64 >= 2**64 - 2048:
            break
        bounds.append(int(below * 2.0**64))
        chance /= count
    return np.array(bounds, dtype=np.uint64)


_THRESHOLDS = _poisson_thresholds()
