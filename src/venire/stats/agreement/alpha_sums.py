"""Krippendorff's alpha of ratings in shards, from sums that add up as long as every unit is whole in its shard.

Krippendorff, K. (2011). Computing Krippendorff's Alpha-Reliability: a unit of m ratings adds n_c·n_k/(m−1) to the
coincidences of the values c and k, and n_c·(n_c−1)/(m−1) to those of c with itself; alpha is a function of the
coincidences of all units. For the interval metric fewer numbers are enough: the moments of ratings, and how far they
are from the means of their units. The result is that of `krippendorff_alpha` for all ratings together; its interval is
that of a Poisson bootstrap of units.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import InputError, UsageError
from venire.stats.agreement.alpha_draws import (
    AlphaDraws,
    counted_alpha,
    draw_coincidences,
    draw_moments,
    require_drawable,
)
from venire.stats.agreement.disagreement import NO_PAIR, alpha_method
from venire.stats.agreement.krippendorff_alpha import METRICS
from venire.stats.agreement.unit_bootstrap import known_replicates
from venire.stats.fingerprints import fingerprints, merge_disjoint
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray
    from scipy.sparse import csr_array

    from venire.stats.observations import FloatArray, IntArray
    from venire.stats.ratings.matrix import Metric

VALUES = 4096
"""The most distinct values whose coincidences are kept; the interval metric needs none and takes any number."""


class AlphaSums(msgspec.Struct, frozen=True, eq=False):
    """All that alpha needs of the ratings of whole units; made by `alpha_sums`."""

    metric: Metric
    """How far apart two ratings are."""
    units: NDArray[np.uint64]
    """The fingerprints of all units, by which shards that share one are noticed."""
    raters: frozenset[object]
    """The names of the raters."""
    paired: int
    """How many units have two ratings or more; only these count."""
    ratings: int
    """How many ratings these units have."""
    values: FloatArray
    """The distinct values, rising; empty for the interval metric."""
    coincidences: FloatArray
    """Values × values: how often they met in a unit, each unit counting as often as it has ratings."""
    mean: float
    """For the interval metric: the mean rating."""
    squares: float
    """The sum of squared distances from that mean."""
    within: float
    """The sum of squared distances from the means of the units, each times m/(m−1)."""
    span: tuple[float, float]
    """The lowest and the highest rating that counts."""
    draws: AlphaDraws
    """The sums of each replicate; moments are about the mean."""

    def plus(self, other: AlphaSums) -> AlphaSums:
        """Return the sums of both shards.

        Raises `UsageError` if their metrics, seeds or replicates differ, or they share a unit.
        """
        if self.metric != other.metric:
            raise UsageError("error.stats.sums_of_metric", expected=self.metric, found=other.metric)
        values = np.union1d(self.values, other.values)
        _require_few(values)
        coincidences = np.zeros((len(values), len(values)))
        for each in (self, other):
            places = np.searchsorted(values, each.values)
            coincidences[np.ix_(places, places)] += each.coincidences
        ratings = self.ratings + other.ratings
        away = other.mean - self.mean
        share = other.ratings / ratings if ratings else 0.0
        mean = self.mean + away * share
        own, others = (each.draws.moved(mean - each.mean).spread(each.values, values) for each in (self, other))
        return AlphaSums(
            metric=self.metric,
            units=merge_disjoint(self.units, other.units),
            raters=self.raters | other.raters,
            paired=self.paired + other.paired,
            ratings=ratings,
            values=values,
            coincidences=coincidences,
            mean=mean,
            squares=self.squares + other.squares + away * away * self.ratings * share,
            within=self.within + other.within,
            span=(min(self.span[0], other.span[0]), max(self.span[1], other.span[1])),
            draws=own.plus(others),
        )

    def estimate(self, *, level: float = 0.95) -> Estimate:
        """Return alpha, or why it is not known; with a percentile interval if there are replicates."""
        require_level(level)
        method = alpha_method(self.metric)
        n = {
            "units": self.paired,
            "raters": len(self.raters),
            "ratings": self.ratings,
            "units left out": len(self.units) - self.paired,
        }
        if not self.paired:
            return Estimate.unknown(method, NO_PAIR, n=n)
        if self.span[0] == self.span[1]:
            return Estimate.unknown(method, say("reason.no_variation"), n=n)
        if self.metric == "ratio" and self.span[0] < 0:
            return Estimate.unknown(method, say("reason.ratio_negative"), n=n)
        value = self._value()
        if not self.draws.replicates:
            return Estimate(value=value, method=method, n=n)
        return self._with_interval(value, n, level)

    def _value(self) -> float:
        if self.metric == "interval":
            return 1 - (self.ratings - 1) / self.ratings * self.within / self.squares
        return counted_alpha(self.metric, self.values, self.coincidences, self.coincidences.sum(axis=1))

    def _with_interval(self, value: float, n: dict[str, int], level: float) -> Estimate:
        replicates = self.draws.replicates
        method = alpha_method(self.metric)
        method = say("method.with_poisson_bootstrap_by_unit", method=method, replicates=replicates)
        known, reason = known_replicates(self.draws.alphas(self.metric, self.values, self.span[1] - self.span[0]))
        n = {**n, "replicates": replicates, "replicates without variation": replicates - len(known)}
        if self.paired < 2:
            reason = say("reason.no_interval.two_units_drawn")
        if reason:
            return Estimate(value=value, method=method, n=n, seed=self.draws.seed, reason=reason)
        low, high = (float(end) for end in np.quantile(known, [(1 - level) / 2, (1 + level) / 2]))
        return Estimate(
            value=value,
            low=low,
            high=high,
            level=level,
            standard_error=float(known.std(ddof=1)) if len(known) > 1 else None,
            method=method,
            n=n,
            seed=self.draws.seed,
        )


def alpha_sums(
    units: ArrayLike,
    raters: ArrayLike,
    values: ArrayLike,
    metric: Metric = "interval",
    *,
    seed: int = 0,
    replicates: int = 0,
) -> AlphaSums:
    """Return the sums of a shard, from three columns of equal length: which unit, which rater, what number.

    All ratings of a unit must be in one shard; adding up shards that share a unit raises `UsageError`. A missing value
    is no rating. With `replicates` the estimate has an interval; units then have weights that follow from their names.
    Raises `InputError` if a rater rated a unit twice, `UsageError` for more than 4,096 distinct values, or 101 with
    replicates, unless the metric is interval.

    >>> one, two = alpha_sums(["a", "a"], "xy", [1, 1], "nominal"), alpha_sums(["b", "b"], "xy", [2, 3], "nominal")
    >>> round(one.plus(two).estimate().value, 3)
    0.4
    """
    if metric not in METRICS:
        raise UsageError("error.stats.metric", known=METRICS, found=metric)
    array = as_floats(values).ravel()
    unit_names, unit_codes = encode(list(units) if isinstance(units, str) else units)
    rater_names, rater_codes = encode(list(raters) if isinstance(raters, str) else raters)
    require_same_length("values", array, "units", unit_codes)
    require_same_length("values", array, "raters", rater_codes)
    if (unit_codes < 0).any() or (rater_codes < 0).any():
        raise InputError("error.stats.unnamed_rating")
    _refuse_repeats(unit_names, unit_codes, rater_names, rater_codes)
    there = ~np.isnan(array)
    array, unit_codes = array[there], unit_codes[there]
    sizes = np.bincount(unit_codes, minlength=len(unit_names))
    paired = sizes[unit_codes] >= 2
    array, unit_codes = array[paired], unit_codes[paired]
    counted = np.flatnonzero(sizes >= 2)
    codes = np.searchsorted(counted, unit_codes)
    weights: FloatArray = sizes[counted].astype(np.float64)
    means = np.bincount(codes, weights=array, minlength=len(counted)) / weights
    own = np.bincount(codes, weights=(array - means[codes]) ** 2, minlength=len(counted))
    mean = float(array.mean()) if len(array) else 0.0
    inner = own * (weights / (weights - 1))
    names = fingerprints(unit_names.tolist())
    found, coincidences = np.zeros(0), np.zeros((0, 0))
    if metric == "interval":
        away = means - mean
        moments = np.column_stack([weights, weights * away, own + weights * away * away, inner])
        draws = draw_moments(names[counted], moments, seed, replicates)
    else:
        found = np.unique(array)
        _require_few(found)
        require_drawable(found, replicates)
        counts, shares = _counts(codes, np.searchsorted(found, array), weights, len(found))
        coincidences = np.asarray((counts.T @ shares).todense() - np.diag(shares.sum(axis=0)))
        draws = draw_coincidences(names[counted], counts, shares, seed, replicates)
    return AlphaSums(
        metric=metric,
        units=np.sort(names),
        raters=frozenset(rater_names.tolist()),
        paired=len(counted),
        ratings=len(array),
        values=found,
        coincidences=coincidences,
        mean=mean,
        squares=float(((array - mean) ** 2).sum()),
        within=float(inner.sum()),
        span=(float(array.min(initial=np.inf)), float(array.max(initial=-np.inf))),
        draws=draws,
    )


def _counts(units: IntArray, values: IntArray, sizes: FloatArray, width: int) -> tuple[csr_array, csr_array]:
    """Return units × values: how many ratings there are, and the same over how many others each of them meets."""
    from scipy.sparse import csr_array, diags_array

    counts = csr_array((np.ones(len(units)), (units, values)), shape=(len(sizes), width))
    return counts, (diags_array(1 / (sizes - 1)) @ counts).tocsr()


def _refuse_repeats(units: NDArray[np.generic], codes: IntArray, raters: NDArray[np.generic], own: IntArray) -> None:
    cells = np.sort(codes.astype(np.int64) * max(len(raters), 1) + own)
    repeated = cells[1:][cells[1:] == cells[:-1]]
    if len(repeated):
        unit, rater = divmod(int(repeated[0]), len(raters))
        raise InputError("error.stats.rated_twice", unit=units[unit], rater=raters[rater])


def _require_few(values: FloatArray) -> None:
    if len(values) > VALUES:
        raise UsageError("error.stats.distinct_values", limit=VALUES, found=len(values))
