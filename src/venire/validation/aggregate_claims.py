"""What a number in the aggregates is said to be: which quantity, of which files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from venire.validation.aggregate_words import Meaning
from venire.words.said import say

Pair = tuple[str, str, str]
"""A factor and two of its values, in the order in which they are named."""


class EntryTotals(msgspec.Struct, frozen=True):
    """The numbers of one entry that aggregates are computed from."""

    factors: Mapping[str, str]
    """The entry's place in the design."""
    computed: float
    """The sum of its scores."""
    stated: float
    """The total that the judge wrote, or the computed one where none is written."""
    scores: Mapping[str, float]
    """Its scores by dimension."""


class AggregateClaim(msgspec.Struct, frozen=True):
    """A quantity of some files."""

    quantity: str
    """What is computed."""
    groups: tuple[tuple[str, str], ...] = ()
    """Which files, as factors with their values; all if empty."""
    dimension: str = ""
    """The dimension whose scores are meant; empty for totals."""
    pair: Pair | None = None
    """For a difference, the two groups."""
    is_signed: bool = False
    """For a difference, whether it is said which of the two is taken from the other."""

    def said(self) -> str:
        """Say in words what is claimed."""
        quantity = say(f"finding.quantity.{self.quantity.replace(' ', '_')}")
        what, pair = self.dimension or say("finding.totals"), (" - ".join(self.pair[1:]),) if self.pair else ()
        groups = (*(value for _, value in self.groups), *pair)
        code = "finding.claim_of" if groups else "finding.claim"
        return say(code, quantity=quantity, what=what, groups=groups)

    def values(self, entries: Iterable[EntryTotals], highest: float) -> set[float]:
        """Recompute the quantity, from totals as summed and as stated; empty if there are no such files.

        `highest` is the best score of one dimension.
        """
        members = [entry for entry in entries if all(entry.factors[factor] == value for factor, value in self.groups)]
        if self.pair is None:
            return {value for numbers in self._numbers(members) if (value := self._of(numbers, highest)) is not None}
        factor, first, second = self.pair
        sides = ([entry for entry in members if entry.factors[factor] == value] for value in (first, second))
        means = [[_mean(numbers) for numbers in self._numbers(side)] for side in sides if side]
        if len(means) < 2:
            return set()
        found = {one - other for one, other in zip(*means, strict=True)}
        return found if self.is_signed else found | {-difference for difference in found}

    def _numbers(self, members: Sequence[EntryTotals]) -> list[list[tuple[float, int]]]:
        """Return the numbers that count, each with that of the scores in it, as summed and as stated."""
        if self.dimension:
            return [[(entry.scores.get(self.dimension, 0.0), 1) for entry in members]]
        return [
            [(entry.computed, len(entry.scores)) for entry in members],
            [(entry.stated, len(entry.scores)) for entry in members],
        ]

    def _of(self, numbers: list[tuple[float, int]], highest: float) -> float | None:
        values = [value for value, _ in numbers]
        if self.quantity == "count":
            return len(values)
        if self.quantity == "count of perfect scores":
            return sum(value == highest * scores for value, scores in numbers)
        if self.quantity == "count of zeros":
            return sum(value == 0 for value in values)
        if not values:
            return None
        if self.quantity == "mean":
            return _mean(numbers)
        if self.quantity == "sum":
            return sum(values)
        return min(values) if self.quantity == "minimum" else max(values)


def _mean(numbers: list[tuple[float, int]]) -> float:
    # Not fmean: it raises for the sum of stated totals near the largest double.
    return sum(value for value, _ in numbers) / len(numbers)


def understand(keys: Sequence[tuple[Meaning, ...]], two: Pair | None) -> AggregateClaim | str:
    """Put together what the keys above a number say, the outermost first; a reason if that is not clear.

    `two` are the groups that a difference is about where none are named. Every word must be understood, or the number
    might be something else. A number under a group's name alone is its mean.
    """
    words = [word for key in keys for word in key]
    for word in words:
        if word.kind == "unknown":
            return say("finding.unknown_word", word=word.name)
    groups: dict[str, str] = {}
    for key in keys:
        named = _named_groups(key)
        for factor, values in named.items():
            if len(values) == 1 and groups.setdefault(factor, values[0]) != values[0]:
                return say("finding.two_groups", one=groups[factor], other=values[0])
            if len(values) == 2:
                two = (factor, values[0], values[1])
    last = _named_groups(keys[-1]) if keys else {}
    names_two = any(len(values) > 1 for values in last.values())
    dimensions = {word.name for word in words if word.kind == "dimension"}
    if len(dimensions) > 1:
        return say("finding.several_dimensions")
    dimension = next(iter(dimensions), "")
    quantities = {word.name for word in words if word.kind == "quantity"}
    kinds = {word.kind for word in words}
    if "difference" in quantities or "minus" in kinds:
        if quantities - {"difference", "mean"} or "subject" in kinds or two is None or two[0] in groups:
            return say("finding.unclear_difference")
        return AggregateClaim("difference", tuple(groups.items()), dimension, two, is_signed="minus" in kinds)
    if names_two:
        return say("finding.several_groups")
    quantity = _quantity(words, quantities, is_named=bool(groups or dimension))
    return AggregateClaim(quantity[0], tuple(groups.items()), dimension) if isinstance(quantity, tuple) else quantity


def _quantity(words: list[Meaning], quantities: set[str], *, is_named: bool) -> tuple[str] | str:
    """Return the one quantity that is named, or a reason why none is clear."""
    subjects = {word.name for word in words if word.kind == "subject"}
    if subjects:
        if len(subjects) > 1 or quantities - {"count"}:
            return say("finding.several_quantities")
        return ("count of perfect scores",) if subjects == {"perfect"} else ("count of zeros",)
    if len(quantities) > 1:
        return say(
            "finding.these_quantities", names=tuple(say(f"finding.quantity.{each}") for each in sorted(quantities))
        )
    if quantities:
        return (next(iter(quantities)),)
    kinds = {word.kind for word in words}
    if "entries" in kinds:
        return ("count",)
    if "total" in kinds or not is_named:
        return say("finding.no_quantity")
    return ("mean",)


def _named_groups(key: tuple[Meaning, ...]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for word in key:
        if word.kind == "group" and word.name not in named.setdefault(word.factor, []):
            named[word.factor].append(word.name)
    return named
