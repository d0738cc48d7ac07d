"""Length: whether longer outputs to the same question get higher scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.judges.bias import Bias, measured, silent
from venire.stats.ratings.grouping import number_groups
from venire.stats.ratings.panel_scores import normalise
from venire.stats.uncertainty.clustered_difference import slope_within
from venire.words.said import say

if TYPE_CHECKING:
    from venire.stats.ratings.table import PrimarySet

SMALLEST = 30
"""How many scores of outputs that share their question with others a judge must have given."""

_MEANING = say("meaning.length")


def length_bias(primary: PrimarySet, *, dimension: str | None = None, level: float = 0.95) -> tuple[Bias, ...]:
    """Give each judge's slope of the score against the binary logarithm of the length, inside questions."""
    frame = primary.scores(dimension)
    frame = frame.filter(frame["length"].is_not_null() & (frame["length"] > 0) & (frame["question_id"] != ""))
    if frame.is_empty():
        reason = say("reason.no_length")
        return (silent(say("method.bias.length"), reason, smallest=SMALLEST, meaning=_MEANING),)
    scores = normalise(*(frame[name] for name in ("score", "minimum", "maximum")))
    doublings = np.log2(frame["length"].to_numpy().astype(np.float64))
    judges, judge = number_groups(frame, ["rater"])
    _, question = number_groups(frame, ["question_id"])
    found = []
    for place, name in enumerate(judges["rater"].cast(str)):
        rows = (judge == place) & ~np.isnan(scores)
        # A question with a single output says nothing about length.
        shared = rows & (np.bincount(question[rows], minlength=int(question.max()) + 1)[question] > 1)
        estimate = slope_within(scores[shared], doublings[shared], question[shared], level=level)
        found.append(
            measured(
                "length", name, estimate, observations=int(shared.sum()), smallest=SMALLEST, meaning=_MEANING
            )
        )  # fmt: skip
    return tuple(found)
