"""Pairs that one judge saw in both orders: one comparison each, and what it counts for if its outcome changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.stats.observations import FloatArray

Flipped = Literal["tie", "each", "none"]
"""What a pair counts for whose outcome changes with the order: a tie, each outcome for itself, or nothing."""


class BothOrders(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """The comparisons that are left, and what became of the pairs."""

    kept: list[int]
    """Which of the judgements stand for a comparison, by their places."""
    outcome: FloatArray
    """The outcome of each of these."""
    both: int
    """How many pairs a judge saw in both orders."""
    one: int
    """How many it saw in one order only."""
    flips: int
    """How many of those in both orders had another outcome in the other order."""
    flipped: Flipped
    """What such a pair counts for."""


def settle_orders(
    judges: Sequence[str], pairs: Sequence[str], first: Sequence[str], outcome: FloatArray, flipped: Flipped
) -> BothOrders:
    """Make one comparison of each pair that a judge saw in both orders.

    `pairs` names the two outputs whatever their order, `first` says which model was shown first, and `outcome` is 1 if
    it won, 0 if the other did, 0.5 for a tie. An outcome flips if it is not the same for the same model in both orders.
    """
    places: dict[tuple[str, str], list[int]] = {}
    for place, key in enumerate(zip(judges, pairs, strict=True)):
        places.setdefault(key, []).append(place)
    settled, kept = np.array(outcome, dtype=np.float64), []
    both = flips = 0
    for mine in places.values():
        if len(mine) != 2 or first[mine[0]] == first[mine[1]]:
            kept += mine
            continue
        both += 1
        is_flip = bool(abs(settled[mine[0]] + settled[mine[1]] - 1) > 1e-9)
        flips += is_flip
        if is_flip and flipped == "each":
            kept += mine
        elif not is_flip or flipped == "tie":
            kept.append(mine[0])
            settled[mine[0]] = 0.5 if is_flip else settled[mine[0]]
    return BothOrders(kept=kept, outcome=settled[kept], both=both, one=len(places) - both, flips=flips, flipped=flipped)
