"""A judge's scores brought to people's by isotonic regression, fitted on some labels and tested on others.

Pool adjacent violators: Ayer, Brunk, Ewing, Reid & Silverman 1955, Annals of Mathematical Statistics 26, 641–647;
between fitted scores the curve is a straight line, outside of them it is level.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import as_floats, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered import clustered_mean
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray

FEWEST = 10
"""How many labels fitting needs, and how many testing does."""


class IsotonicCurve(NamedTuple):
    """A curve that never falls: which score of people belongs to a judge's score."""

    judged: FloatArray
    """Distinct scores of the judge, ascending."""
    people: FloatArray
    """What people give there."""

    def __call__(self, judged: ArrayLike) -> FloatArray:
        """Return what people would give for scores of the judge."""
        found: FloatArray = np.interp(as_floats(judged), self.judged, self.people)
        return found


class Recalibration(msgspec.Struct, frozen=True, kw_only=True):
    """How far a judge's scores are from people's on labels that nothing was fitted to."""

    before: Estimate
    """The mean absolute error of the judge's scores."""
    after: Estimate
    """That of the recalibrated scores."""
    constant: Estimate
    """That of guessing the median label for every output."""
    gain: Estimate
    """By how much recalibration lowers the error, output by output."""
    fitted: int
    """How many labels the curve was fitted to."""
    tested: int
    """How many labels it was tested on."""


def isotonic_regression(judged: ArrayLike, people: ArrayLike, weights: ArrayLike | None = None) -> IsotonicCurve:
    """Fit the curve that never falls and has the least squared errors; raises `UsageError` without any observation.

    >>> isotonic_regression([1, 2, 3, 4], [1, 3, 2, 4]).people.tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    stated, given = as_floats(judged).ravel(), as_floats(people).ravel()
    require_same_length("values", stated, "values_to_pair_them_with", given)
    weight = np.ones(len(stated)) if weights is None else as_floats(weights).ravel()
    require_same_length("values", stated, "values_to_pair_them_with", weight)
    if (weight < 0).any():
        raise UsageError("error.stats.negative_weight", found=f"{weight[weight < 0][0]:g}")
    there = ~(np.isnan(stated) | np.isnan(given)) & (weight > 0)
    if not there.any():
        raise UsageError("error.stats.nothing_to_fit")
    scores, place = np.unique(stated[there], return_inverse=True)
    sizes = np.bincount(place, weights=weight[there])
    means = np.bincount(place, weights=weight[there] * given[there]) / sizes
    blocks: list[list[float]] = []
    for mean, size in zip(means.tolist(), sizes.tolist(), strict=True):
        blocks.append([mean, size, 1.0])
        while len(blocks) > 1 and blocks[-2][0] >= blocks[-1][0]:
            value, more, count = blocks.pop()
            last = blocks[-1]
            last[0] = (last[0] * last[1] + value * more) / (last[1] + more)
            last[1] += more
            last[2] += count
    fitted = np.concatenate([np.full(int(count), value) for value, _, count in blocks])
    return IsotonicCurve(scores, fitted)


def recalibrate(
    judged: ArrayLike, labels: ArrayLike, is_fit: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Recalibration:
    """Fit a judge's scores to labels on some outputs, and test it on the others.

    `is_fit` says which outputs are for fitting; those of one cluster should all be on one side. Below ten labels on
    either side nothing is known.
    """
    stated, given = as_floats(judged).ravel(), as_floats(labels).ravel()
    fits = np.asarray(is_fit).ravel()
    require_same_length("values", stated, "values_to_pair_them_with", given)
    require_same_length("values", stated, "values_to_pair_them_with", fits)
    if fits.dtype != np.bool_:
        raise UsageError("error.stats.sides", found=str(fits.dtype))
    codes = np.arange(len(stated)) if clusters is None else np.asarray(clusters, dtype=object).ravel()
    require_same_length("values", stated, "clusters", codes)
    there = ~(np.isnan(stated) | np.isnan(given))
    fit, test = there & fits, there & ~fits
    counts = (int(fit.sum()), int(test.sum()))
    if min(counts) < FEWEST:
        reason = say("reason.few_to_recalibrate", fitted=counts[0], tested=counts[1], least=FEWEST)
        nothing = Estimate.unknown(say("method.isotonic"), reason, n={"fitted": counts[0], "tested": counts[1]})
        return Recalibration(
            before=nothing, after=nothing, constant=nothing, gain=nothing, fitted=counts[0], tested=counts[1]
        )
    curve = isotonic_regression(stated[fit], given[fit])
    people = given[test]
    before, after = np.abs(stated[test] - people), np.abs(curve(stated[test]) - people)
    constant = np.abs(np.median(given[fit]) - people)

    def mean(values: FloatArray, method: str) -> Estimate:
        return msgspec.structs.replace(clustered_mean(values, codes[test], level=level), method=method)

    return Recalibration(
        before=mean(before, say("method.absolute_error")), after=mean(after, say("method.isotonic")),
        constant=mean(constant, say("method.constant_guess")), gain=mean(before - after, say("method.isotonic")),
        fitted=counts[0], tested=counts[1],
    )  # fmt: skip
