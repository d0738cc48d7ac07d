"""Correlation between two judges over the units that both scored: Pearson, Spearman and Kendall's tau-b."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
from msgspec.structs import replace

from venire.errors import UsageError
from venire.stats.ratings.matrix import rating_matrix
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.jackknife import JackknifeGroups, cluster_codes_of, jackknife_groups, with_jackknife
from venire.stats.uncertainty.quantile import normal_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

    from venire.stats.ratings.source import Array

FEWEST = 4
"""How many units, or clusters of them, an interval needs."""

ROUGH_BELOW = 10
"""Below so many units or clusters an interval was seen to cover less than 93 of 100 in simulation."""

_TABLE_CELLS = 10_000  # Up to this many cells, pairs are counted in a table rather than by sorting.
_MANY = 20_000  # From so many units on, fewer groups are left out.


def pearson(ratings: object, *, clusters: ArrayLike | None = None, level: float = 0.95) -> Estimate:
    """Return Pearson's r of units × two judges, with the wider of Fisher's z interval and that of a jackknife.

    Fisher's is exact for normal scores and too short for skewed ones. `clusters` names the cluster of each unit (such
    as its question); then whole clusters are left out.

    >>> pearson([[1, 2], [2, 4], [3, 6], [4, 9]]).known
    True
    """
    pairs = _Pairs(ratings, say("method.pearson"), "interval", None, clusters, level)
    reach = normal_quantile(level) / math.sqrt(max(pairs.n["units"] - 3, 1))
    return pairs.estimate(_product_moment, _without_each_group, level=level, least_error=reach)


def spearman(
    ratings: object,
    *,
    categories: Sequence[object] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return Spearman's rho (mid-ranks for ties) of units × two judges, with a jackknife interval.

    `clusters` names the cluster of each unit (such as its question); then whole clusters are left out.
    """
    pairs = _Pairs(ratings, say("method.spearman"), "ordinal", categories, clusters, level)
    return pairs.estimate(_rank_correlation, partial(_by_table, _rho_of_table, _rank_correlation), level=level)


def kendall(
    ratings: object,
    *,
    categories: Sequence[object] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> Estimate:
    """Return Kendall's tau-b of units × two judges, with a jackknife interval.

    `clusters` names the cluster of each unit (such as its question); then whole clusters are left out.
    """
    pairs = _Pairs(ratings, say("method.kendall"), "ordinal", categories, clusters, level)
    return pairs.estimate(_tau_b, partial(_by_table, _tau_of_table, _tau_b), level=level)


class _Pairs:
    """The scores of two judges for the units that both scored."""

    def __init__(
        self,
        ratings: object,
        method: str,
        metric: Literal["interval", "ordinal"],
        categories: Sequence[object] | None,
        clusters: ArrayLike | None,
        level: float,
    ) -> None:
        require_level(level)
        matrix = rating_matrix(ratings, categories=categories)
        if matrix.rater_count != 2:
            raise UsageError("error.stats.two_judges", found=matrix.rater_count)
        matrix.require(metric)
        scores = matrix.scores
        both = ~np.isnan(scores).any(axis=1)
        self.first, self.second = scores[both, 0], scores[both, 1]
        self.method = method
        self.n = {"units": int(both.sum()), "units left out": int((~both).sum())}
        codes = cluster_codes_of(clusters, len(scores))
        self.clusters = None if codes is None else codes[both]

    def estimate(
        self,
        measure: Callable[[Array, Array], float],
        without: Callable[[Array, Array, JackknifeGroups], Array],
        *,
        level: float,
        least_error: float = 0.0,
    ) -> Estimate:
        if self.n["units"] < 2:
            return Estimate.unknown(self.method, say("reason.two_units_both"), n=self.n)
        for place, scores in (("first", self.first), ("second", self.second)):
            if scores.min() == scores.max():
                return Estimate.unknown(self.method, say(f"reason.no_variation_{place}"), n=self.n)
        value = min(max(measure(self.first, self.second), -1.0), 1.0)
        blank = Estimate(value=value, method=self.method, n=self.n)
        groups = jackknife_groups(self.n["units"], self.clusters, most=100 if self.n["units"] <= _MANY else 20)
        if groups.size < FEWEST:
            return replace(blank, reason=say("reason.no_interval.few_units", units=groups.size))
        if 1 - abs(value) < 1e-12:
            return replace(blank, reason=say("reason.no_interval.exact_relation"))
        left = without(self.first, self.second, groups)
        return with_jackknife(blank, left, groups, level=level, least_error=least_error, rough_below=ROUGH_BELOW)


def _without_each_group(first: Array, second: Array, groups: JackknifeGroups) -> Array:
    """Return Pearson's r without each group, from sums; NaN where one side then has no variation."""
    one, two = _unit_length(first), _unit_length(second)
    columns = (np.ones(len(one)), one, two, one * one, two * two, one * two)
    by_group = np.array([np.bincount(groups.group, weights=each, minlength=groups.size) for each in columns])
    count, x, y, xx, yy, xy = by_group.sum(axis=1, keepdims=True) - by_group
    count = np.maximum(count, 1)
    spread = (xx - x * x / count) * (yy - y * y / count)
    left = np.full(groups.size, np.nan)
    np.divide(xy - x * y / count, np.sqrt(np.maximum(spread, 0.0)), out=left, where=spread > 1e-20)
    return np.asarray(np.clip(left, -1.0, 1.0))


def _product_moment(first: Array, second: Array) -> float:
    first, second = _unit_length(first), _unit_length(second)
    return float(first @ second)


def _unit_length(scores: Array) -> Array:
    low, high = scores.min(), scores.max()
    centred = (scores - (low / 2 + high / 2)) / (high / 2 - low / 2)
    centred -= centred.mean()
    return np.asarray(centred / math.sqrt(float(centred @ centred)))


def _rank_correlation(first: Array, second: Array) -> float:
    return _product_moment(_mid_ranks(first), _mid_ranks(second))


def _mid_ranks(scores: Array) -> Array:
    _, position, counts = np.unique(scores, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(counts) - (counts - 1) / 2)[position])


