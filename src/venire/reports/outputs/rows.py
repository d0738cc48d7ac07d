"""An output as lists show it, a page of a list, and what one can filter by."""

from __future__ import annotations

import msgspec

from venire.reports.outputs.asked import Only, Order


class OutputRow(msgspec.Struct, frozen=True):
    """An output in a list."""

    key: str
    """What its page is called."""
    digest: str
    """The unit of the ratings."""
    subject: str
    """The entry that holds it."""
    protocol: str
    """The protocol it was judged under; empty if nobody judged it."""
    output_id: str
    """Its name."""
    question: str
    """The question that was answered."""
    variant: str
    """The version of the prompt."""
    model: str
    """The model that produced it."""
    same: str
    """Alike for outputs that answer the same question."""
    characters: int | None
    """How long it is; None if the source does not hold the text."""
    beginning: str
    """Its first words."""
    levels: str
    """The values of its factors."""
    score: float | None
    """The panel's score on 0-10."""
    apart: float | None
    """How many points judges lie apart."""
    verdicts: int
    """How many different verdicts judges gave."""
    judgements: int
    """How many judgements there are."""
    invalid: int
    """How many of them are invalid."""
    number: int
    """Its number in the index."""
    voted: float | None = None
    """People's mean vote on it, from 0 to 1; of pairs the share that it won."""
    good: float | None = None
    """The share of good verdicts, or of comparisons won; None where no order of verdicts is known."""

    @property
    def place(self) -> tuple[str, ...]:
        """Its place in the experiment, as far as it is known."""
        return tuple(filter(None, (self.question, self.variant, self.levels)))


class OutputPage(msgspec.Struct, frozen=True):
    """A page of a list."""

    rows: tuple[OutputRow, ...]
    """The outputs."""
    total: int
    """How many there are in all."""
    first: int
    """How many come before these."""


class Level(msgspec.Struct, frozen=True):
    """A value that one can filter by."""

    value: str
    """The value."""
    outputs: int
    """How many outputs have it."""
    name: str = ""
    """What it is called, where the value is a digest."""


class Facets(msgspec.Struct, frozen=True):
    """What one can filter by, and how many outputs there are of each kind."""

    outputs: int
    """How many outputs there are in all."""
    kinds: dict[Only, int]
    """How many there are of each kind."""
    fields: dict[str, tuple[Level, ...]]
    """The values of model, variant and protocol; only where there are several."""
    factors: dict[str, tuple[Level, ...]]
    """The values of further factors; only where there are several, and not too many."""
    judges: tuple[Level, ...]
    """The judges."""
    verdicts: tuple[Level, ...]
    """The verdicts that any judge gave."""
    is_ordered: bool = True
    """Whether anything is known that orders outputs from worst to best."""

    @property
    def orders(self) -> tuple[Order, ...]:
        """The orders one can choose from, first the one that a list has unasked."""
        return tuple(Order) if self.is_ordered else (Order.RECORDED, Order.DISPUTED)
