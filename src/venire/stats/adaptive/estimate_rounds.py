"""Round after round of an estimate: how many asks are drawn next, and when the interval is narrow enough."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.adaptive.drawn_asks import DIGITS, draw_probabilities, expected_variance
from venire.stats.adaptive.expected_replies import expected_replies
from venire.stats.adaptive.selected_mean import selected_mean, share_of, variance_so_far

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.stats.adaptive.jury_asks import JuryAsks
    from venire.stats.adaptive.selected_mean import DrawnRound, SelectedMean
    from venire.stats.observations import FloatArray

PILOT_ASKS = 40
"""About how many asks of each group the first round draws at least, all equally likely."""
PILOT_OUTPUTS = 20
"""Of about how many outputs of each group it draws each ask at least."""
MARGIN = 0.9
"""Which part of the variance that would do is aimed at, as what is known of it is an estimate."""
LEAST_DRAWN = 5.0
"""How many asks of a group a later round draws at least, on average."""
LEAST_GROWTH = 0.1
"""How many it draws at least, as a share of those before it."""


class RoundChances(msgspec.Struct, frozen=True, eq=False):
    """What a round is to draw from."""

    probabilities: FloatArray
    """How likely each ask is to be drawn, outputs by asks; 0 for those that are not open or not needed."""
    expected: FloatArray
    """The reply that is expected of each ask."""
    shares: FloatArray
    """How much the round counts in each group's estimate against all rounds before it."""


def next_chances(
    asks: JuryAsks, rounds: Sequence[DrawnRound], half_width: float, *, level: float = 0.95
) -> RoundChances | None:
    """Return what the next round draws from; None if every group's interval is narrow enough, or nothing is open."""
    expectation = expected_replies(asks)
    chances, shares = np.zeros_like(asks.values), np.zeros(int(asks.groups.max(initial=-1)) + 1)
    for group in range(len(shares)):
        own = (asks.groups == group)[:, None] & asks.open
        found = selected_mean(asks, rounds, group, expectation.spreads, level=level)
        if not own.any() or (found is not None and found.half_width <= half_width):
            continue
        sizes = (asks.weights * expectation.spreads)[own]
        if found is not None:
            before = variance_so_far(asks, rounds, group, expectation.spreads)
            smaller = MARGIN * (half_width / found.half_width) ** 2
            least, most = max(LEAST_DRAWN, LEAST_GROWTH * found.drawn), max(LEAST_DRAWN, float(found.drawn))
            drawn = draw_probabilities(sizes, before * smaller / (1 - smaller), least, most)
            shares[group] = round(share_of(before, expected_variance(sizes, drawn)), DIGITS)
        else:
            outputs = int((asks.groups == group).sum())
            drawn = np.full(int(own.sum()), round(pilot_outputs(outputs, asks.further) / outputs, DIGITS))
            shares[group] = 1.0
        chances[own] = drawn
    return RoundChances(chances, np.where(asks.open, expectation.means, 0.0), shares) if chances.any() else None


def pilot_outputs(outputs: int, further: int) -> float:
    """Return of how many outputs of a group the first round draws each of so many further asks, on average.

    >>> pilot_outputs(600, 1), pilot_outputs(600, 3), pilot_outputs(10, 1)
    (40.0, 20.0, 10.0)
    """
    return min(float(outputs), max(PILOT_ASKS / further, float(PILOT_OUTPUTS)))


def estimates(asks: JuryAsks, rounds: Sequence[DrawnRound], *, level: float = 0.95) -> tuple[SelectedMean | None, ...]:
    """Return the estimate of each group."""
    spreads = expected_replies(asks).spreads
    groups = range(int(asks.groups.max(initial=-1)) + 1)
    return tuple(selected_mean(asks, rounds, group, spreads, level=level) for group in groups)
