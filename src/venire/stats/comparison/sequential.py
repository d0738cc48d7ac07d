"""A paired comparison that may be looked at after every question, and stopped at any of them.

The evidence is the scale-invariant Bayes factor of the t test with a normal prior on the standardised difference, which
is an e-process (Rouder et al. 2009; Hendriksen, de Heide & Grünwald 2021, Optional stopping with Bayes factors,
Bayesian Analysis 16, 961–989): for normal differences the chance that it ever exceeds 1/α without a difference is at
most α. Its inversion is a confidence sequence, all of whose intervals hold at once.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS, NO_VARIATION, require_level
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray

PRIOR_VARIANCE = 0.25
"""The variance of the prior on the difference in standard deviations: about half a one is expected."""

FIRST_LOOK = 10
"""From how many clusters on something is decided: earlier, skewed differences would alarm too often."""

ROUGH_BELOW = 50
"""Below how many clusters very skewed differences are decided too often (`bench.stats.sequential`)."""


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
        return _nothing(Estimate.unknown(say("method.sequential"), reason))


def sequential_difference(
    differences: ArrayLike, clusters: ArrayLike | None = None, *, level: float = 0.95
) -> SequentialDifference:
    """Give the mean of paired differences with an interval that holds at every look at once.

    Each cluster, such as a question, counts once, by the mean of its differences. Below ten of them nothing is decided,
    and below fifty the result says that very skewed differences are decided too often.
    """
    require_level(level)
    means = _cluster_means(differences, clusters)
    method, n = say("method.sequential"), {"clusters": len(means)}
    if not len(means):
        return _nothing(Estimate.unknown(method, NO_OBSERVATIONS, n=n))
    mean = float(means.mean())
    if len(means) < FIRST_LOOK:
        reason = say("reason.before_first_look", found=len(means), least=FIRST_LOOK)
        return _nothing(Estimate(value=mean, method=method, n=n, reason=reason))
    error = float(means.std(ddof=1)) / math.sqrt(len(means))
    if error <= 1e-12 * max(1.0, abs(mean)):
        return _nothing(Estimate(value=mean, method=method, n=n, reason=NO_VARIATION))
    reach = _reach(len(means), 1 - level)
    if math.isinf(reach):
        return _nothing(Estimate(value=mean, method=method, n=n, reason=say("reason.level_too_high", level=level)))
    margin = reach * error
    e_value = math.exp(min(_log_evidence((mean / error) ** 2, len(means)), 700.0))
    note = say("note.rough_look", found=len(means), least=ROUGH_BELOW) if len(means) < ROUGH_BELOW else ""
    estimate = Estimate(
        value=mean, low=mean - margin, high=mean + margin, level=level, standard_error=error, method=method, n=n,
        note=note,
    )  # fmt: skip
    decided = abs(mean) > margin
    return SequentialDifference(
        difference=estimate, e_value=e_value, least_p=min(1.0, 1 / e_value), decided=decided
    )  # fmt: skip


def _nothing(estimate: Estimate) -> SequentialDifference:
    return SequentialDifference(difference=estimate, e_value=None, least_p=None, decided=False)


def _cluster_means(differences: ArrayLike, clusters: ArrayLike | None) -> FloatArray:
    values = as_floats(differences).ravel()
    codes = np.arange(len(values)) if clusters is None else encode(clusters)[1]
    require_same_length("values", values, "clusters", codes)
    there = ~np.isnan(values) & (codes >= 0)
    numbers, places = np.unique(codes[there], return_inverse=True)
    sums = np.bincount(places, weights=values[there], minlength=len(numbers))
    return np.asarray(sums / np.maximum(np.bincount(places, minlength=len(numbers)), 1))


def _log_evidence(t_square: float, n: int) -> float:
    """Return the logarithm of the Bayes factor against no difference, from t² of n values."""
    wide, degrees = 1 + n * PRIOR_VARIANCE, n - 1
    ratio = math.log1p(t_square / degrees) - math.log1p(t_square / (degrees * wide))
    return -0.5 * math.log(wide) + n / 2 * ratio


def _reach(n: int, alpha: float) -> float:
    """Return the |t| at which the Bayes factor of n values is 1/α."""
    wide, degrees = 1 + n * PRIOR_VARIANCE, n - 1
    bound = (math.sqrt(wide) / alpha) ** (2 / n)
    # With so few values, or so high a level, no difference would be enough.
    return math.sqrt(degrees * (bound - 1) / (1 - bound / wide)) if bound < wide else math.inf
