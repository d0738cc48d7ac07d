"""The mean of values in shards, with an interval by the Poisson bootstrap: sums that add up however rows are split."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.fingerprints import draw_sums, fingerprints
from venire.stats.observations import as_floats, encode, require_count, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import NO_OBSERVATIONS, NO_VARIATION, ONE_OBSERVATION, require_level
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray


class MeanSums(msgspec.Struct, frozen=True, eq=False):
    """All that the mean and its interval need of the values of a shard; made by `mean_sums`."""

    count: int
    """How many values there are."""
    missing: int
    """How many are missing."""
    total: float
    """The sum of the values."""
    low: float
    """The lowest value; infinite if there is none."""
    high: float
    """The highest value; minus infinite if there is none."""
    clusters: tuple[int, int]
    """The least and the greatest fingerprint of a cluster, which are equal if there is only one."""
    seed: int
    """The seed of the weights."""
    draws: FloatArray
    """Replicates × 2: the weighted sum of the values, and the sum of their weights."""

    def plus(self, other: MeanSums) -> MeanSums:
        """Return the sums of both shards. Raises `UsageError` if their seeds or replicates differ."""
        if self.seed != other.seed or len(self.draws) != len(other.draws):
            raise UsageError(
                "error.stats.seeds",
                seed=self.seed,
                replicates=len(self.draws),
                found=other.seed,
                drawn=len(other.draws),
            )
        return MeanSums(
            self.count + other.count,
            self.missing + other.missing,
            self.total + other.total,
            min(self.low, other.low),
            max(self.high, other.high),
            (min(self.clusters[0], other.clusters[0]), max(self.clusters[1], other.clusters[1])),
            self.seed,
            self.draws + other.draws,
        )

    def estimate(self, *, level: float = 0.95) -> Estimate:
        """Return the mean with a percentile interval of the replicates."""
        require_level(level)
        replicates = len(self.draws)
        method = say("method.poisson_mean", replicates=replicates)
        n = {"values": self.count, "missing": self.missing}
        if not self.count:
            return Estimate.unknown(method, NO_OBSERVATIONS, n=n)
        value = min(max(self.total / self.count, self.low), self.high)
        reason = ""
        if self.count == 1:
            reason = ONE_OBSERVATION
        elif self.low == self.high:
            reason = NO_VARIATION
        elif self.clusters[0] == self.clusters[1]:
            reason = say("reason.one_cluster")
        if reason or not replicates:
            return Estimate(value=value, method=method, n=n, reason=reason)
        drawn = self.draws[self.draws[:, 1] > 0]
        n["replicates"] = len(drawn)
        if len(drawn) < 0.95 * replicates:
            return Estimate(value=value, method=method, n=n, reason=say("reason.replicates_empty"))
        means = drawn[:, 0] / drawn[:, 1]
        low, high = (float(end) for end in np.quantile(means, [(1 - level) / 2, (1 + level) / 2]))
        return Estimate(
            value=value,
            low=low,
            high=high,
            level=level,
            standard_error=float(means.std(ddof=1)),
            method=method,
            n=n,
            seed=self.seed,
        )


def mean_sums(values: ArrayLike, clusters: ArrayLike, *, seed: int = 0, replicates: int = 1000) -> MeanSums:
    """Return the sums of a shard, from its values and the cluster of each, such as its voter.

    Clusters may stand in several shards: their weights follow from their names. Values or clusters that are missing are
    left out and counted. `sums.plus(others).estimate()` then gives the mean of all shards with its interval.

    >>> one, two = mean_sums([0, 1], ["ann", "bob"]), mean_sums([1], ["ann"])
    >>> round(one.plus(two).estimate().value, 3)
    0.667
    """
    require_count("replicates", replicates)
    array = as_floats(values).ravel()
    names, codes = encode(clusters)
    require_same_length("values", array, "clusters", codes)
    there = ~np.isnan(array) & (codes >= 0)
    array, codes = array[there], codes[there]
    sizes = np.bincount(codes, minlength=len(names)).astype(np.float64)
    sums = np.bincount(codes, weights=array, minlength=len(names))
    used = sizes > 0
    own = fingerprints(name for name, use in zip(names.tolist(), used.tolist(), strict=True) if use)
    pairs = np.column_stack([sums[used], sizes[used]])
    return MeanSums(
        len(array),
        int(len(there) - there.sum()),
        float(array.sum()),
        float(array.min(initial=np.inf)),
        float(array.max(initial=-np.inf)),
        (int(own.min(initial=np.uint64(2**64 - 1))), int(own.max(initial=np.uint64(0)))),
        seed,
        draw_sums(own, pairs, seed, replicates),
    )
