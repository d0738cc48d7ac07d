"""The bootstrap of units, or of clusters of units, drawn as weights of rating patterns.

Drawing N units with replacement and counting their patterns is one multinomial draw, so that a replicate costs as much
as there are patterns. Pairs of ratings are never resampled: ratings of one unit, and units of one question, belong
together (Efron & Tibshirani 1993, An Introduction to the Bootstrap, §8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from venire.stats.rating_source import Array

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
        generator = np.random.default_rng(seed)
        rows = max(len(self.multiplicity), 1)
        step = max(_CHUNK_CELLS // rows, 1)
        for start in range(0, replicates, step):
            count = min(step, replicates - start)
            if self.cluster_of_row is None:
                yield _draw(generator, self.multiplicity, count)
            else:
                clusters = _draw(generator, np.ones(self.draws, dtype=np.int64), count)
                yield clusters[:, self.cluster_of_row] * self.multiplicity


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
    resampling: Resampling, statistic: Callable[[Array], Array], *, replicates: int, level: float, seed: int
) -> BootstrapInterval:
    """Return the percentile interval of a statistic that maps weights (replicates × rows) to values, NaN for none.

    Replicates without a value are left out and counted; where they are more than one in twenty there is no interval,
    as leaving out that many would shorten it unseen.
    """
    if not 0 < level < 1:
        raise UsageError(f"expected a level between 0 and 1, such as 0.95; found {level}")
    if replicates < 1:
        raise UsageError(f"expected at least one replicate; found {replicates}")
    if resampling.draws < 2:
        kind = "unit" if resampling.cluster_of_row is None else "cluster"
        return BootstrapInterval(None, None, None, 0, f"no interval: fewer than two {kind}s to draw from")
    values = np.concatenate([statistic(weights) for weights in resampling.weights(replicates, seed)])
    known = values[~np.isnan(values)]
    undefined = replicates - len(known)
    if undefined * 20 > replicates:
        reason = f"no interval: {undefined} of {replicates} replicates have no variation"
        return BootstrapInterval(None, None, None, undefined, reason)
    low, high = np.quantile(known, [(1 - level) / 2, (1 + level) / 2])
    spread = float(known.std(ddof=1)) if len(known) > 1 else None
    return BootstrapInterval(float(low), float(high), spread, undefined, "")


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
