"""Who beats whom, derived from scores: win matrix, Bradley–Terry with intervals that allow for clusters, and Elo.

Comparisons that are derived from scores are not independent: a cell with k models gives k(k − 1)/2 of them, and cells
share questions. The errors of the strengths are therefore those of the cluster-robust covariance: see `sandwich`.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.comparison.bradley_terry import BradleyTerryFit, bradley_terry
from venire.stats.comparison.cluster_sums import ClusterSums
from venire.stats.comparison.elo import EloRatings, elo
from venire.stats.comparison.sandwich import with_clusters
from venire.stats.comparison.win_matrix import WinMatrix, wins_from_scores
from venire.stats.observations import as_floats, encode, require_same_length
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

ROBUST = say("method.bradley_terry_from_scores")
"""How strengths and their intervals are made."""


class ScoreComparisons(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """All comparisons that scores give, and what follows from them."""

    wins: WinMatrix
    """Who beat whom how often."""
    fit: BradleyTerryFit
    """The strengths, with intervals that allow for clusters."""
    elo: EloRatings
    """Elo ratings, in the order of the cells."""
    clusters: int
    """How many clusters the intervals rest on."""


def compare_by_scores(
    scores: ArrayLike, models: Sequence[Any], clusters: ArrayLike, *, tie_margin: float = 0.0, level: float = 0.95
) -> ScoreComparisons:
    """Compare models on a table of cells × models; in each cell the higher score wins.

    `clusters` names the question of each cell. Scores that differ by at most `tie_margin` tie.
    """
    table, (distinct, codes) = as_floats(scores), encode(clusters)
    wins = wins_from_scores(table, models, tie_margin=tie_margin)
    require_same_length("cells", table, "clusters", codes)
    if (codes < 0).any():
        raise UsageError("error.stats.unit_without_cluster")
    outcomes = _outcomes(table, tie_margin)
    fit = bradley_terry(wins, level=level)
    count = len(distinct)
    return ScoreComparisons(
        wins=wins,
        fit=fit if fit.reason else _clustered(fit, outcomes, codes, count, level),
        elo=_elo(outcomes, models),
        clusters=count,
    )


def _outcomes(table: FloatArray, tie_margin: float) -> dict[tuple[int, int], FloatArray]:
    """Return for each two models the outcome in each cell: 1, 0.5 or 0, and NaN where either has no score."""
    found = {}
    for i, j in itertools.combinations(range(table.shape[1]), 2):
        difference = table[:, i] - table[:, j]
        slack = tie_margin + 1e-12 * np.maximum(np.abs(table[:, i]), np.abs(table[:, j]))
        tied = np.abs(difference) <= slack
        found[i, j] = np.where(np.isnan(difference), np.nan, np.where(tied, 0.5, difference > 0))
    return found


def _clustered(
    fit: BradleyTerryFit, outcomes: dict[tuple[int, int], FloatArray], codes: IntArray, count: int, level: float
) -> BradleyTerryFit:
    sums = ClusterSums(fit, count)
    for (i, j), outcome in outcomes.items():
        there = ~np.isnan(outcome)
        one, two = (np.full(int(there.sum()), model) for model in (i, j))
        sums.add(one, two, outcome[there], codes[there])
    return with_clusters(fit, sums.squares(), count, ROBUST, level=level)


def _elo(outcomes: dict[tuple[int, int], FloatArray], models: Sequence[Any]) -> EloRatings:
    """Rate models cell by cell, so that no model plays all of its comparisons before the others."""
    pairs = list(outcomes)
    if not pairs:
        return elo([], [], [])
    results = np.column_stack([outcomes[pair] for pair in pairs])
    cells = len(results)
    first, second = ([models[pair[side]] for pair in pairs] * cells for side in (0, 1))
    return elo(first, second, results.ravel())
