"""Position: whether a pairwise judge prefers what it is shown first, told by pairs that were shown both ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.judges.bias import Bias, measured
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.pairwise.head_to_head import sign_test
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

SMALLEST = 20
"""How many pairs must have been shown in both orders."""

_MEANING = say("meaning.position")
_FLIPS = say("meaning.position_flips")


def position_bias(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    questions: ArrayLike,
    *,
    pairs: ArrayLike | None = None,
    judge: str = "",
    level: float = 0.95,
) -> tuple[Bias, Bias]:
    """Measure the preference for the first place, and the outcomes that flip with the order.

    The four lists belong together: `outcome` is 1 if first won, 0 if second did, 0.5 for a tie. Only pairs of a
    question that were shown in both orders count: otherwise a better output in first place would look like bias.
    `pairs` names each pair, whatever its order, where the same two meet several times in a question, as they do with
    several prompt variants.
    """
    pair_questions, forward, backward = _swapped(
        first, second, outcome, questions, questions if pairs is None else pairs
    )
    both = forward + backward
    preference = clustered_mean(np.round(both / 2 - 0.5, 12), pair_questions, level=level)
    flips = clustered_share(np.abs(both - 1) > 1e-9, pair_questions, level=level)
    count, p_value = len(both), sign_test(both - 1, pair_questions)
    details = {} if p_value is None else {"p_value": p_value}
    return (
        measured(
            "position", judge, preference, observations=count, smallest=SMALLEST, meaning=_MEANING, details=details
        ),
        measured("position flips", judge, flips, observations=count, smallest=SMALLEST, meaning=_FLIPS),
    )


def _swapped(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, questions: ArrayLike, pairs: ArrayLike
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return question and mean outcome in either order of each pair that was shown both ways."""
    results = as_floats(outcome).ravel()
    left, right = np.asarray(first).ravel(), np.asarray(second).ravel()
    question, place = encode(questions)[1], encode(pairs)[1]
    named = {"first_outputs": left, "second_outputs": right, "questions": question, "pairs": place}
    for name, column in named.items():
        require_same_length("outcomes", results, name, column)
    items, codes = encode(np.concatenate([left, right]))
    one, two = codes[: len(results)], codes[len(results) :]
    usable = ~np.isnan(results) & (one >= 0) & (two >= 0) & (one != two) & (question >= 0) & (place >= 0)
    one, two, question, place, results = one[usable], two[usable], question[usable], place[usable], results[usable]
    low, high, is_forward = np.minimum(one, two), np.maximum(one, two), one < two
    _, rows, pair = np.unique((place * len(items) + low) * len(items) + high, return_index=True, return_inverse=True)
    sides, count = [], len(rows)
    for mask in (is_forward, ~is_forward):
        counts = np.bincount(pair[mask], minlength=count)
        means = np.full(count, np.nan)
        sums = np.bincount(pair[mask], weights=results[mask], minlength=count)
        np.divide(sums, counts, out=means, where=counts > 0)
        sides.append(means)
    both = ~(np.isnan(sides[0]) | np.isnan(sides[1]))
    return question[rows][both], sides[0][both], sides[1][both]
