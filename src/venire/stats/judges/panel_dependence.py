"""Whether judges err together: the correlation of their errors, and how many independent judges the panel is worth."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from venire.stats.observations import as_floats, require_count, require_same_length, scores_by_judge
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.jackknife import cluster_codes_of
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

_FEWEST = 3
_DRAWS_AT_ONCE = 2_000_000


class PanelDependence(msgspec.Struct, frozen=True, kw_only=True):
    """How the errors of the judges of a panel hang together."""

    judges: tuple[Any, ...]
    """The judges, in the order of rows and columns."""
    correlations: NDArray[np.float64]
    """The correlation of errors for each pair of judges; NaN if not known."""
    mean_correlation: Estimate
    """The mean over the pairs that are known, with a bootstrap interval by unit, or by cluster of units."""
    effective_size: Estimate
    """How many judges with independent errors would average as well."""


def effective_panel_size(judges: int, correlation: float) -> float | None:
    """Return k / (1 + (k − 1)·ρ): a mean of k equally correlated errors has the variance of so many independent ones.

    It is Kish's effective sample size (1965, §5.4). None if ρ is too negative for it to exist.

    >>> effective_panel_size(5, 0.5)
    1.6666666666666667
    """
    require_count("judges", judges, 1)
    spread = 1 + (judges - 1) * correlation
    return judges / spread if spread > 1e-12 else None


def panel_dependence(
    scores: ArrayLike,
    reference: ArrayLike,
    judges: Sequence[Any],
    *,
    seed: int | np.random.Generator,
    clusters: ArrayLike | None = None,
    resamples: int = 1000,
    level: float = 0.95,
) -> PanelDependence:
    """Correlate the judges' errors against a reference that does not depend on them, such as human labels.

    `scores` are units × judges with NaN for missing. The panel's own mean is no reference: errors that all judges share
    would vanish from it. A pair is known if it has at least three common units and both errors vary. `clusters` names
    the question of each unit; then whole questions are resampled.
    """
    require_level(level)
    table, truth = scores_by_judge(scores, judges), as_floats(reference).ravel()
    require_same_length("rows_of_scores", table, "reference_values", truth)
    errors = table - truth[:, None]
    there = ~np.isnan(errors).all(axis=1)
    codes = cluster_codes_of(clusters, len(errors))
    errors = errors[there]
    owner = np.arange(len(errors)) if codes is None else np.unique(codes[there], return_inverse=True)[1]
    groups = int(owner.max(initial=-1)) + 1
    k = len(judges)
    pairs = list(itertools.combinations(range(k), 2))
    n = {"units": len(errors), "judges": k, "pairs": len(pairs)}
    if codes is not None:
        n["clusters"] = groups
    method = say(f"method.error_correlation_by_{'unit' if codes is None else 'cluster'}", resamples=resamples)
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
    mean = float(found[known].mean())
    draws = _resample(sums, known, owner, np.random.default_rng(seed), resamples)
    ends = _fisher_interval(mean, draws, groups, level) if groups > 1 and len(draws) > resamples / 2 else None
    shown = seed if isinstance(seed, int) else None
    average = Estimate(
        value=mean, low=None if ends is None else ends[0], high=None if ends is None else ends[1],
        level=None if ends is None else level, method=method, n=n, seed=shown,
        reason="" if ends is not None else say("reason.few_units_or_perfect"),
    )  # fmt: skip
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


def _resample(
    sums: _PairSums, known: NDArray[np.bool_], owner: IntArray, generator: np.random.Generator, resamples: int
) -> FloatArray:
    means, groups = [], int(owner.max()) + 1
    at_once = max(1, _DRAWS_AT_ONCE // len(owner))
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        weights = generator.multinomial(groups, np.full(groups, 1 / groups), size=size).astype(np.float64)
        drawn = sums.correlations(weights[:, owner])[:, known]
        complete = ~np.isnan(drawn).any(axis=1)
        means.append(drawn[complete].mean(axis=1))
    return np.concatenate(means)


def _fisher_interval(mean: float, draws: FloatArray, units: int, level: float) -> tuple[float, float] | None:
    """Return mean ± t·s on Fisher's scale, where the resamples are nearly symmetric; None for a perfect correlation."""
    if abs(mean) > 1 - 1e-9:
        return None
    spread = float(np.arctanh(np.clip(draws, -1 + 1e-9, 1 - 1e-9)).std(ddof=1))
    margin = t_quantile(level, units - 1) * spread
    return math.tanh(math.atanh(mean) - margin), math.tanh(math.atanh(mean) + margin)


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
