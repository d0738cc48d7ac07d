"""Language and other groups of outputs: whether a judge favours one of them more than the other judges do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.stats.judges.bias import Bias, beside_others, measured, silent
from venire.stats.ratings.columns import column_of, further_factors, offered_factors
from venire.stats.ratings.grouping import cluster_codes, number_groups
from venire.stats.uncertainty.clustered_difference import difference_of_means
from venire.words.said import say

if TYPE_CHECKING:
    from venire.stats.ratings.table import PrimarySet

SMALLEST = 10
"""How many outputs of the group, and how many of the rest, a judge must have scored beside other judges."""

_MEANING = say("meaning.group")


def group_bias(
    primary: PrimarySet, factor: str = "language", *, dimension: str | None = None, level: float = 0.95
) -> tuple[Bias, ...]:
    """Compare each judge's lead over the other judges inside each group of outputs with its lead on the rest.

    A panel that favours a group as a whole cannot be seen this way: that takes labels by people.
    """
    name = say("method.bias.group", factor=factor)
    known = (*further_factors(primary.table.frame), *offered_factors(primary.table.frame))
    if factor not in known and factor == "language":
        reason = say("reason.no_factor", factor=factor)
        return (silent(name, reason, smallest=SMALLEST, meaning=_MEANING),)
    column = column_of(primary.table.frame, factor)
    frame = beside_others(primary, dimension)
    frame = frame.filter(frame[column].is_not_null())
    judges, judge = number_groups(frame, ["rater"])
    groups, group = number_groups(frame, [column])
    apart, clusters = frame["apart"].to_numpy(), cluster_codes(frame)
    there = ~np.isnan(apart)
    found = []
    if groups.height < 2:
        return (silent(name, say("reason.two_groups"), smallest=SMALLEST, meaning=_MEANING),)
    for place, judge_name in enumerate(judges["rater"].cast(str)):
        rows = judge == place
        for number, group_name in enumerate(groups[column].cast(str)):
            inside = group == number
            fewest = min(int((rows & there & inside).sum()), int((rows & there & ~inside).sum()))
            estimate = difference_of_means(apart[rows], inside[rows], clusters[rows], level=level)
            found.append(
                measured(
                    name, judge_name, estimate, about=group_name, observations=fewest, smallest=SMALLEST,
                    meaning=_MEANING,
                )
            )  # fmt: skip
    return tuple(found)
