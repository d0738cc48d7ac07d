"""Prediction-powered inference: few human labels and many judge labels combined into one mean.

PPI: Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023; PPI++ and its power tuning: Angelopoulos, Duchi & Zrnic 2023.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, NamedTuple

import msgspec
import numpy as np
from msgspec.structs import replace

from venire.errors import UsageError
from venire.stats.observations import as_floats, encode, observed, observed_pairs, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.cluster_robust import robust_error
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.intervals import NO_VARIATION, require_level, t_interval
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

Side = Literal["both", "below", "above"]
"""On which side of the mean the interval ends: on both, or only below or above, with all of the error there."""

FEWEST_OF_EACH = 3
"""How many labels of 0, and how many of 1, an interval needs; with fewer it is marked rough."""

UNSEEN_ERRORS = 0.5
"""How many errors are added to those seen among binary labels, for the variance alone."""

_ROWS_AT_ONCE = 32_768


class PredictionPoweredMean(msgspec.Struct, frozen=True, kw_only=True):
    """A mean corrected by human labels, beside what the labels alone and the judge alone would say."""

    corrected: Estimate
    """The mean that people would give, from both kinds of labels."""
    labels_only: Estimate
    """The mean of the human labels alone."""
    naive: Estimate
    """The mean of the judge's scores alone; its interval knows nothing of the judge's bias."""
    judge_bias: Estimate
    """How far the judge scores above people, from the samples that both scored."""
    tuning: float | None
    """The weight λ of the judge: 1 is plain PPI, 0 leaves the judge out; None if not known."""
    effective_labels: float | None
    """How many human labels alone would give an interval as narrow."""
    gain_over_labels: float | None
    """`effective_labels` over the number of labels: above 1, the judge helped."""
    gain_over_naive: float | None
    """The mean squared error of the naive mean (its variance plus the estimated squared bias) over the variance of the
    corrected one: above 1, the labels bought a better number than the judge alone."""


class Moments(NamedTuple):
    """Count, mean and variance of a long list of numbers."""

    size: int
    """How many numbers there are."""
    mean: float
    """Their mean."""
    variance: float
    """Their sample variance, with divisor size − 1."""


def moments(values: ArrayLike) -> Moments:
    """Return count, mean and sample variance, reading the numbers once; missing ones are left out.

    Each block is centred on the first number before squaring, so that a large common offset does not cancel.
    """
    array: FloatArray = np.asarray(values, dtype=np.float64).ravel()
    count = len(array)
    if not count:
        return Moments(0, math.nan, math.nan)
    shift = float(array[: min(count, 1000)].mean())
    total, squares = 0.0, 0.0
    for start in range(0, count, _ROWS_AT_ONCE):
        block = array[start : start + _ROWS_AT_ONCE] - shift
        total += float(block.sum())
        squares += float(block @ block)
    if not (math.isfinite(total) and math.isfinite(squares)):
        there = observed(array)
        return moments(there) if len(there) < count else Moments(count, float(array.mean()), math.nan)
    offset = total / count
    variance = max(0.0, squares - count * offset * offset) / (count - 1) if count > 1 else math.nan
    return Moments(count, shift + offset, variance)


def prediction_powered_mean(
    labels: ArrayLike,
    judged_labelled: ArrayLike,
    judged_unlabelled: ArrayLike,
    *,
    clusters: tuple[ArrayLike, ArrayLike] | None = None,
    tuned: bool = True,
    tuning: float | None = None,
    side: Side = "both",
    level: float = 0.95,
) -> PredictionPoweredMean:
    """Estimate the mean of human labels from labelled samples (both scores) and unlabelled ones (the judge's only).

    With `tuned` the judge's weight λ minimises the variance (PPI++) and is kept within 0 and 1; without, λ = 1 (PPI);
    `tuning` sets it by hand. The labelled samples must be a random part of all. The interval uses t with
    Satterthwaite's degrees of freedom and, if tuned, the divisor n − 3 for the labels; for many labels it is the
    papers' normal interval. `clusters` names the question of each labelled and of each unlabelled sample; questions
    may have both, and errors are then CR2. `side` asks for a one-sided interval: only its lower end (`below`) or its
    upper end (`above`) then has the level.
    """
    require_level(level)
    if tuning is not None and not 0 <= tuning <= 1:
        raise UsageError("error.stats.tuning", found=tuning)
    sample = _Sample.read(labels, judged_labelled, judged_unlabelled, clusters)
    truth, stated = sample.truth, sample.stated
    rest = moments(sample.rest)
    is_tuned = tuned and tuning is None
    method = say("method.ppi_tuned" if is_tuned else "method.ppi_by_hand" if tuning is not None else "method.ppi")
    method = method if clusters is None else say("method.with_clustered_errors", method=method)
    n = {"labelled": len(truth), "judged only": rest.size}
    asked = level if side == "both" else 1 - 2 * (1 - level)
    require_level(asked)
    labels_only = sample.mean(truth, level)
    bias = sample.mean(stated - truth, level)
    naive = sample.naive(rest, level)

    def result(corrected: Estimate, weight: float | None, gain: float | None = None) -> PredictionPoweredMean:
        return PredictionPoweredMean(
            corrected=corrected, labels_only=labels_only, naive=naive, judge_bias=bias, tuning=weight,
            effective_labels=None if gain is None else gain * len(truth), gain_over_labels=gain,
            gain_over_naive=None if gain is None else _gain_over_naive(naive, bias, corrected),
        )  # fmt: skip

    if len(truth) < 2 or rest.size < 2:
        reason = say("reason.two_labelled") if len(truth) < 2 else say("reason.two_judged")
        return result(Estimate.unknown(method, reason, n=n), None)
    weight = power_tuning(truth, stated, rest) if is_tuned else 1.0 if tuning is None else tuning
    value = weight * rest.mean + float((truth - weight * stated).mean())
    error, degrees, found = sample.error(weight, rest, spent=3 if is_tuned and len(truth) > 3 else 1)
    n |= found
    if not math.isfinite(error):
        return result(Estimate(value=value, method=method, n=n, reason=say("reason.one_cluster_side")), weight)
    if error <= 1e-12 * max(1.0, abs(value)):
        return result(Estimate(value=value, method=method, n=n, reason=NO_VARIATION), weight)
    margin = t_quantile(asked, degrees) * error
    few = _few_of_each(truth)
    corrected = Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method, n=n,
        note=say("note.rough_labels", found=few, least=FEWEST_OF_EACH) if few is not None else "",
    )  # fmt: skip
    alone = labels_only.standard_error
    return result(corrected, weight, alone**2 / error**2 if alone else 0.0)


class _Sample(NamedTuple):
    """Labels and judge's scores that are there, with the cluster of each."""

    truth: FloatArray
    stated: FloatArray
    rest: FloatArray
    labelled_clusters: IntArray | None
    rest_clusters: IntArray | None

    @classmethod
    def read(
        cls, labels: ArrayLike, stated: ArrayLike, rest: ArrayLike, clusters: tuple[ArrayLike, ArrayLike] | None
    ) -> _Sample:
        if clusters is None:
            return cls(*observed_pairs(labels, stated), as_floats(rest).ravel(), None, None)
        truth, given, others = (as_floats(each).ravel() for each in (labels, stated, rest))
        require_same_length("values", truth, "values_to_pair_them_with", given)
        sides = [np.asarray(each, dtype=object).ravel() for each in clusters]
        require_same_length("values", truth, "clusters", sides[0])
        require_same_length("values", others, "clusters", sides[1])
        codes = encode(np.concatenate(sides))[1]
        one, two = codes[: len(truth)], codes[len(truth) :]
        both, judged = ~(np.isnan(truth) | np.isnan(given)) & (one >= 0), ~np.isnan(others) & (two >= 0)
        return cls(truth[both], given[both], others[judged], one[both], two[judged])

    def mean(self, values: FloatArray, level: float) -> Estimate:
        """Return the mean of values of the labelled samples."""
        if self.labelled_clusters is None:
            return t_interval(values, level=level)
        return clustered_mean(values, self.labelled_clusters, level=level)

    def naive(self, rest: Moments, level: float) -> Estimate:
        """Return the mean of all of the judge's scores."""
        if self.labelled_clusters is None or self.rest_clusters is None:
            return _naive(self.stated, rest, level)
        together = np.concatenate([self.stated, self.rest])
        found = clustered_mean(together, np.concatenate([self.labelled_clusters, self.rest_clusters]), level=level)
        return replace(found, method=say("method.judge_mean_clustered"))

    def error(self, weight: float, rest: Moments, *, spent: int) -> tuple[float, float, dict[str, int]]:
        """Return the standard error, its degrees of freedom and what more it rests on.

        A tuned weight is fitted to make this very error small, which costs two degrees of freedom, as in a corrected
        difference; by simulation one is not enough (`bench.stats.coverage`). Labels that are 0 or 1
        count half a sample each on which the judge errs in either way, as few labels may show no error at all.
        """
        rectifier = self.truth - weight * self.stated
        size = len(rectifier)
        squares = float(((rectifier - rectifier.mean()) ** 2).sum())
        free = size - spent
        unseen = UNSEEN_ERRORS * weight**2 if np.isin(self.truth, (0.0, 1.0)).all() else 0.0
        from_labels, from_judged = (squares + unseen) / free / size, weight**2 * rest.variance / rest.size
        variance = from_labels + from_judged
        if self.labelled_clusters is None or self.rest_clusters is None:
            degrees = variance**2 / (from_labels**2 / free + from_judged**2 / (rest.size - 1)) if variance else 0.0
            return math.sqrt(variance), degrees, {}
        parts = [(rectifier, self.labelled_clusters)]
        if weight:
            parts.append((weight * self.rest, self.rest_clusters))
        found = robust_error(parts)
        error = math.sqrt(found.error**2 * (size - 1) / free + unseen / free / size)
        return error, max(found.degrees, 1.0), {"clusters": found.clusters}


def _few_of_each(truth: FloatArray) -> int | None:
    """Return how many labels are 0, or 1, if they are fewer than an interval needs; None if they are enough."""
    if not np.isin(truth, (0.0, 1.0)).all():
        return None
    fewest = int(min(truth.sum(), (1 - truth).sum()))
    return fewest if fewest < FEWEST_OF_EACH else None


def power_tuning(truth: FloatArray, stated: FloatArray, rest: Moments) -> float:
    """Return λ = cov(label, judge) / ((1 + n/N) · var(judge)), within 0 and 1 (PPI++, example 6.1)."""
    together = float(((truth - truth.mean()) * (stated - stated.mean())).sum()) / (len(truth) - 1)
    own = float(((stated - stated.mean()) ** 2).sum())
    between = len(stated) * rest.size / (len(stated) + rest.size) * (float(stated.mean()) - rest.mean) ** 2
    pooled = (own + rest.variance * (rest.size - 1) + between) / (len(stated) + rest.size - 1)
    if pooled <= 0:
        return 0.0
    return min(1.0, max(0.0, together / ((1 + len(truth) / rest.size) * pooled)))


def _naive(stated: FloatArray, rest: Moments, level: float) -> Estimate:
    method = say("method.judge_mean")
    count = len(stated) + rest.size
    n = {"judged": count}
    if not count:
        return Estimate.unknown(method, say("reason.no_judged"), n=n)
    own = moments(stated)
    parts = [part for part in (own, rest) if part.size]
    mean = sum(part.size * part.mean for part in parts) / count
    squares = sum(
        (part.variance * (part.size - 1) if part.size > 1 else 0.0) + part.size * (part.mean - mean) ** 2
        for part in parts
    )
    if count < 2 or squares <= 1e-24 * max(1.0, mean * mean):
        return Estimate(value=mean, method=method, n=n, reason=say("reason.one_judged") if count < 2 else NO_VARIATION)
    error = math.sqrt(squares / (count - 1) / count)
    margin = t_quantile(level, count - 1) * error
    return Estimate(
        value=mean, low=mean - margin, high=mean + margin, level=level, standard_error=error, method=method, n=n
    )


def _gain_over_naive(naive: Estimate, bias: Estimate, corrected: Estimate) -> float | None:
    if naive.standard_error is None or bias.value is None or not corrected.standard_error:
        return None
    # The square of an estimated bias is too large by the variance of that estimate.
    squared_bias = max(0.0, bias.value**2 - (bias.standard_error or 0.0) ** 2)
    return (naive.standard_error**2 + squared_bias) / corrected.standard_error**2