def _tau_b(first: Array, second: Array) -> float:
    rows, columns, shape = _table_places(first, second)
    if not _is_small(shape, len(rows)):
        from scipy.stats import kendalltau  # Start-up stays quick.

        return float(kendalltau(rows, columns, method="asymptotic").statistic)
    return _tau_of_table(np.bincount(rows * shape[1] + columns, minlength=shape[0] * shape[1]).reshape(shape))


def _table_places(first: Array, second: Array) -> tuple[Array, Array, tuple[int, int]]:
    values, rows = np.unique(first, return_inverse=True)
    others, columns = np.unique(second, return_inverse=True)
    return rows, columns, (len(values), len(others))


def _is_small(shape: tuple[int, int], units: int) -> bool:
    """Tell whether pairs are counted in a table rather than by sorting."""
    return shape[0] * shape[1] <= max(_TABLE_CELLS, units)


def _by_table(
    of_table: Callable[[Array], float],
    measure: Callable[[Array, Array], float],
    first: Array,
    second: Array,
    groups: JackknifeGroups,
) -> Array:
    """Return a rank correlation without each group; NaN where one side then has no variation."""
    rows, columns, shape = _table_places(first, second)
    if _is_small(shape, len(rows)):
        cells = rows * shape[1] + columns
        table = np.bincount(cells, minlength=shape[0] * shape[1])
        tallies = groups.tally(cells, table.size)
        return np.array([of_table((table - inside).reshape(shape).astype(np.float64)) for inside in tallies])
    kept = (groups.group != group for group in range(groups.size))
    return np.array([measure(first[there], second[there]) for there in kept])


def _tau_of_table(table: Array) -> float:
    concordant, discordant = _pairs_below(table), _pairs_below(table[:, ::-1])
    untied = _untied(table.sum(axis=1)), _untied(table.sum(axis=0))
    if not all(untied):
        return math.nan
    return (concordant - discordant) / math.sqrt(untied[0]) / math.sqrt(untied[1])


def _rho_of_table(table: Array) -> float:
    sides = [table.sum(axis=axis) for axis in (1, 0)]
    centred = [np.cumsum(totals) - totals / 2 - table.sum() / 2 for totals in sides]
    spread = [float(totals @ ranks**2) for totals, ranks in zip(sides, centred, strict=True)]
    return float(centred[0] @ table @ centred[1]) / math.sqrt(spread[0] * spread[1]) if all(spread) else math.nan


def _pairs_below(table: Array) -> float:
    """Return the number of pairs of which one is higher for both judges."""
    before = np.cumsum(np.cumsum(table, axis=0), axis=1)[:-1, :-1]
    return float((table[1:, 1:] * before).sum())


def _untied(totals: Array) -> float:
    size = float(totals.sum())
    return (size * size - float(totals @ totals)) / 2
