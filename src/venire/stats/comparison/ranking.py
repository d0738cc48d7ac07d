"""A ranking of models from pairwise comparisons: strengths, intervals that hold together, and ranges of ranks.

Strengths are Bradley–Terry's with Davidson's ties, with errors clustered by question. The intervals of all strengths
hold at once, and so do all differences that ranges of ranks rest on: both use the largest of all studentised errors,
whose quantile is found by drawing from their joint distribution. A model's best rank is one more than the number of
models that are surely stronger, its worst rank leaves out those that are surely weaker (Mogstad, Romano, Shaikh &
Wilhelm 2024, Inference for Ranks with Applications to Mobility across Neighborhoods, Rev. Econ. Stud. 91, 476–518).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.stats.comparison.bradley_terry import BradleyTerryFit, bradley_terry
from venire.stats.comparison.davidson_likelihood import outcome_shares
from venire.stats.comparison.sandwich import interval, with_clusters
from venire.stats.comparison.win_matrix import WinMatrix, count_wins
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

DRAWS = 10_000
"""How many draws the quantiles of the largest error rest on."""
SEED = 20260101
"""The seed of these draws, so that a ranking can be made again."""
_CLUSTER_ROWS = 1 << 22
"""How many numbers the derivatives of a part of the clusters take at most."""


class RankedModel(msgspec.Struct, frozen=True, kw_only=True):
    """One model's place in a ranking."""

    model: Any
    """The model."""
    rank: int
    """Its place by strength, from 1; equal strengths share the better place."""
    best: int | None
    """The best rank that the comparisons leave open; None if errors are not known."""
    worst: int | None
    """The worst rank that they leave open."""
    strength: Estimate
    """The logarithm of its strength; its interval holds together with those of all other models."""
    won: int
    """How many comparisons it won."""
    tied: int
    """How many it tied."""
    lost: int
    """How many it lost."""


