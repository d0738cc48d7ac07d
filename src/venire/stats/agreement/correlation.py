"""Correlation between two judges over the units that both scored: Pearson, Spearman and Kendall's tau-b."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

import numpy as np

from venire.errors import UsageError
from venire.stats.ratings.matrix import rating_matrix
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.stats.uncertainty.quantile import normal_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from venire.stats.ratings.source import Array

_TABLE_CELLS = 1_000_000  # Up to this many cells, Kendall's pairs are counted in a table rather than by sorting.


def pearson(ratings: object, *, level: float = 0.95) -> Estimate:
    """Return Pearson's r of units × two judges with Fisher's z interval.

    >>> pearson([[1, 2], [2, 4], [3, 6], [4, 9]]).known
    True
    """
    pairs = _Pairs(ratings, say("method.pearson"), "interval", None)
    return pairs.estimate(_product_moment, level=level, variance=lambda _: 1.0, lost=3)


def spearman(ratings: object, *, categories: Sequence[object] | None = None, level: float = 0.95) -> Estimate:
    """Return Spearman's rho (mid-ranks for ties) of units × two judges.

    The interval is Fisher's z with the variance (1 + r²/2)/(n − 3) of Bonett & Wright (2000), Sample size requirements
    for estimating Pearson, Kendall and Spearman correlations, Psychometrika 65, 23–28.
    """
    pairs = _Pairs(ratings, say("method.spearman"), "ordinal", categories)
    return pairs.estimate(_rank_correlation, level=level, variance=lambda r: 1 + r * r / 2, lost=3)


def kendall(ratings: object, *, categories: Sequence[object] | None = None, level: float = 0.95) -> Estimate:
    """Return Kendall's tau-b of units × two judges.

    The interval is Fisher's z with the variance 0.437/(n − 4) of Fieller, Hartley & Pearson (1957), Tests for rank
    correlation coefficients, Biometrika 44, 470–481; it is a rough one for scales with many ties.
    """
    pairs = _Pairs(ratings, say("method.kendall"), "ordinal", categories)
    return pairs.estimate(_tau_b, level=level, variance=lambda _: 0.437, lost=4)


class _Pairs:
    """The scores of two judges for the units that both scored."""

    def __init__(
        self,
        ratings: object,
        method: str,
        metric: Literal["interval", "ordinal"],
        categories: Sequence[object] | None,
    ) -> None:
        matrix = rating_matrix(ratings, categories=categories)
        if matrix.rater_count != 2:
            raise UsageError("error.stats.two_judges", found=matrix.rater_count)
        matrix.require(metric)
        scores = matrix.scores
        both = ~np.isnan(scores).any(axis=1)
        self.first, self.second = scores[both, 0], scores[both, 1]
        self.method = method
        self.n = {"units": int(both.sum()), "units left out": int((~both).sum())}

    def estimate(
        self, measure: Callable[[Array, Array], float], *, level: float, variance: Callable[[float], float], lost: int
    ) -> Estimate:
        require_level(level)
        units = self.n["units"]
        if units < 2:
            return Estimate.unknown(self.method, say("reason.two_units_both"), n=self.n)
        for place, scores in (("first", self.first), ("second", self.second)):
            if scores.min() == scores.max():
                return Estimate.unknown(self.method, say(f"reason.no_variation_{place}"), n=self.n)
        value = min(max(measure(self.first, self.second), -1.0), 1.0)
        if units <= lost:
            return Estimate(
                value=value, method=self.method, n=self.n, reason=say("reason.no_interval.few_units", units=units)
            )
        if 1 - abs(value) < 1e-12:
            reason = say("reason.no_interval.exact_relation")
            return Estimate(value=value, method=self.method, n=self.n, reason=reason)
        reach = normal_quantile(level) * math.sqrt(variance(value) / (units - lost))
        return Estimate(
            value=value,
            low=math.tanh(math.atanh(value) - reach),
            high=math.tanh(math.atanh(value) + reach),
            level=level,
            method=say("method.with_fisher_interval", method=self.method),
            n=self.n,
        )


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
    values, rows = np.unique(first, return_inverse=True)
    others, columns = np.unique(second, return_inverse=True)
    if len(values) * len(others) > _TABLE_CELLS:
        from scipy.stats import kendalltau  # Start-up stays quick.

        return float(kendalltau(rows, columns, method="asymptotic").statistic)
    table = np.bincount(rows * len(others) + columns, minlength=len(values) * len(others)).astype(np.float64)
    table = table.reshape(len(values), len(others))
    concordant, discordant = _pairs_below(table), _pairs_below(table[:, ::-1])
    untied_first = _untied(table.sum(axis=1))
    untied_second = _untied(table.sum(axis=0))
    return (concordant - discordant) / math.sqrt(untied_first) / math.sqrt(untied_second)


def _pairs_below(table: Array) -> float:
    """Return the number of pairs of which one is higher for both judges."""
    before = np.cumsum(np.cumsum(table, axis=0), axis=1)[:-1, :-1]
    return float((table[1:, 1:] * before).sum())


def _untied(totals: Array) -> float:
    size = float(totals.sum())
    return (size * size - float(totals @ totals)) / 2
