"""Whether judges err together: the correlation of their errors, and how many independent judges the panel is worth."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from venire.stats.observations import (
    as_floats,
    require_correlation,
    require_count,
    require_same_length,
    scores_by_judge,
)
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.jackknife import cluster_codes_of, jackknife_groups, with_jackknife
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

_FEWEST = 3


class PanelDependence(msgspec.Struct, frozen=True, kw_only=True):
    """How the errors of the judges of a panel hang together."""

    judges: tuple[Any, ...]
    """The judges, in the order of rows and columns."""
    correlations: NDArray[np.float64]
    """The correlation of errors for each pair of judges; NaN if not known."""
    mean_correlation: Estimate
    """The mean over the pairs that are known, with a jackknife interval by unit, or by cluster of units."""
    effective_size: Estimate
    """How many judges with independent errors would average as well."""


def effective_panel_size(judges: int, correlation: float) -> float | None:
    """Return k / (1 + (k − 1)·ρ): a mean of k equally correlated errors has the variance of so many independent ones.

    It is Kish's effective sample size (1965, §5.4). None if ρ is too negative for it to exist. Raises
    `UsageError` for what is no correlation.

    >>> effective_panel_size(5, 0.5)
    1.6666666666666667
    """
    require_count("judges", judges, 1)
    require_correlation(correlation)
    spread = 1 + (judges - 1) * correlation
    return judges / spread if spread > 1e-12 else None


def panel_dependence(
    scores: ArrayLike,
    reference: ArrayLike,
    judges: Sequence[Any],
    *,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> PanelDependence:
    """Correlate the judges' errors against a reference that does not depend on them, such as human labels.

    `scores` are units × judges with NaN for missing. The panel's own mean is no reference: errors that all judges share
    would vanish from it. A pair is known if it has at least three common units and both errors vary. `clusters` names
    the question of each unit; then whole questions are left out in turn. A mean of equal correlations is an intraclass
    correlation, and has its interval on the z of one: so it covers, where a bootstrap did not (`bench.stats.coverage`).
    """
    require_level(level)
    table, truth = scores_by_judge(scores, judges), as_floats(reference).ravel()
    require_same_length("rows_of_scores", table, "reference_values", truth)
    errors = table - truth[:, None]
    there = ~np.isnan(errors).all(axis=1)
    codes = cluster_codes_of(clusters, len(errors))
    errors = errors[there]
    codes = None if codes is None else codes[there]
    k = len(judges)
    pairs = list(itertools.combinations(range(k), 2))
    n = {"units": len(errors), "judges": k, "pairs": len(pairs)}
    method = say("method.error_correlation")
    sums = _PairSums(errors, pairs)
    found = sums.correlations(np.ones((1, len(errors))))[0]
    matrix = np.full((k, k), np.nan)
    for (i, j), value in zip(pairs, found, strict=True):
        matrix[i, j] = matrix[j, i] = value
    known = ~np.isnan(found)
    matrix[np.diag_indices(k)] = 1.0
    if not known.any():
        reason = say("reason.one_judge") if k < 2 else say("reason.no_varied_pair")
        nothing = Estimate.unknown(method, reason, n=n)
        return PanelDependence(
            judges=tuple(judges), correlations=matrix, mean_correlation=nothing, effective_size=nothing
        )
    blank = Estimate(value=float(found[known].mean()), method=method, n=n)
    average = _with_interval(blank, sums, known, codes, level)
    return PanelDependence(
        judges=tuple(judges), correlations=matrix, mean_correlation=average, effective_size=_effective(k, average)
    )


class _PairSums:
    """Products of errors from which weighted correlations of all pairs follow by one matrix product."""

    def __init__(self, errors: FloatArray, pairs: list[tuple[int, int]]) -> None:
        there = ~np.isnan(errors)
        centred = np.where(there, errors - _column_means(errors, there), 0.0)
        first, second = [i for i, _ in pairs], [j for _, j in pairs]
        both = (there[:, first] & there[:, second]).astype(np.float64)
        x, y = centred[:, first] * both, centred[:, second] * both
        self._products = [both, x, y, x * x, y * y, x * y]

    def correlations(self, weights: FloatArray) -> FloatArray:
        """Return the correlation of each pair (columns) for each row of unit weights; NaN if not known."""
        count, x, y, xx, yy, xy = (weights @ product for product in self._products)
        size = np.maximum(count, 1.0)
        vx, vy = xx - x * x / size, yy - y * y / size
        known = (count >= _FEWEST) & (vx > 1e-12 * (xx + 1e-300)) & (vy > 1e-12 * (yy + 1e-300))
        scale = np.sqrt(np.where(known, vx * vy, 1.0))
        return np.where(known, np.clip((xy - x * y / size) / scale, -1.0, 1.0), np.nan)


def _column_means(errors: FloatArray, there: NDArray[np.bool_]) -> FloatArray:
    means: FloatArray = np.where(there, errors, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    return means


def _with_interval(
    blank: Estimate, sums: _PairSums, known: NDArray[np.bool_], codes: IntArray | None, level: float
) -> Estimate:
    """Give the mean correlation the interval that its values without each unit or cluster make."""
    if abs(blank.value or 0.0) > 1 - 1e-9:
        return msgspec.structs.replace(blank, reason=say("reason.no_interval.exact_relation"))
    groups = jackknife_groups(blank.n["units"], codes)
    without = np.arange(groups.size)[:, None] != groups.group
    left = sums.correlations(without.astype(np.float64))[:, known].mean(axis=1)
    return with_jackknife(blank, left, groups, level=level, scale="intraclass", raters=blank.n["judges"])


def _effective(k: int, average: Estimate) -> Estimate:
    method = say("method.effective_panel_size")
    value = None if average.value is None else effective_panel_size(k, average.value)
    if value is None:
        return Estimate.unknown(method, say("reason.negative_correlation"), n=average.n)
    low = None if average.high is None else effective_panel_size(k, average.high)
    high = None if average.low is None else effective_panel_size(k, average.low)
    whole = low is not None and high is not None
    return Estimate(
        value=value, low=low if whole else None, high=high if whole else None, level=average.level if whole else None,
        method=method, n=average.n, seed=average.seed,
        reason="" if whole else average.reason or say("reason.no_upper_end"),
    )  # fmt: skip
