"""How few comparisons decide an order: the smallest number found whose removal lets another model lead.

Each comparison's pull on the difference of two strengths is known from the fit (its influence); those that pull hardest
are taken away first, and the model is fitted again to see whether the order has turned (Broderick, Giordano & Meager
2020, An Automatic Finite-Sample Robustness Metric). What is reported was refitted; another choice might need fewer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.comparison.bradley_terry import BradleyTerryFit, bradley_terry
from venire.stats.comparison.sandwich import bread
from venire.stats.comparison.win_matrix import require_win_matrix

if TYPE_CHECKING:
    from venire.stats.comparison.win_matrix import WinMatrix
    from venire.stats.observations import FloatArray

_LARGEST_SHARE = 0.2
"""An order that a fifth of the comparisons cannot turn does not hang on a few."""


class DecidingComparisons(msgspec.Struct, frozen=True, kw_only=True):
    """The comparisons that put one model before another."""

    leader: Any
    """The model that is ahead."""
    follower: Any
    """The model that would be ahead without these comparisons."""
    count: int | None
    """How many comparisons are enough; None if a fifth of all are not."""
    comparisons: int
    """How many there are."""


def deciding_comparisons(wins: WinMatrix, fit: BradleyTerryFit, leader: Any, follower: Any) -> DecidingComparisons:
    """Find how few comparisons must go for a model that is ahead to fall behind another.

    Raises `UsageError` for a fit without strengths or of other models, and for a leader that is not ahead in it.
    """
    require_win_matrix(wins)
    if fit.reason or fit.models != wins.models:
        raise UsageError("error.stats.fit_of_wins")
    if (
        leader == follower
        or not {leader, follower} <= {*fit.models}
        or (fit.difference(leader, follower).value or 0.0) < 0
    ):
        raise UsageError("error.stats.leader", leader=leader, follower=follower)
    ahead, behind = fit.models.index(leader), fit.models.index(follower)
    cells = _strongest_cells(wins, fit, ahead, behind)
    most = int(_LARGEST_SHARE * wins.comparisons)

    def has_turned(count: int) -> bool:
        reached = bradley_terry(_without(wins, cells, count))
        if reached.reason:  # A model that can no longer be placed does not show that the order has turned.
            return False
        return (reached.difference(leader, follower).value or 0.0) <= 0.0

    count = None
    if most and has_turned(most):
        low, count = 0, most
        while count - low > 1:
            middle = (low + count) // 2
            low, count = (low, middle) if has_turned(middle) else (middle, count)
    return DecidingComparisons(leader=leader, follower=follower, count=count, comparisons=wins.comparisons)


def _strongest_cells(wins: WinMatrix, fit: BradleyTerryFit, ahead: int, behind: int) -> list[tuple[float, int, int]]:
    """Return the outcomes that pull the difference up, the strongest first: outcome, winner or first, other."""
    k = len(fit.models)
    lean, ties = fit.expected()
    tie = np.zeros_like(lean) if ties is None else ties
    inverse = bread(fit.information, k)
    weight: FloatArray = inverse[ahead] - inverse[behind]
    apart = weight[:k, None] - weight[:k]
    log_nu = 0.0 if ties is None else float(weight[k])
    won = apart * (1 - lean) / 2 - log_nu * tie
    tied = apart * (0 - lean) / 2 + log_nu * (1 - tie)
    found = [(float(won[i, j]), 1.0, i, j) for i, j in zip(*np.nonzero(wins.wins), strict=True)]
    found += [(float(tied[i, j]), 0.5, i, j) for i, j in zip(*np.nonzero(np.triu(wins.ties)), strict=True)]
    return [(outcome, int(i), int(j)) for pull, outcome, i, j in sorted(found, key=lambda each: -each[0]) if pull > 0]


def _without(wins: WinMatrix, cells: list[tuple[float, int, int]], count: int) -> WinMatrix:
    """Return the outcomes without so many comparisons, taken from these cells in order."""
    won, tied = wins.wins.copy(), wins.ties.copy()
    for outcome, i, j in cells:
        table = won if outcome == 1.0 else tied
        taken = min(float(count), float(table[i, j]))
        table[i, j] -= taken
        if outcome != 1.0:
            tied[j, i] = tied[i, j]
        count -= round(taken)
        if count <= 0:
            break
    return msgspec.structs.replace(wins, wins=won, ties=tied)
