"""The difference of two paired proportions by the score method (Tango 1998, Statistics in Medicine 17, 891–908).

Of n outputs, `first` changed only in the first way and `second` only in the second. A judge's changes under a probe are
held against its changes when it is merely asked again, and what it raises against what it lowers: what remains is what
the probe did.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from venire.errors import UsageError

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray


def paired_difference(first: int, second: int, pairs: int) -> float:
    """Return the share that changed in the first way less the share that changed in the second."""
    _require(first, second, pairs)
    return (first - second) / pairs


def paired_score(first: int, second: int, pairs: int, difference: float) -> float:
    """Return the score statistic of a true difference; normal under it, and positive if more was seen.

    At a difference of 0 it is McNemar's.

    >>> round(paired_score(9, 4, 50, 0.0), 4)
    1.3868
    """
    _require(first, second, pairs)
    seen = first - second - pairs * difference
    linear = -first - second + (2 * pairs - first + second) * difference
    constant = -second * difference * (1 - difference)
    rest = (math.sqrt(max(0.0, linear * linear - 8 * pairs * constant)) - linear) / (4 * pairs)
    variance = pairs * (2 * rest + difference * (1 - difference))
    if variance <= 1e-12:
        return 0.0 if abs(seen) < 1e-9 else math.copysign(math.inf, seen)
    return seen / math.sqrt(variance)


def paired_scores(first: FloatArray, second: FloatArray, pairs: int, difference: float) -> FloatArray:
    """Return the score statistic of many counts at once; bounds take it one by one, which is quicker for one."""
    seen = first - second - pairs * difference
    linear = -first - second + (2 * pairs - first + second) * difference
    constant = -second * difference * (1 - difference)
    rest = (np.sqrt(np.maximum(0.0, linear * linear - 8 * pairs * constant)) - linear) / (4 * pairs)
    variance = pairs * (2 * rest + difference * (1 - difference))
    with np.errstate(divide="ignore", invalid="ignore"):
        scores = seen / np.sqrt(np.maximum(variance, 0.0))
    certain = np.where(np.abs(seen) < 1e-9, 0.0, np.copysign(np.inf, seen))
    return np.asarray(np.where(variance <= 1e-12, certain, scores), dtype=np.float64)


def paired_bounds(first: int, second: int, pairs: int, *, alpha: float = 0.05) -> tuple[float, float]:
    """Return the one-sided bounds of the difference, each with a confidence of 1 − α.

    >>> [round(each, 4) for each in paired_bounds(9, 4, 50)]
    [-0.02, 0.2224]
    """
    from scipy.special import ndtri

    critical = float(ndtri(1 - alpha))
    return _where_score_is(critical, first, second, pairs), _where_score_is(-critical, first, second, pairs)


def paired_exceeding_p(first: int, second: int, pairs: int, limit: float) -> float:
    """Return the probability of at least this score if the true difference is the limit."""
    from scipy.special import ndtr

    return float(ndtr(-paired_score(first, second, pairs, limit)))


def _where_score_is(wanted: float, first: int, second: int, pairs: int) -> float:
    """Return the difference at which the score, which falls as the difference grows, is the wanted one."""
    low, high = -1.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if paired_score(first, second, pairs, middle) > wanted:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def _require(first: int, second: int, pairs: int) -> None:
    if pairs < 1 or first < 0 or second < 0 or first + second > pairs:
        raise UsageError("error.stats.not_pairs", first=first, second=second, pairs=pairs)
