"""The mean score of the whole jury, from asks that were drawn with recorded probabilities.

In each round, what is known counts as it is, and what is open counts as what was expected of it plus, where it was
drawn, the difference over its probability (Horvitz & Thompson 1952, as a difference estimator). Given all that was seen
before, a round's total is right on average, whatever was drawn before and why; so rounds are joined with weights that
are fixed before a round is drawn, and their errors do not add up in one direction. To end when an interval is narrow
enough is sound for many asks (Chow & Robbins 1965); `bench/adaptive_jury.py` shows it for few.

An invalid reply does not count: the mean is that over the valid replies of the whole jury, a ratio of two totals.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.adaptive.drawn_asks import expected_variance
from venire.stats.uncertainty.quantile import t_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.stats.adaptive.jury_asks import BoolArray, JuryAsks
    from venire.stats.observations import FloatArray


MOST_DEGREES = 1000.0
"""From so many degrees of freedom on, Student's t is as good as normal."""


class DrawnRound(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """One round: how likely each open ask was, what was expected of it, and which were drawn."""

    probabilities: FloatArray
    """How likely each ask was to be drawn, outputs by asks; 0 for those that were not open."""
    expected: FloatArray
    """The reply that was expected of each ask."""
    drawn: BoolArray
    """Which asks were drawn."""
    shares: FloatArray
    """How much the round counts in each group's estimate against all rounds before it, from 0 to 1."""


class SelectedMean(msgspec.Struct, frozen=True):
    """The estimate of one group."""

    value: float
    """The mean."""
    half_width: float
    """Half the width of its interval; 0 if the whole jury was asked."""
    drawn: int
    """How many asks beyond the first ones were drawn."""
    whole: int
    """How many the whole jury would have been asked."""


def selected_mean(
    asks: JuryAsks, rounds: Sequence[DrawnRound], group: int, spreads: FloatArray, *, level: float = 0.95
) -> SelectedMean | None:
    """Estimate the mean of a group from all rounds; None without a round or a valid reply.

    `spreads` says how far off expectations may be by all that is known now: the interval is never narrower than they
    make it, so that few lucky replies do not end a run.
    """
    own = asks.groups == group
    weights = np.broadcast_to(asks.weights, asks.values.shape)[own]
    valid = ~np.isnan(asks.values[own])
    scores = np.where(valid, asks.values[own], 0.0)
    parts = _parts(rounds, group)
    if not parts or not valid.any():
        return None
    known = np.zeros(scores.shape, dtype=bool)
    known[:, : asks.start] = True
    numerator = denominator = 0.0
    for part, each in zip(parts, rounds, strict=True):
        chances, guess, drawn = each.probabilities[own], each.expected[own], each.drawn[own]
        upward = np.divide(drawn, chances, out=np.zeros(scores.shape), where=chances > 0)
        score = np.where(known, valid * scores, guess + upward * (valid * scores - guess))
        there = np.where(known, valid, 1.0 + upward * (valid - 1.0))
        numerator += part * float((weights * score).sum())
        denominator += part * float((weights * there).sum())
        known = known | drawn
    mean = numerator / denominator
    variance, squares, supposed = 0.0, 0.0, 0.0
    for part, each in zip(parts, rounds, strict=True):
        chances, guess, drawn = each.probabilities[own], each.expected[own], each.drawn[own]
        left = drawn & (chances < 1)
        off = weights * (valid * scores - guess - mean * (valid - 1.0))
        each_adds = part**2 * off[left] ** 2 * (1 - chances[left]) / chances[left] ** 2
        variance += float(each_adds.sum())
        squares += float((each_adds**2).sum())
        some = chances > 0
        supposed += part**2 * expected_variance((weights * spreads[own])[some], chances[some])
    error = math.sqrt(max(variance, supposed)) / denominator
    # A few large differences may make up most of the variance: so many equal ones would be as uncertain.
    alike = variance**2 / squares if squares > 0 else np.inf
    margin = t_quantile(level, max(2.0, min(alike - 1, MOST_DEGREES))) * error if error > 0 else 0.0
    whole = int(asks.values[own].shape[0] * (asks.values.shape[1] - asks.start))
    return SelectedMean(mean, margin, int(known[:, asks.start :].sum()), whole)


def variance_so_far(asks: JuryAsks, rounds: Sequence[DrawnRound], group: int, spreads: FloatArray) -> float:
    """Return the variance of a group's total after some rounds, if expectations are off by the spreads."""
    own = asks.groups == group
    sizes = (asks.weights * spreads)[own]
    found = 0.0
    for part, each in zip(_parts(rounds, group), rounds, strict=True):
        some = each.probabilities[own] > 0
        found += part**2 * expected_variance(sizes[some], each.probabilities[own][some])
    return found


def share_of(before: float, after: float) -> float:
    """Return how much a round counts against those before it, by the variances of both."""
    return 1.0 if after <= 0 else before / (before + after)


def _parts(rounds: Sequence[DrawnRound], group: int) -> list[float]:
    """Return how much each round counts in the end."""
    parts: list[float] = []
    for each in rounds:
        share = float(each.shares[group]) if parts else 1.0
        parts = [part * (1 - share) for part in parts] + [share]
    return parts
