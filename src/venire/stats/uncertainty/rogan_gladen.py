"""Rogan & Gladen (1978): the true share of passes behind the verdicts of a judge who errs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.observations import require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_share import clustered_share, require_shares
from venire.stats.uncertainty.intervals import require_level, wilson_interval
from venire.stats.uncertainty.jackknife import cluster_codes_of
from venire.stats.uncertainty.quantile import normal_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike


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
    (2014), which allows for the error rates being estimates and keeps its coverage for few labels. Samples that share
    their question with others need `corrected_share`.
    """
    require_level(level)
    shares = (
        wilson_interval(positive, judged, level=level),
        wilson_interval(true_positives, human_positives, level=level),
        wilson_interval(true_negatives, human_negatives, level=level),
    )
    counts = ((positive, judged), (true_positives, human_positives), (true_negatives, human_negatives))
    n = {"judged": judged, "human positives": human_positives, "human negatives": human_negatives}
    return _corrected(shares, counts, say("method.rogan_gladen"), n, level)


def corrected_share(
    verdicts: ArrayLike, labels: ArrayLike, clusters: ArrayLike, *, level: float = 0.95
) -> CorrectedShare:
    """Correct the share of positive verdicts as `rogan_gladen` does, of samples that come in clusters.

    The three lists belong together: the judge's verdict on each sample (1 or 0), people's label (1, 0, or missing where
    there is none) and the question. Each of the three shares counts as many samples as its clustered error stands for
    (Korn & Graubard 1998), and these numbers go into the interval of Lang & Reiczigel.
    """
    require_level(level)
    stated, truth = require_shares(verdicts).ravel(), require_shares(labels).ravel()
    codes = cluster_codes_of(clusters, len(stated))
    require_same_length("verdicts_of_the_judge", stated, "verdicts_of_people", truth)
    there = ~np.isnan(stated)
    parts = [(stated, there), (stated, there & (truth == 1)), (1 - stated, there & (truth == 0))]
    shares, counts = [], []
    for values, inside in parts:
        questions = np.asarray(codes)[inside]
        share = clustered_share(values[inside], questions, level=level)
        # All of one cluster, or one in each: then clusters are what counts.
        trials = share.n.get("effective trials", share.n["clusters"])
        shares.append(share)
        counts.append(((share.value or 0.0) * trials, float(trials)))
    n = {
        "judged": int(there.sum()), "human positives": int(parts[1][1].sum()),
        "human negatives": int(parts[2][1].sum()), "clusters": len(np.unique(np.asarray(codes)[there])),
    }  # fmt: skip
    return _corrected(shares, counts, say("method.rogan_gladen_clustered"), n, level)


def _corrected(
    shares: Sequence[Estimate], counts: Sequence[tuple[float, float]], method: str, n: dict[str, int], level: float
) -> CorrectedShare:
    """Correct a share by sensitivity and specificity, given as estimates and as hits of trials."""
    naive, sensitivity, specificity = shares

    def result(corrected: Estimate) -> CorrectedShare:
        return CorrectedShare(corrected=corrected, naive=naive, sensitivity=sensitivity, specificity=specificity)

    if naive.value is None or sensitivity.value is None or specificity.value is None:
        missing = naive.reason or sensitivity.reason or specificity.reason
        return result(Estimate.unknown(method, say("reason.no_shares", reason=missing), n=n))
    youden = sensitivity.value + specificity.value - 1
    if youden <= 0:
        return result(Estimate.unknown(method, say("reason.no_better_than_chance"), n=n))
    share = min(1.0, max(0.0, (naive.value + specificity.value - 1) / youden))
    ends = _lang_reiczigel(counts[0], counts[1], counts[2], level)
    if ends is None:
        reason = say("reason.few_labels")
        return result(Estimate(value=share, method=method, n=n, reason=reason))
    return result(
        Estimate(value=share, low=min(ends[0], share), high=max(ends[1], share), level=level, method=method, n=n)
    )


def _lang_reiczigel(
    verdicts: tuple[float, float], sensitive: tuple[float, float], specific: tuple[float, float], level: float
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
