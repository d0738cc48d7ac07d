"""Krippendorff's alpha: one minus observed over expected disagreement, with gaps and any number of raters.

Krippendorff, K. (2011). Computing Krippendorff's Alpha-Reliability. University of Pennsylvania. Disagreement is the
squared difference of the metric, averaged over pairs of ratings of one unit (observed) and over all pairs (expected).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.errors import UsageError
from venire.stats.agreement.disagreement import CountedDisagreement, Disagreement, IntervalDisagreement, alpha_method
from venire.stats.agreement.unit_bootstrap import Resampling, bootstrap_interval, group_rows
from venire.stats.observations import require_count
from venire.stats.ratings.matrix import Metric, rating_matrix
from venire.stats.ratings.patterns import collapse, is_collapsible
from venire.stats.ratings.source import code_labels, is_missing_label, read_vector
from venire.stats.result import Estimate
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.stats.ratings.matrix import RatingMatrix
    from venire.stats.ratings.source import Array

ROUGH_BELOW = 30
"""Below so many units or clusters an interval was seen to cover less than 93 of 100 in simulation."""

METRICS = ("nominal", "ordinal", "interval", "ratio")
"""The metrics that alpha knows."""


def krippendorff_alpha(
    ratings: object,
    metric: Metric = "interval",
    *,
    categories: Sequence[object] | None = None,
    replicates: int = 0,
    clusters: object = None,
    level: float = 0.95,
    seed: int = 0,
) -> Estimate:
    """Return Krippendorff's alpha of units × raters, with a bootstrap interval if `replicates` is above 0.

    Units with fewer than two ratings are left out, as they hold no pair. `clusters` names the cluster of each unit
    (such as its question); then whole clusters are resampled. Alpha is not known where all ratings are equal ("no
    variation") or no unit has two. The ratio metric needs values of 0 or more. Raises `UsageError` for labels that
    the metric cannot measure.

    >>> round(krippendorff_alpha([[1, 1], [2, 2], [3, 3], [1, 3]], "nominal").value, 3)
    0.667
    """
    if metric not in METRICS:
        raise UsageError("error.stats.metric", known=METRICS, found=metric)
    matrix = rating_matrix(ratings, categories=categories)
    matrix.require(metric)
    method = alpha_method(metric)
    disagreement, resampling = _prepare(matrix, metric, clusters)
    unit_count = int(resampling.multiplicity.sum())
    n = {
        "units": unit_count,
        "raters": matrix.rater_count,
        "ratings": int(resampling.multiplicity @ disagreement.sizes),
        "units left out": matrix.unit_count - unit_count,
    }
    if clusters is not None:
        n["clusters"] = resampling.draws
    if disagreement.reason:
        return Estimate.unknown(method, disagreement.reason, n=n)
    value = float(disagreement.alpha(resampling.multiplicity[None, :].astype(np.float64))[0])
    require_count("replicates", replicates)
    if replicates == 0:
        return Estimate(value=value, method=method, n=n)
    interval = bootstrap_interval(
        resampling, disagreement.alpha, replicates=replicates, level=level, seed=seed, raters=n["ratings"] / unit_count
    )
    n |= {"replicates": replicates, "replicates without variation": interval.undefined}
    drawn = "unit" if clusters is None else "cluster"
    return Estimate(
        value=value,
        low=interval.low,
        high=interval.high,
        level=None if interval.low is None else level,
        standard_error=interval.standard_error,
        method=say(f"method.with_bootstrap_bca_by_{drawn}", method=method, replicates=replicates),
        n=n,
        seed=seed,
        reason=interval.reason,
        note=_note(resampling.draws, drawn) if interval.low is not None else "",
    )


def _note(draws: int, drawn: str) -> str:
    return say(f"note.rough_{drawn}s", found=draws, least=ROUGH_BELOW) if draws < ROUGH_BELOW else ""


def _prepare(matrix: RatingMatrix, metric: Metric, clusters: object) -> tuple[Disagreement, Resampling]:
    if metric == "interval" and not is_collapsible(matrix):
        pairable = matrix.rating_counts >= 2
        scores = matrix.scores if pairable.all() else matrix.scores[pairable]
        ones = np.ones(len(scores), dtype=np.int64)
        grouping = None if clusters is None else _cluster_codes(clusters, matrix)
        return IntervalDisagreement.from_scores(scores), Resampling(ones, grouping)
    patterns = matrix.patterns if clusters is None else collapse(matrix, units=True)
    rows = np.flatnonzero(patterns.ratings >= 2)
    multiplicity, cluster_of_row = patterns.multiplicity[rows], None
    if patterns.pattern_of_unit is not None:
        of_pairable = patterns.pattern_of_unit[matrix.rating_counts >= 2]
        rows, multiplicity, cluster_of_row = group_rows(of_pairable, _cluster_codes(clusters, matrix))
    resampling = Resampling(multiplicity, cluster_of_row)
    counts = patterns.counts[rows].astype(np.float64)
    if metric == "interval":
        return IntervalDisagreement.from_counts(counts, patterns.categories), resampling
    return CountedDisagreement(counts=counts, values=patterns.categories, metric=metric), resampling


def _cluster_codes(clusters: object, matrix: RatingMatrix) -> Array:
    """Return the number of the cluster of each unit that has at least two ratings."""
    names = read_vector(clusters)
    if len(names) != matrix.unit_count:
        raise UsageError("error.stats.clusters_of_units", units=matrix.unit_count, found=len(names))
    codes, found = code_labels(names[matrix.rating_counts >= 2])
    if any(is_missing_label(name) for name in found):
        raise UsageError("error.stats.unit_without_cluster")
    return codes
