"""Which combinations of question, prompt variant and target model have no sample."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

Combination = tuple[str, str, str]
"""A question, a prompt variant and a target model."""


def missing_combinations(present: Iterable[Combination]) -> Iterator[Combination]:
    """Yield the combinations of all values that occur and have no sample, in the order of their names.

    Where fewer than half of the combinations have one, samples were not meant to be crossed, and nothing is missing.

    >>> list(missing_combinations([("q1", "a", "m"), ("q1", "b", "m"), ("q2", "a", "m")]))
    [('q2', 'b', 'm')]
    >>> list(missing_combinations([("q1", "", "m"), ("q2", "", "n"), ("q3", "", "o")]))
    []
    """
    found = set(present)
    questions, variants, models = (sorted({each[place] for each in found}) for place in range(3))
    if 2 * len(found) < len(questions) * len(variants) * len(models):
        return
    for combination in itertools.product(questions, variants, models):
        if combination not in found:
            yield combination
