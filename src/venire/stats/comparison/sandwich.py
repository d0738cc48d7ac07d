"""Errors of Bradley–Terry strengths that allow for clusters: the "sandwich" covariance.

It is A⁻¹ (Σ_g s_g s_gᵀ) A⁻¹ · G/(G−1), with the information A and the sum s_g of the log-likelihood's derivatives over
all comparisons of cluster g (White 1982, Maximum Likelihood Estimation of Misspecified Models, Econometrica 50, 1–25).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.stats.comparison.bradley_terry import BradleyTerryFit, bradley_terry
from venire.stats.comparison.cluster_sums import cluster_squares
from venire.stats.comparison.davidson_likelihood import bordered
from venire.stats.comparison.win_matrix import CodedComparisons, code_comparisons, count_coded, empty_kinds
from venire.stats.observations import encode, number, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.quantile import t_quantile
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from venire.stats.comparison.win_matrix import KindArray, WinMatrix
    from venire.stats.observations import FloatArray, IntArray

_FARTHEST = 300.0
"""The logarithm beyond which the end of an interval says nothing, and soon is beyond what a double holds."""

_VANISHING = 1e-12
"""An error that comes of squares smaller than this, a millionth in the logarithm of the odds, is 0 but for rounding."""


def bread(information: FloatArray, models: int) -> FloatArray:
    """Return the inverse of the information for strengths that sum to 0; the first rows are the models'."""
    inverse: FloatArray = np.linalg.inv(bordered(information, models)).astype(np.float64)
    inverse[:models, :models] -= 1.0 / models
    return inverse


def clustered_covariance(squares: FloatArray, information: FloatArray, clusters: int, models: int) -> FloatArray:
    """Return the covariance that allows for clusters; `squares` is Σ_g s_g s_gᵀ over so many clusters.

    Where every cluster says just the same of a parameter, its sums vanish in each: their spread is no error, and the
    parameter has NaN. The errors of the other models are then those of their distance from the mean of one another.
    """
    inverse = bread(information, models)
    covariance: FloatArray = inverse @ squares @ inverse * (clusters / max(clusters - 1, 1))
    alike = (np.diag(squares) <= _VANISHING * np.diag(information) ** 2) | (clusters < 2)
    firm = np.flatnonzero(~alike[:models])
    if len(firm) < models:
        apart = np.eye(len(firm)) - 1.0 / max(len(firm), 1)
        covariance[np.ix_(firm, firm)] = apart @ covariance[np.ix_(firm, firm)] @ apart
        alike[:models] |= len(firm) < 2
    covariance[alike] = covariance[:, alike] = np.nan
    return covariance


def with_clusters(
    fit: BradleyTerryFit, squares: FloatArray, clusters: int, method: str, *, level: float
) -> BradleyTerryFit:
    """Return a fit with intervals that allow for clusters; `squares` is Σ_g s_g s_gᵀ over so many clusters."""
    k = len(fit.models)
    every = clustered_covariance(squares, fit.information, clusters, k)
    covariance = every[:k, :k]
    n = fit.n if np.isnan(covariance).all() else {**fit.n, "clusters": clusters}
    strengths = tuple(
        clustered_interval(each.value or 0.0, float(covariance[place, place]), clusters, level, method, n)
        for place, each in enumerate(fit.strengths)
    )
    tie = _tie(fit.tie, float(every[-1, -1]), clusters, level) if fit.tie.value else fit.tie
    return msgspec.structs.replace(fit, strengths=strengths, covariance=covariance, tie=tie, method=method, n=n)


def _tie(tie: Estimate, variance: float, clusters: int, level: float) -> Estimate:
    """Return Davidson's ν with an interval that allows for clusters, from the variance of its logarithm."""
    value = tie.value or 0.0
    n = {**tie.n, "clusters": clusters}
    log = clustered_interval(math.log(value), variance, clusters, level, say("method.davidson_ties_clustered"), n)
    if log.low is None or log.high is None or log.standard_error is None:
        return msgspec.structs.replace(log, value=value)
    if log.high > _FARTHEST:
        return Estimate(value=value, method=log.method, n=n, reason=say("reason.no_interval.few_questions"))
    return msgspec.structs.replace(
        log, value=value, low=math.exp(log.low), high=math.exp(log.high), standard_error=value * log.standard_error
    )


def bradley_terry_clustered(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    clusters: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    level: float = 0.95,
) -> BradleyTerryFit:
    """Fit strengths to comparisons, with errors that allow for the questions that `clusters` names.

    `outcome` is 1 if first won, 0 if second did, 0.5 for a tie; `weights` says how much each comparison counts for.
    """
    coded = code_comparisons(first, second, outcome, weights)
    return fit_with_clusters(coded, clusters, level=level)[1]


def fit_with_clusters(
    coded: CodedComparisons, clusters: ArrayLike, *, level: float
) -> tuple[WinMatrix, BradleyTerryFit]:
    """Count comparisons, and fit strengths with errors by their clusters."""
    kinds = empty_kinds(coded)
    wins = count_coded(coded, kinds)
    fit = bradley_terry(wins, level=level)
    if fit.reason:
        return wins, fit
    bound, codes, is_incomplete = number(clusters)
    require_same_length("outcomes", coded.outcomes, "clusters", codes)
    places = _places(coded.models, fit.models)
    used: KindArray | None = kinds
    if wins.missing or is_incomplete:
        one, two = coded.one, coded.two
        there = (one >= 0) & (two >= 0) & (one != two) & ~np.isnan(coded.outcomes) & (codes >= 0)
        coded, codes, used = coded.at(there), codes[there], None
    one, two = coded.one, coded.two
    if places is not None:
        one, two, used = places[one], places[two], None
    if bound > len(codes):  # Most numbers stand for no cluster, and would each need sums.
        distinct, codes = encode(codes)
        bound = len(distinct)
    squares, groups = cluster_squares(fit, one, two, coded.outcomes, codes, coded.weights, kinds=used, bound=bound)
    return wins, with_clusters(fit, squares, groups, say("method.bradley_terry_clustered"), level=level)


def _places(numbered: NDArray[Any], models: tuple[Any, ...]) -> IntArray | None:
    """Return the place of each number among the models of a fit; None if those come first, in their order."""
    if numbered[: len(models)].tolist() == list(models):
        return None
    known = {model: place for place, model in enumerate(models)}
    return np.array([known.get(each, -1) for each in numbered.tolist()], dtype=np.intp)


def interval(value: float, variance: float, quantile: float, level: float, method: str, n: dict[str, int]) -> Estimate:
    """Return a value with as many standard errors around it as the quantile says."""
    error = math.sqrt(max(variance, 0.0))
    margin = quantile * error
    return Estimate(
        value=value, low=value - margin, high=value + margin, level=level, standard_error=error, method=method, n=n
    )


def clustered_interval(
    value: float, variance: float, clusters: int, level: float, method: str, n: dict[str, int]
) -> Estimate:
    """Return a value with the interval of so many clusters, or without one where they show no error."""
    if math.isnan(variance):
        reason = say("reason.one_cluster" if clusters < 2 else "reason.clusters_alike")
        return Estimate(value=value, method=method, n=n, reason=reason)
    return interval(value, variance, t_quantile(level, clusters - 1), level, method, n)
