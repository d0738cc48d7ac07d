"""A ranking of models from pairwise comparisons: strengths, intervals that hold together, and ranges of ranks.

Strengths are Bradley–Terry's with Davidson's ties, with errors clustered by question. The intervals of all strengths
hold at once, and so do all differences that ranges of ranks rest on: see `rank_ranges`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.stats.comparison.bradley_terry import BradleyTerryFit, bradley_terry
from venire.stats.comparison.rank_ranges import DRAWS, rank_ranges
from venire.stats.comparison.sandwich import fit_with_clusters, interval
from venire.stats.comparison.win_matrix import WinMatrix, code_comparisons, count_coded
from venire.stats.result import Estimate
from venire.stats.uncertainty.intervals import require_level
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


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

    @property
    def why_no_errors(self) -> str:
        """Why nobody knows how certain the order is; empty if errors are known, or if there is no order."""
        return "" if self.reason or self.level or not self.models else self.models[0].strength.reason

    @property
    def level(self) -> float:
        """The coverage of the intervals; 0 if errors are not known."""
        return max((each.strength.level or 0.0 for each in self.models), default=0.0)

    @property
    def without_errors(self) -> tuple[Any, ...]:
        """The models whose errors are not known, although those of others are; they may stand anywhere."""
        return tuple(each.model for each in self.models if each.strength.reason) if self.level else ()


def rank_models(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
) -> Ranking:
    """Rank models from comparisons: `outcome` is 1 if first won, 0 if second did, 0.5 for a tie.

    `clusters` names the question of each comparison; without it comparisons count as independent. `weights` says how
    much each counts for, 1 if it is not given.
    """
    require_level(level)
    coded = code_comparisons(first, second, outcome, weights)
    if clusters is None:
        wins = count_coded(coded)
        fit = bradley_terry(wins, level=level)
    else:
        wins, fit = fit_with_clusters(coded, clusters, level=level)
    if fit.reason:
        return _without_order(wins, fit)
    return _ranked(wins, fit, fit.n.get("clusters", 0), level)


def _ranked(wins: WinMatrix, fit: BradleyTerryFit, groups: int, level: float) -> Ranking:
    strengths = np.array([each.value for each in fit.strengths], dtype=np.float64)
    best, worst, quantile = rank_ranges(strengths, fit.covariance, groups - 1 if groups else None, level)
    method = say("method.ranking", fit=fit.method, draws=DRAWS)
    order = sorted(range(len(strengths)), key=lambda place: (-strengths[place], str(fit.models[place])))
    models = []
    for place in order:
        alone = fit.strengths[place]
        wide = alone
        if quantile is not None and not alone.reason:
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
