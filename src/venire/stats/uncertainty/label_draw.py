"""Which outputs to label next: drawn with known probabilities, more often where labels narrow the answer most.

A label narrows the corrected difference most where judges and people may part most: probabilities go by the judges'
doubt (Zrnic & Candès 2024, Active statistical inference), over the number of outputs of the same model. Outputs to one
question are drawn together by a common random number (Ohlsson 1995, Coordination of samples using permanent random
numbers), because what they have in common cancels in a difference. Probabilities depend on judges alone, never on
labels, so that several draws can be put together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from venire.stats.observations import FloatArray, IntArray

FLOOR = 0.3
"""How much of the mean doubt every output has at least: judges who agree may be wrong together."""

OF_QUESTION = 0.5
"""How much of an output's doubt is that of its question: three judges alone say little of one output."""

GROUPS = 25
"""Into how many questions labels are spread at least, as far as there are so many."""

_DIGITS = 6


def judges_doubt(scores: FloatArray, questions: IntArray) -> FloatArray:
    """Return how doubtful each output is, from the variance between its judges and that within its question.

    `scores` has a row for each output and a column for each judge. Where no output has two scores, all doubts are 1.
    """
    there = ~np.isnan(scores)
    count = there.sum(axis=1)
    several = count > 1
    if not several.any():
        return np.ones(len(scores))
    filled = np.where(there, scores, 0.0)
    mean = filled.sum(axis=1) / np.maximum(count, 1)
    squares = (np.where(there, scores - mean[:, None], 0.0) ** 2).sum(axis=1)
    own = np.where(several, squares / np.maximum(count - 1, 1), np.nan)
    usual = float(np.nanmean(own))
    own = np.where(several, own, usual)
    bound = int(questions.max(initial=0)) + 1
    shared = np.bincount(questions, weights=own, minlength=bound) / np.maximum(
        np.bincount(questions, minlength=bound), 1
    )
    doubt: FloatArray = np.sqrt((1 - OF_QUESTION) * own + OF_QUESTION * shared[questions] + FLOOR * usual)
    return doubt if usual > 0 else np.ones(len(scores))


def label_chances(weights: FloatArray, is_open: NDArray[np.bool_], count: int) -> FloatArray:
    """Return probabilities in proportion to weights, at most 1, that add up to `count` over the open outputs.

    Outputs that are not open, since they were drawn before, get the probability that they would have had. Raises
    `UsageError` if more are asked for than are open.
    """
    if not 0 < count <= int(is_open.sum()):
        raise UsageError("error.labels.too_many", asked=count, open=int(is_open.sum()))
    full = np.zeros(len(weights), dtype=bool)
    while True:
        part = is_open & ~full
        rest = count - int((full & is_open).sum())
        factor = rest / float(weights[part].sum()) if part.any() else 0.0
        over = part & (factor * weights > 1)
        if not over.any():
            break
        full |= over
    found: FloatArray = np.where(full, 1.0, np.clip(factor * weights, 10.0**-_DIGITS, 1.0))
    return np.round(found, _DIGITS)


def draw_outputs(
    chances: FloatArray, questions: IntArray, is_open: NDArray[np.bool_], count: int, generator: np.random.Generator
) -> IntArray:
    """Draw open outputs with these probabilities, those of one question together; return their places, shuffled.

    Random numbers are spread evenly over questions, so that the draw has nearly `count` outputs; it is then filled up
    or cut at random. (Drawing anew until the number fits would never draw an output whose question has no other.)
    """
    together = _groups(questions, max(1, count // GROUPS), generator)
    groups = int(together.max(initial=-1)) + 1
    number = (generator.permutation(groups) + generator.random(groups)) / groups
    found = generator.permutation(np.flatnonzero((number[together] < chances) & is_open))[:count]
    if len(found) < count:
        left = np.setdiff1d(np.flatnonzero(is_open), found)
        more = generator.choice(left, count - len(found), replace=False, p=chances[left] / chances[left].sum())
        found = generator.permutation(np.concatenate([found, more]))
    return found


def _groups(questions: IntArray, most: int, generator: np.random.Generator) -> IntArray:
    """Put at most so many outputs to the same question together at random; return the number of each one's group."""
    order = np.lexsort((generator.random(len(questions)), questions))
    listed = questions[order]
    begins = np.flatnonzero(np.r_[True, listed[1:] != listed[:-1]]) if len(listed) else np.zeros(0, dtype=np.intp)
    within = np.arange(len(listed)) - np.repeat(begins, np.diff(np.r_[begins, len(listed)]))
    is_new = within % most == 0
    numbers = np.empty(len(questions), dtype=np.intp)
    numbers[order] = np.cumsum(is_new) - 1
    return numbers
