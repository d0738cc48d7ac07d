"""The bootstrap of units, or of clusters of units, drawn as weights of rating patterns.

Drawing N units with replacement and counting their patterns is one multinomial draw, so that a replicate costs as much
as there are patterns. Pairs of ratings are never resampled: ratings of one unit, and units of one question, belong
together. Intervals are bias-corrected and accelerated (Efron 1987, Better Bootstrap Confidence Intervals), with
quantiles of Student's t stretched by √(n/(n−1)) in place of normal ones, as a plain bootstrap interval is too short
for few units (Hesterberg 2015, What Teachers Should Know About the Bootstrap, §3.3.1). Of a coefficient of agreement
even that covers too little; its interval is widened to that of a jackknife on Fisher's z of intraclass correlations.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import generator_from
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from venire.stats.ratings.source import Array

_ACCELERATION_ROWS = 1000  # With more rows to leave out one by one, the acceleration is too small to matter.
_CHUNK_CELLS = 4_000_000  # Weights held at a time.


class Resampling(msgspec.Struct, frozen=True, eq=False):
    """What is drawn: rows of a table of patterns, each shown by a number of units, perhaps grouped into clusters."""

    multiplicity: Array
    """How many units each row stands for."""
    cluster_of_row: Array | None = None
    """The cluster of each row, numbered from 0; None if units are drawn one by one."""

    @property
    def draws(self) -> int:
        """How many units or clusters a replicate draws."""
        if self.cluster_of_row is None:
            return int(self.multiplicity.sum())
        return int(self.cluster_of_row.max()) + 1 if self.cluster_of_row.size else 0

    def weights(self, replicates: int, seed: int) -> Iterator[Array]:
        """Yield replicates × rows in chunks: how often each row was drawn. The same seed gives the same draws."""
        generator = generator_from(seed)
        rows = max(len(self.multiplicity), 1)
        step = max(_CHUNK_CELLS // rows, 1)
        for start in range(0, replicates, step):
            count = min(step, replicates - start)
            if self.cluster_of_row is None:
                yield _draw(generator, self.multiplicity, count)
            else:
                clusters = _draw(generator, np.ones(self.draws, dtype=np.int64), count)
                yield clusters[:, self.cluster_of_row] * self.multiplicity

    def without_each(self) -> tuple[Array, Array]:
        """Return weights (draws × rows) that leave out one unit or cluster, and how many draws each stands for."""
        if self.cluster_of_row is None:
            rows = np.arange(len(self.multiplicity))
            return self.multiplicity - np.eye(len(rows)), self.multiplicity.astype(np.float64)
        clusters = np.arange(self.draws)
        return np.where(self.cluster_of_row == clusters[:, None], 0.0, self.multiplicity), np.ones(self.draws)


class BootstrapInterval(msgspec.Struct, frozen=True):
    """What a bootstrap says about a statistic."""

    low: float | None
    """The lower end; None if there is no interval."""
    high: float | None
    """The upper end; None if there is no interval."""
    standard_error: float | None
    """The standard deviation of the replicates; None if there is no interval."""
    undefined: int
    """How many replicates had no value, for instance because they drew units without variation."""
    reason: str
    """Why there is no interval; empty if there is one."""


def group_rows(pattern_of_unit: Array, clusters: Array) -> tuple[Array, Array, Array]:
    """Return the pattern, the multiplicity and the cluster of each row, a row being a pattern within a cluster."""
    keys = clusters.astype(np.int64) * (int(pattern_of_unit.max(initial=0)) + 1) + pattern_of_unit
    found, multiplicity = np.unique(keys, return_counts=True)
    cluster, pattern = np.divmod(found, int(pattern_of_unit.max(initial=0)) + 1)
    return pattern, multiplicity, np.unique(cluster, return_inverse=True)[1].reshape(-1)


def bootstrap_interval(
    resampling: Resampling,
    statistic: Callable[[Array], Array],
    *,
    replicates: int,
    level: float,
    seed: int,
    raters: float | None = None,
) -> BootstrapInterval:
    """Return the interval of a statistic that maps weights (replicates × rows) to values, NaN for none.

    Replicates without a value are left out and counted. If the statistic is a coefficient of agreement, `raters` says
    how many raters a unit has on average.
    """
    require_level(level)
    if replicates < 1:
        raise UsageError("error.stats.no_replicates", found=replicates)
    if resampling.draws < 2:
        kind = "unit" if resampling.cluster_of_row is None else "cluster"
        return BootstrapInterval(None, None, None, 0, say(f"reason.no_interval.two_{kind}s_drawn"))
    values = np.concatenate([statistic(weights) for weights in resampling.weights(replicates, seed)])
    known, reason = known_replicates(values)
    undefined = replicates - len(known)
    if reason:
        return BootstrapInterval(None, None, None, undefined, reason)
    observed = float(statistic(resampling.multiplicity[None, :].astype(np.float64))[0])
    left = _left_out(resampling, statistic)
    acceleration = 0.0 if left is None else _acceleration(*left)
    low, high = np.quantile(known, _bca_quantiles(known, observed, acceleration, resampling.draws, level))
    if left is not None and raters is not None:
        ends = _jackknife_ends(observed, *left, level, raters)
        low, high = min(low, ends[0]), max(high, ends[1])
    spread = float(known.std(ddof=1)) if len(known) > 1 else None
    return BootstrapInterval(float(low), float(high), spread, undefined, "")


def known_replicates(values: Array) -> tuple[Array, str]:
    """Return the replicates that have a value, and why they give no interval; an empty text if they give one.

    There is none where more than one in twenty has no value, as leaving out that many would shorten it unseen.
    """
    known = values[~np.isnan(values)]
    undefined = len(values) - len(known)
    if undefined * 20 > len(values):
        return known, say("reason.no_interval.replicates_unvaried", undefined=undefined, replicates=len(values))
    return known, say("reason.no_interval.replicates_equal") if np.ptp(known) <= 1e-12 else ""


def _bca_quantiles(known: Array, observed: float, acceleration: float, draws: int, level: float) -> list[float]:
    normal = NormalDist()
    # Rounding must not decide whether a replicate that equals the estimate lies below it.
    slack = 1e-9 * float(np.ptp(known))
    below = np.count_nonzero(known < observed - slack) + np.count_nonzero(abs(known - observed) <= slack) / 2
    share = min(max(below / len(known), 1 / len(known)), 1 - 1 / len(known)) if len(known) > 1 else 0.5
    bias = normal.inv_cdf(share)
    reach = math.sqrt(draws / (draws - 1)) * t_quantile(level, draws - 1)
    shifted = (bias - reach, bias + reach)
    return [normal.cdf(bias + shift / max(1 - acceleration * shift, 1e-9)) for shift in shifted]


def _left_out(resampling: Resampling, statistic: Callable[[Array], Array]) -> tuple[Array, Array] | None:
    """Return the statistic without each unit or cluster, and how many each stands for; None where it cannot be had."""
    if max(resampling.draws if resampling.cluster_of_row is not None else 0, len(resampling.multiplicity)) > (
        _ACCELERATION_ROWS
    ):
        return None
    weights, times = resampling.without_each()
    values = statistic(weights)
    return None if np.isnan(values).any() else (values, times)


def _jackknife_ends(observed: float, values: Array, times: Array, level: float, raters: float) -> tuple[float, float]:
    """Return the ends of a jackknife interval on Fisher's z of an intraclass correlation (Fisher 1925, §39)."""

    def z_of(coefficients: Array) -> Array:
        inside = np.minimum(coefficients, 1 - 1e-12)
        return np.asarray(np.log(np.maximum(1 + (raters - 1) * inside, 1e-12) / (1 - inside)) / 2)

    z, without = float(z_of(np.array(observed))), z_of(values)
    count = float(times.sum())
    spread = float(times @ (without - times @ without / count) ** 2)
    reach = t_quantile(level, count - 1) * math.sqrt((count - 1) / count * spread)
    low, high = (math.exp(2 * min(max(end, -300.0), 300.0)) for end in (z - reach, z + reach))
    return (low - 1) / (low + raters - 1), (high - 1) / (high + raters - 1)


def _acceleration(values: Array, times: Array) -> float:
    """Return Efron's acceleration from leaving out units or clusters one by one."""
    deviation = times @ values / times.sum() - values
    spread = float(times @ deviation**2)
    return float(times @ deviation**3) / (6 * spread**1.5) if spread > 1e-24 else 0.0


def _draw(generator: np.random.Generator, multiplicity: Array, replicates: int) -> Array:
    total, rows = int(multiplicity.sum()), len(multiplicity)
    if rows * 8 < total:
        return generator.multinomial(total, multiplicity / total, size=replicates).astype(np.float64)
    # With about as many rows as draws, drawing one by one is quicker than a binomial for every row.
    owner = np.repeat(np.arange(rows), multiplicity)
    drawn = owner[generator.integers(total, size=(replicates, total))]
    drawn += np.arange(replicates)[:, None] * rows
    tally = np.bincount(drawn.reshape(-1), minlength=replicates * rows)
    return tally.reshape(replicates, rows).astype(np.float64)
