"""Self-preference: whether a judge scores its own outputs higher than others do, its general leniency set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.judges.bias import Bias, beside_others, measured, silent
from venire.stats.ratings.grouping import cluster_codes, number_groups
from venire.stats.uncertainty.clustered_difference import difference_of_means
from venire.words.said import say

if TYPE_CHECKING:
    from venire.stats.ratings.table import PrimarySet

SMALLEST = 10
"""How many of its own outputs, and how many of others, a judge must have scored beside other judges."""

_MEANING = say("meaning.self_preference")


def self_preference(primary: PrimarySet, *, dimension: str | None = None, level: float = 0.95) -> tuple[Bias, ...]:
    """Compare each judge's lead over the other judges on its own outputs with its lead on other models' outputs.

    Both leads are taken against judges who look at the very same output, so neither the quality of its outputs nor the
    judge's leniency counts as bias. The primary set must be made with `include_self=True`.
    """
    if not primary.include_self:
        reason = say("reason.self_left_out")
        return (silent(say("method.bias.self_preference"), reason, smallest=SMALLEST, meaning=_MEANING),)
    frame = beside_others(primary, dimension)
    judges, judge = number_groups(frame, ["rater"])
    apart, itself = frame["apart"].to_numpy(), frame["itself"].to_numpy()
    clusters = cluster_codes(frame)
    there = ~np.isnan(apart)
    found = []
    for place, name in enumerate(judges["rater"].cast(str) if judges.height else ()):
        rows = judge == place
        if not (rows & itself).any():
            continue
        fewest = min(int((rows & there & itself).sum()), int((rows & there & ~itself).sum()))
        estimate = difference_of_means(apart[rows], itself[rows], clusters[rows], level=level)
        found.append(
            measured(
                "self-preference", name, estimate, observations=fewest, smallest=SMALLEST, meaning=_MEANING,
                details={
                    "own outputs": float((rows & there & itself).sum()),
                    "outputs of others": float((rows & there & ~itself).sum()),
                },
            )
        )  # fmt: skip
    nobody = silent(say("method.bias.self_preference"), say("reason.no_self"), smallest=SMALLEST, meaning=_MEANING)
    return tuple(found) or (nobody,)
