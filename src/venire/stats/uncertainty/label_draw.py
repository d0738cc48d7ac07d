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

FLOOR = 0.75
"""How much of the mean doubt every output has at least: judges who agree may be wrong together.

By simulation people part from a unanimous panel a third as far as from a divided one (`bench.stats.labelling`); too low
a floor gives the few such outputs that are drawn a weight that widens the interval.
"""

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
    share, middle = _of_question(own, questions)
    doubt: FloatArray = np.sqrt((1 - share) * own + share * middle + FLOOR * usual)
    return doubt if usual > 0 else np.ones(len(scores))


def _of_question(doubts: FloatArray, questions: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return how much of each output's doubt is to be that of its question, and the question's mean.

    Three judges say little of one output. Where outputs to one question are alike in doubt, their mean says more: it
    counts by its reliability, which follows from the intraclass correlation (Spearman 1910; Brown 1910).
    """
    sizes = np.bincount(questions).astype(np.float64)
    means = np.bincount(questions, weights=doubts) / np.maximum(sizes, 1)
    groups, outputs = int((sizes > 0).sum()), float(sizes.sum())
    if groups < 2 or groups == len(doubts):
        return np.zeros(len(doubts)), means[questions]
    within = float(((doubts - means[questions]) ** 2).sum()) / (outputs - groups)
    between = float(sizes @ (means - doubts.mean()) ** 2) / (groups - 1)
    usual = (outputs - float(sizes @ sizes) / outputs) / (groups - 1)
    below = between + (usual - 1) * within
    alike = max(0.0, (between - within) / below) if below > 0 else 0.0
    of_size = sizes[questions]
    return of_size * alike / (1 + (of_size - 1) * alike), means[questions]


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