class Ranking(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Models in the order of their strengths, or the reason why there is no order."""

    models: tuple[RankedModel, ...]
    """The models, the strongest first."""
    fit: BradleyTerryFit
    """The fit behind them, with an interval of its own for each strength."""
    wins: WinMatrix
    """Who beat whom how often."""
    clusters: int
    """How many questions the errors rest on; 0 if each comparison stands for itself."""
    method: str
    """How strengths, intervals and ranges of ranks were made."""
    reason: str = ""
    """Why there is no order; empty if there is one."""


def rank_models(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, *, clusters: ArrayLike | None = None, level: float = 0.95
) -> Ranking:
    """Rank models from comparisons: `outcome` is 1 if first won, 0 if second did, 0.5 for a tie.

    `clusters` names the question of each comparison; without it comparisons count as independent.
    """
    require_level(level)
    wins = count_wins(first, second, outcome)
    fit = bradley_terry(wins, level=level)
    if fit.reason:
        return _without_order(wins, fit)
    groups = 0
    if clusters is not None:
        codes = encode(clusters)[1]
        require_same_length("outcomes", as_floats(outcome).ravel(), "clusters", codes)
        groups, squares = _squares(fit, first, second, outcome, codes)
        fit = with_clusters(fit, squares, groups, say("method.bradley_terry_clustered"), level=level)
    return _ranked(wins, fit, groups, level)


def _ranked(wins: WinMatrix, fit: BradleyTerryFit, groups: int, level: float) -> Ranking:
    strengths = np.array([each.value for each in fit.strengths], dtype=np.float64)
    best, worst, quantile = _rank_ranges(strengths, fit.covariance, groups - 1 if groups else None, level)
    method = say("method.ranking", fit=fit.method, draws=DRAWS)
    order = sorted(range(len(strengths)), key=lambda place: (-strengths[place], str(fit.models[place])))
    models = []
    for place in order:
        alone = fit.strengths[place]
        wide = alone
        if quantile is not None:
            wide = interval(
                float(strengths[place]), float(fit.covariance[place, place]), quantile, level, method, alone.n
            )
        models.append(
            RankedModel(
                model=fit.models[place],
                rank=1 + int((strengths > strengths[place]).sum()),
                best=None if quantile is None else int(best[place]),
                worst=None if quantile is None else int(worst[place]),
                strength=wide,
                won=round(float(wins.wins[place].sum())),
                tied=round(float(wins.ties[place].sum())),
                lost=round(float(wins.wins[:, place].sum())),
            )
        )
    return Ranking(models=tuple(models), fit=fit, wins=wins, clusters=groups, method=method)


def _without_order(wins: WinMatrix, fit: BradleyTerryFit) -> Ranking:
    models = tuple(
        RankedModel(
            model=model, rank=1, best=None, worst=None, strength=fit.strengths[place],
            won=round(float(wins.wins[place].sum())), tied=round(float(wins.ties[place].sum())),
            lost=round(float(wins.wins[:, place].sum())),
        )
        for place, model in enumerate(fit.models)
    )  # fmt: skip
    return Ranking(models=models, fit=fit, wins=wins, clusters=0, method=fit.method, reason=fit.reason)


def _rank_ranges(
    strengths: FloatArray, covariance: FloatArray, degrees: int | None, level: float
) -> tuple[IntArray, IntArray, float | None]:
    """Return the best and worst rank of each model, and how many errors wide all intervals of strengths must be."""
    k = len(strengths)
    nothing = np.zeros(k, dtype=np.intp)
    if np.isnan(covariance).any():
        return nothing, nothing, None
    draws = _draws(covariance, degrees)
    errors = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    alone = float(np.quantile((np.abs(draws) / errors).max(axis=1), level))
    spread = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    pair_errors = np.sqrt(np.maximum(spread, 1e-300))
    largest = np.zeros(len(draws))
    for i in range(k - 1):
        apart = np.abs(draws[:, i : i + 1] - draws[:, i + 1 :]) / pair_errors[i, i + 1 :]
        np.maximum(largest, apart.max(axis=1), out=largest)
    margin = float(np.quantile(largest, level)) * pair_errors
    stronger = (strengths[None, :] - strengths[:, None]) > margin
    np.fill_diagonal(stronger, val=False)
    return 1 + stronger.sum(axis=1), k - stronger.sum(axis=0), alone


def _draws(covariance: FloatArray, degrees: int | None) -> FloatArray:
    """Draw errors of all strengths from their joint distribution, Student's t where clusters are few."""
    generator = np.random.default_rng(SEED)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws: FloatArray = generator.standard_normal((DRAWS, len(covariance))) @ root.T
    if degrees:
        draws *= np.sqrt(degrees / generator.chisquare(degrees, DRAWS))[:, None]
    return draws


def _squares(
    fit: BradleyTerryFit, first: ArrayLike, second: ArrayLike, outcome: ArrayLike, clusters: IntArray
) -> tuple[int, FloatArray]:
    """Return the number of clusters, and Σ_g s_g s_gᵀ of the derivatives s_g of each."""
    numbers = {model: place for place, model in enumerate(fit.models)}
    one, two = (_numbered(side, numbers) for side in (first, second))
    results = as_floats(outcome).ravel()
    used = (one >= 0) & (two >= 0) & (one != two) & ~np.isnan(results) & (clusters >= 0)
    if not used.all():
        one, two, results, clusters = one[used], two[used], results[used], clusters[used]
    distinct, codes = np.unique(clusters, return_inverse=True) if not used.all() else (None, clusters)
    groups = len(distinct) if distinct is not None else int(clusters.max()) + 1
    pull, surprise = _residuals(fit, one, two, results)
    size = len(fit.information)
    rows = max(1, _CLUSTER_ROWS // size)
    if groups <= rows:
        return groups, _squared(codes, groups, one, two, pull, surprise, size)
    squares = np.zeros((size, size))
    order = np.argsort(codes, kind="stable")
    ends = np.searchsorted(codes[order], np.arange(0, groups + rows, rows))
    for part in range(len(ends) - 1):
        mine = order[ends[part] : ends[part + 1]]
        some = None if surprise is None else surprise[mine]
        squares += _squared(codes[mine] - part * rows, rows, one[mine], two[mine], pull[mine], some, size)
    return groups, squares


def _squared(
    codes: IntArray, groups: int, one: IntArray, two: IntArray, pull: FloatArray, surprise: FloatArray | None, size: int
) -> FloatArray:
    base = codes * size
    added = np.bincount(base + one, weights=pull, minlength=groups * size)
    taken = np.bincount(base + two, weights=pull, minlength=groups * size)
    table: FloatArray = (added - taken).astype(np.float64, copy=False).reshape(groups, size)
    if surprise is not None:
        table[:, size - 1] = np.bincount(codes, weights=surprise, minlength=groups)
    squares: FloatArray = table.T @ table
    return squares


def _residuals(
    fit: BradleyTerryFit, one: IntArray, two: IntArray, results: FloatArray
) -> tuple[FloatArray, FloatArray | None]:
    """Return each comparison's derivative by the first strength, and by log ν where there are ties."""
    k = len(fit.models)
    strengths = np.array([each.value for each in fit.strengths], dtype=np.float64)
    with_ties = len(fit.information) > k
    lean, tie, _ = outcome_shares(strengths, math.log(fit.tie.value or 1.0) if with_ties else None)
    pair = one * k + two
    pull = results - 0.5 - lean.ravel()[pair] / 2
    return pull, ((results == 0.5) - tie.ravel()[pair]) if with_ties else None


def _numbered(side: ArrayLike, numbers: dict[Any, int]) -> IntArray:
    """Return the place of each model of one side; -1 where it is missing."""
    distinct, codes = encode(side)
    places = np.array([numbers.get(each, -1) for each in distinct.tolist()] + [-1], dtype=np.intp)
    numbered: IntArray = places[codes]
    return numbered
