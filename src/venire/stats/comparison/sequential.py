"""A paired comparison that may be looked at after every question, and stopped at any of them.

Scores lie on a scale whose ends are known, so their differences are bounded, and betting on their mean gives evidence
and an interval that hold at every look for whatever distribution they have: skewed ones too, where one side fails
rarely but badly (`venire.stats.sequential.bounded_mean`). The e-value is the wealth of who bets against "no
difference"; without one, the chance that it ever reaches 1/α is at most α.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.sequential.bounded_mean import gathered, log_wealth, mean_interval
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS, require_level
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray


class SequentialDifference(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a difference at this look; it stays valid however often one has looked before."""

    difference: Estimate
    """The mean difference with the interval of the confidence sequence."""
    e_value: float | None
    """The evidence against no difference: from 1/α on it is decided; None if it is not known."""
    least_p: float | None
    """1 over the e-value, at most 1: a p value that holds at any look."""
    decided: bool
    """Whether the interval leaves out 0, so that one may stop."""

    @classmethod
    def not_known(cls, reason: str = NO_OBSERVATIONS) -> SequentialDifference:
        """Return what is known where nothing can be compared, and why."""
        unknown = Estimate.unknown(say("method.sequential"), reason)
        return cls(difference=unknown, e_value=None, least_p=None, decided=False)


def sequential_difference(
    differences: ArrayLike,
    clusters: ArrayLike | None = None,
    *,
    scale: tuple[float, float] = (0.0, 1.0),
    level: float = 0.95,
) -> SequentialDifference:
    """Give the mean of paired differences with an interval that holds at every look at once.

    `scale` has the lowest and the highest score that there can be; no difference is larger than the scale is long.
    Each cluster, such as a question, counts once, by the mean of its differences. The narrower the differences are
    beside the scale, the more questions it takes: a failure that nobody has seen yet could lie as low as the scale.
    Raises `UsageError` for a difference that the scale does not allow.

    >>> found = sequential_difference([1, 1, 0, 1, 1, 1, 1, 1, 0, 1])
    >>> found.decided, round(found.difference.low, 2)
    (True, 0.16)
    """
    require_level(level)
    longest = _length(scale)
    means, values = _cluster_means(differences, clusters)
    if not len(means):
        return SequentialDifference.not_known()
    strange = means[np.abs(means) > longest * (1 + 1e-9)]
    if len(strange):
        raise UsageError("error.stats.off_scale", low=f"{-longest:g}", high=f"{longest:g}", found=f"{strange[0]:g}")
    shares, counts = gathered(0.5 + means / (2 * longest))
    low, high = mean_interval(shares, counts, 1 - level)
    e_value = math.exp(min(log_wealth(shares, counts, 0.5), 700.0))
    estimate = Estimate(
        value=float(means.mean()), low=longest * (2 * low - 1), high=longest * (2 * high - 1), level=level,
        method=say("method.sequential"), n={"values": values, "clusters": len(means)},
    )  # fmt: skip
    decided = e_value >= 1 / (1 - level)
    return SequentialDifference(difference=estimate, e_value=e_value, least_p=min(1.0, 1 / e_value), decided=decided)


def _length(scale: tuple[float, float]) -> float:
    ends = [float(end) for end in as_floats(list(scale)).ravel()]
    if len(ends) != 2 or not ends[0] < ends[1]:
        raise UsageError("error.stats.scale_ends", found=tuple(f"{end:g}" for end in ends))
    return ends[1] - ends[0]


def _cluster_means(differences: ArrayLike, clusters: ArrayLike | None) -> tuple[FloatArray, int]:
    """Return the mean difference of each cluster, and how many differences there are in all."""
    values = as_floats(differences).ravel()
    codes = np.arange(len(values)) if clusters is None else encode(clusters)[1]
    require_same_length("values", values, "clusters", codes)
    there = ~np.isnan(values) & (codes >= 0)
    numbers, places = np.unique(codes[there], return_inverse=True)
    sums = np.bincount(places, weights=values[there], minlength=len(numbers))
    return np.asarray(sums / np.maximum(np.bincount(places, minlength=len(numbers)), 1)), int(there.sum())
