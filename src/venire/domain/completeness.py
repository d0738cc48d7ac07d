"""How much of what was planned is there: tasks that have a reply, valid or not, and combinations that have a sample."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import msgspec

from venire.words.said import clauses, say

Combination = tuple[str, str, str]
"""A question, a prompt variant and a target model."""


class JudgeCompleteness(msgspec.Struct, frozen=True):
    """The tasks that runs planned for one judge, and how many of them have a reply."""

    judge: str
    """The judge's name."""
    planned: int
    """How many different tasks were planned, retests included."""
    answered: int
    """How many of these have a reply, valid or not."""

    @property
    def missing(self) -> int:
        """How many have none."""
        return self.planned - self.answered


class TargetCompleteness(msgspec.Struct, frozen=True):
    """The outputs that were to be collected from one target, and how many of them are there."""

    target: str
    """The target's name."""
    planned: int
    """How many outputs were planned."""
    collected: int
    """How many of these are there, empty ones included."""

    @property
    def missing(self) -> int:
        """How many are not."""
        return self.planned - self.collected


class Completeness(msgspec.Struct, frozen=True):
    """The completeness of a whole panel."""

    judges: tuple[JudgeCompleteness, ...] = ()
    """The judges whose plans are known."""
    unknown: str = ""
    """Why it is not known, or not for everything; empty if it is."""

    @property
    def planned(self) -> int:
        """How many tasks were planned, as far as is known."""
        return sum(judge.planned for judge in self.judges)

    @property
    def answered(self) -> int:
        """How many of these have a reply."""
        return sum(judge.answered for judge in self.judges)

    @property
    def missing(self) -> int:
        """How many of these have none."""
        return self.planned - self.answered

    def said(self) -> str:
        """Say what is known in one line.

        >>> Completeness((JudgeCompleteness("oak", 1000, 58),)).said()
        '58 of 1000 planned tasks were answered; missing: oak 942'
        """
        missing = tuple(f"{each.judge} {each.missing}" for each in self.judges if each.missing)
        answered = say("completeness.answered", answered=self.answered, planned=self.planned) if self.judges else ""
        absent = say("completeness.missing", missing=missing) if missing else ""
        unknown = say("completeness.unknown", reason=self.unknown) if self.unknown else ""
        return clauses(answered, absent, unknown)


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
