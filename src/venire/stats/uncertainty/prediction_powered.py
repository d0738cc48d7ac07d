"""Prediction-powered inference: few human labels and many judge labels combined into one mean.

PPI: Angelopoulos, Bates, Fannjiang, Jordan & Zrnic 2023; PPI++ and its power tuning: Angelopoulos, Duchi & Zrnic 2023.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from venire.stats.observations import observed, observed_pairs
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_VARIATION, t_interval
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray

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
    tuned: bool = True,
    level: float = 0.95,
) -> PredictionPoweredMean:
    """Estimate the mean of human labels from labelled samples (both scores) and unlabelled ones (the judge's only).

    With `tuned` the judge's weight λ minimises the variance (PPI++) and is kept within 0 and 1; without, λ = 1 (PPI).
    The labelled samples must be a random part of all. The interval uses t with Satterthwaite's degrees of freedom
    and, if tuned, the divisor n − 2 for the labels; for many labels it is the papers' normal interval.
    """
    truth, stated = observed_pairs(labels, judged_labelled)
    rest = moments(judged_unlabelled)
    method = say("method.ppi_tuned" if tuned else "method.ppi")
    n = {"labelled": len(truth), "judged only": rest.size}
    labels_only = t_interval(truth, level=level)
    bias = t_interval(stated - truth, level=level)
    naive = _naive(stated, rest, level)
    if len(truth) < 2 or rest.size < 2:
        reason = say("reason.two_labelled") if len(truth) < 2 else say("reason.two_judged")
        corrected = Estimate.unknown(method, reason, n=n)
        return PredictionPoweredMean(
            corrected=corrected, labels_only=labels_only, naive=naive, judge_bias=bias, tuning=None,
            effective_labels=None, gain_over_labels=None, gain_over_naive=None,
        )  # fmt: skip
    weight = _power_tuning(truth, stated, rest) if tuned else 1.0
    rectifier = truth - weight * stated
    value = weight * rest.mean + float(rectifier.mean())
    # A tuned weight is a fitted slope, which costs a degree of freedom as in a regression.
    spent = 2 if tuned and len(truth) > 2 else 1
    from_labels = float(((rectifier - rectifier.mean()) ** 2).sum()) / (len(truth) - spent) / len(truth)
    from_judged = weight**2 * rest.variance / rest.size
    variance = from_labels + from_judged
    if variance <= 1e-24 * max(1.0, value * value):
        corrected = Estimate(value=value, method=method, n=n, reason=NO_VARIATION)
        return PredictionPoweredMean(
            corrected=corrected, labels_only=labels_only, naive=naive, judge_bias=bias, tuning=weight,
            effective_labels=None, gain_over_labels=None, gain_over_naive=None,
        )  # fmt: skip
    degrees = variance**2 / (from_labels**2 / (len(truth) - spent) + from_judged**2 / (rest.size - 1))
    error = math.sqrt(variance)
    margin = t_quantile(level, degrees) * error
    gain = float(truth.var(ddof=1)) / len(truth) / variance
    return PredictionPoweredMean(
        corrected=Estimate(
            value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method, n=n
        ),
        labels_only=labels_only,
        naive=naive,
        judge_bias=bias,
        tuning=weight,
        effective_labels=gain * len(truth),
        gain_over_labels=gain,
        gain_over_naive=_gain_over_naive(naive, bias, variance),
    )


def _power_tuning(truth: FloatArray, stated: FloatArray, rest: Moments) -> float:
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


def _gain_over_naive(naive: Estimate, bias: Estimate, variance: float) -> float | None:
    if naive.standard_error is None or bias.value is None:
        return None
    # The square of an estimated bias is too large by the variance of that estimate.
    squared_bias = max(0.0, bias.value**2 - (bias.standard_error or 0.0) ** 2)
    return (naive.standard_error**2 + squared_bias) / variance
