"""Signed ranks of differences and the exact distribution of their sum."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray


def signed_ranks(differences: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the ranks and signs of all differences that are there and not 0; ties share their mean rank."""
    there = differences[~np.isnan(differences) & (differences != 0)]
    _, inverse, counts = np.unique(np.abs(there), return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    mean_ranks = last - (counts - 1) / 2
    return mean_ranks[inverse].astype(np.float64), np.sign(there)


def exact_two_sided(ranks: FloatArray, positive_sum: float) -> float:
    """Return the exact two-sided p value of a sum of positive ranks when every sign is a fair coin.

    Mean ranks of ties are halves, so the ranks are doubled and the number of sign patterns for each sum is counted by
    adding one rank after another.
    """
    doubled = np.rint(2 * ranks).astype(np.intp)
    total = int(doubled.sum())
    probabilities = np.zeros(total + 1)
    probabilities[0] = 1.0
    for rank in doubled:
        shifted = np.zeros_like(probabilities)
        shifted[rank:] = probabilities[: total + 1 - rank]
        probabilities = (probabilities + shifted) / 2
    reached = round(2 * positive_sum)
    tail = min(float(probabilities[: reached + 1].sum()), float(probabilities[reached:].sum()))
    return min(1.0, 2 * tail)
