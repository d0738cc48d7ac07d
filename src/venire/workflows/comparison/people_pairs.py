"""People's votes on pairs as comparisons of models that age."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.workflows.comparison.judged_pairs import JudgedPairs

if TYPE_CHECKING:
    from venire.votes.beside_people import PeoplesPairs

PEOPLE = "people"
"""Under which name votes stand among the judges of a ranking."""


def comparisons_of(people: PeoplesPairs) -> JudgedPairs:
    """Return people's votes as comparisons of models, each with its weight."""
    compared = [people.pairs[name] for name in people.votes.pairs]
    lengths = [
        np.array([length or np.nan for length in side], dtype=np.float64)
        for side in ([each.first_length for each in compared], [each.second_length for each in compared])
    ]
    return JudgedPairs(
        first=[each.first for each in compared],
        second=[each.second for each in compared],
        outcome=people.votes.outcome,
        judges=[PEOPLE] * len(compared),
        questions=[each.question for each in compared],
        first_lengths=lengths[0],
        second_lengths=lengths[1],
        names=list(people.votes.pairs),
        weights=people.votes.weights,
    )
