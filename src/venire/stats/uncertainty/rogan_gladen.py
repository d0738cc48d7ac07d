"""Rogan & Gladen (1978): the true share of passes behind the verdicts of a judge who errs."""

from __future__ import annotations

import math

import msgspec

from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import wilson_interval
from venire.stats.uncertainty.quantile import normal_quantile
from venire.words.said import say


class CorrectedShare(msgspec.Struct, frozen=True, kw_only=True):
    """A share of positive verdicts corrected for the judge's errors, beside the uncorrected one."""

    corrected: Estimate
    """The share that people would find."""
    naive: Estimate
    """The share that the judge found."""
    sensitivity: Estimate
    """How often the judge says yes where people do."""
    specificity: Estimate
    """How often the judge says no where people do."""


def rogan_gladen(
    positive: int,
    judged: int,
    *,
    true_positives: int,
    human_positives: int,
    true_negatives: int,
    human_negatives: int,
    level: float = 0.95,
) -> CorrectedShare:
    """Correct the share positive/judged by the judge's error rates on samples that people labelled.

    (q + specificity − 1)/(sensitivity + specificity − 1), kept within 0 and 1. The interval is that of Lang & Reiczigel
    (2014), which allows for the error rates being estimates and keeps its coverage for few labels.
    """
    method = say("method.rogan_gladen")
    naive = wilson_interval(positive, judged, level=level)
    sensitivity = wilson_interval(true_positives, human_positives, level=level)
    specificity = wilson_interval(true_negatives, human_negatives, level=level)
    n = {"judged": judged, "human positives": human_positives, "human negatives": human_negatives}

    def result(corrected: Estimate) -> CorrectedShare:
        return CorrectedShare(corrected=corrected, naive=naive, sensitivity=sensitivity, specificity=specificity)

    if naive.value is None or sensitivity.value is None or specificity.value is None:
        missing = naive.reason or sensitivity.reason or specificity.reason
        return result(Estimate.unknown(method, say("reason.no_shares", reason=missing), n=n))
    youden = sensitivity.value + specificity.value - 1
    if youden <= 0:
        return result(Estimate.unknown(method, say("reason.no_better_than_chance"), n=n))
    share = min(1.0, max(0.0, (naive.value + specificity.value - 1) / youden))
    ends = _lang_reiczigel(
        (positive, judged), (true_positives, human_positives), (true_negatives, human_negatives), level
    )
    if ends is None:
        reason = say("reason.few_labels")
        return result(Estimate(value=share, method=method, n=n, reason=reason))
    return result(
        Estimate(value=share, low=min(ends[0], share), high=max(ends[1], share), level=level, method=method, n=n)
    )


def _lang_reiczigel(
    verdicts: tuple[int, int], sensitive: tuple[int, int], specific: tuple[int, int], level: float
) -> tuple[float, float] | None:
    """Return the interval of Lang & Reiczigel 2014 (Preventive Veterinary Medicine 113, 13–22), within 0 and 1."""
    z = normal_quantile(level)
    judged = verdicts[1] + z * z
    share = (verdicts[0] + z * z / 2) / judged
    positives, negatives = sensitive[1] + 2, specific[1] + 2
    sensitivity, specificity = (sensitive[0] + 1) / positives, (specific[0] + 1) / negatives
    youden = sensitivity + specificity - 1
    if youden <= 0:
        return None
    centre = (share + specificity - 1) / youden
    positive_error = sensitivity * (1 - sensitivity) / positives
    negative_error = specificity * (1 - specificity) / negatives
    spread = share * (1 - share) / judged + centre**2 * positive_error + (1 - centre) ** 2 * negative_error
    shift = 2 * z * z * (centre * positive_error - (1 - centre) * negative_error)
    margin = z * math.sqrt(spread) / youden
    low, high = centre + shift - margin, centre + shift + margin
    return min(1.0, max(0.0, low)), min(1.0, max(0.0, high))
