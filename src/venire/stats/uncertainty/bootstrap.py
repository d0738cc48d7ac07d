"""Bootstrap intervals of any statistic, by resampling units or whole clusters (Efron & Tibshirani 1993)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec.structs import replace

from venire.stats.observations import as_floats, encode, generator_from, require_count, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS, NO_VARIATION, ONE_OBSERVATION, require_level
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

_DRAWS_AT_ONCE = 2_000_000


def bootstrap_mean(
    values: ArrayLike,
    *,
    seed: int | np.random.Generator,
    clusters: ArrayLike | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    kind: Literal["percentile", "bca"] = "percentile",
) -> Estimate:
    """Give the mean with a bootstrap interval; whole clusters are resampled if `clusters` are given.

    A resampled mean needs only the sum and the size of each unit or cluster, and equal ones are drawn together as
    one multinomial count, so that a million scores on a short scale cost no more than the scale is long.
    """
    require_count("resamples", resamples, 1)
    require_level(level)
    array = as_floats(values).ravel()
    codes = None if clusters is None else encode(clusters)[1]
    array, codes, total = _present(array, codes)
    method, n = _describe(say("method.mean"), array, codes, total, kind, resamples)
    if len(array) < 2 or array.min() == array.max():
        return _degenerate(method, array, float(array[0]) if len(array) else None, n)
    sums, sizes = array, np.ones(len(array))
    if codes is not None:
        sizes = np.bincount(codes).astype(np.float64)
        sums = np.bincount(codes, weights=array).astype(np.float64)[sizes > 0]
        sizes = sizes[sizes > 0]
    point = float(sums.sum() / sizes.sum())
    if len(sums) < 2:
        return Estimate(value=point, method=method, n=n, reason=say("reason.one_cluster"))
    pairs, counts = _distinct(sums, sizes, alike=codes is None)
    generator = generator_from(seed)
    draws = _resampled_ratios(pairs, counts, generator, resamples)
    left_out = (sums.sum() - pairs[:, 0]) / (sizes.sum() - pairs[:, 1])
    blank = Estimate(value=point, method=method, n=n, level=level, seed=seed if isinstance(seed, int) else None)
    return _with_interval(blank, draws, np.repeat(left_out, counts) if kind == "bca" else None)


def bootstrap(
    values: ArrayLike,
    statistic: Callable[[FloatArray], float],
    *,
    seed: int | np.random.Generator,
    name: str = "statistic",
    clusters: ArrayLike | None = None,
    resamples: int = 2000,
    level: float = 0.95,
    kind: Literal["percentile", "bca"] = "percentile",
) -> Estimate:
    """Give any statistic of the rows of `values` with a bootstrap interval.

    `statistic` is called with rows drawn with replacement (by unit, or all rows of the drawn clusters). A resample in
    which it is not finite is left out; if that happens to more than one in twenty, no interval is given. The
    bias-corrected and accelerated interval also calls it once without each unit or cluster.
    """
    require_level(level)
    require_count("resamples", resamples, 1)
    rows = as_floats(values)
    codes = None if clusters is None else encode(clusters)[1]
    rows, codes, total = _present(rows, codes)
    method, n = _describe(name, rows, codes, total, kind, resamples)
    if not len(rows):
        return Estimate.unknown(method, NO_OBSERVATIONS, n=n)
    point = float(statistic(rows))
    if not np.isfinite(point):
        return Estimate.unknown(method, say("reason.not_finite"), n=n)
    groups = _groups(codes, len(rows))
    if len(groups) < 2:
        reason = ONE_OBSERVATION if codes is None else say("reason.one_cluster")
        return Estimate(value=point, method=method, n=n, reason=reason)
    generator = generator_from(seed)
    draws = np.empty(resamples)
    for index in range(resamples):
        drawn = generator.integers(len(groups), size=len(groups))
        chosen = drawn if codes is None else np.concatenate([groups[group] for group in drawn])
        draws[index] = statistic(rows[chosen])
    left_out = None
    if kind == "bca":
        everything = np.arange(len(rows))
        left_out = np.array([statistic(rows[np.delete(everything, group)]) for group in groups])
    blank = Estimate(value=point, method=method, n=n, level=level, seed=seed if isinstance(seed, int) else None)
    return _with_interval(blank, draws, left_out)


def acceleration(left_out: ArrayLike) -> float:
    """Return the acceleration of a BCa interval from the leave-one-out values (Efron & Tibshirani 1993, eq. 14.15)."""
    values = as_floats(left_out)
    deviations = values.mean() - values
    spread = float(deviations @ deviations)
    return float((deviations**3).sum()) / (6 * spread**1.5) if spread > 0 else 0.0


def _present(rows: FloatArray, codes: IntArray | None) -> tuple[FloatArray, IntArray | None, int]:
    there = ~np.isnan(rows) if rows.ndim == 1 else ~np.isnan(rows).all(axis=tuple(range(1, rows.ndim)))
    if codes is not None:
        require_same_length("rows", rows, "clusters", codes)
        there &= codes >= 0
        codes = codes[there]
    return rows[there], codes, len(rows)


def _describe(
    name: str, rows: FloatArray, codes: IntArray | None, total: int, kind: str, resamples: int
) -> tuple[str, dict[str, int]]:
    n = {"values": len(rows), "missing": total - len(rows)}
    if codes is not None:
        n["clusters"] = len(np.unique(codes))
    drawn = "unit" if codes is None else "cluster"
    return say(f"method.with_bootstrap.{kind}_by_{drawn}", method=name, resamples=resamples), n


def _degenerate(method: str, array: FloatArray, point: float | None, n: dict[str, int]) -> Estimate:
    if point is None:
        return Estimate.unknown(method, NO_OBSERVATIONS, n=n)
    return Estimate(value=point, method=method, n=n, reason=ONE_OBSERVATION if len(array) == 1 else NO_VARIATION)


def _groups(codes: IntArray | None, rows: int) -> list[IntArray]:
    if codes is None:
        return [np.array([row]) for row in range(rows)]
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(codes[order])) + 1)


def _distinct(sums: FloatArray, sizes: FloatArray, *, alike: bool) -> tuple[FloatArray, IntArray]:
    """Return the distinct pairs of sum and size and how often each occurs; `alike` says that all sizes are 1."""
    if alike:
        values, counts = np.unique(sums, return_counts=True)
        return np.column_stack([values, np.ones(len(values))]), counts
    pairs, counts = np.unique(np.column_stack([sums, sizes]), axis=0, return_counts=True)
    return pairs, counts


def _resampled_ratios(
    pairs: FloatArray, counts: IntArray, generator: np.random.Generator, resamples: int
) -> FloatArray:
    units = int(counts.sum())
    draws = np.empty(resamples)
    at_once = max(1, _DRAWS_AT_ONCE // len(pairs))
    for start in range(0, resamples, at_once):
        size = min(at_once, resamples - start)
        drawn = generator.multinomial(units, counts / units, size=size) @ pairs
        draws[start : start + size] = drawn[:, 0] / drawn[:, 1]
    return draws


def _with_interval(blank: Estimate, draws: FloatArray, left_out: FloatArray | None) -> Estimate:
    """Fill in the interval from the resamples; `left_out` asks for the corrected and accelerated one."""
    finite = draws[np.isfinite(draws)]
    blank = replace(blank, n={**blank.n, "resamples": len(finite)})
    if len(finite) < 0.95 * len(draws):
        return replace(blank, level=None, reason=say("reason.resamples_failed"))
    if finite.min() == finite.max():
        return replace(blank, level=None, reason=NO_VARIATION)
    level, point = blank.level or 0.95, blank.value or 0.0
    probabilities = _stretched(level, blank.n.get("clusters", blank.n["values"]))
    if left_out is not None:
        # Half of the ties count as below; on a short scale many resamples equal the estimate.
        below = float((finite < point).mean() + (finite <= point).mean()) / 2
        if not 0 < below < 1 or not np.isfinite(left_out).all():
            reason = say("reason.resamples_one_sided")
            return replace(blank, level=None, reason=reason)
        probabilities = _accelerated(probabilities, below, acceleration(left_out))
    low, high = (float(end) for end in np.quantile(finite, probabilities))
    return replace(blank, low=low, high=high, standard_error=float(finite.std(ddof=1)))


def _stretched(level: float, drawn: int) -> FloatArray:
    """Return the shares of resamples that end the interval, a little further out than the level says.

    Plain percentiles are too short for few units: their distance is that of z, not of t, and the variance of resamples
    has the divisor n (Hesterberg 2015, What Teachers Should Know About the Bootstrap, §3.3.1).
    """
    from scipy.special import ndtr

    reach = math.sqrt(drawn / (drawn - 1)) * t_quantile(level, drawn - 1)
    return np.asarray(ndtr([-reach, reach]), dtype=np.float64)


def _accelerated(probabilities: FloatArray, below: float, curve: float) -> FloatArray:
    from scipy.special import ndtr, ndtri

    bias = float(ndtri(below))
    shifted = bias + ndtri(probabilities)
    return np.asarray(ndtr(bias + shifted / (1 - curve * shifted)), dtype=np.float64)
