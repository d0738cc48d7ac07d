"""Two outputs to one task that are compared in one reply, in the order in which a judge sees them."""

from __future__ import annotations

from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec

from venire.domain.canonical import digest
from venire.domain.sample import Bundle

if TYPE_CHECKING:
    from venire.domain.material import Material, MaterialKind
    from venire.domain.sample import Sample


class Winner(StrEnum):
    """Which of two outputs is better, by the place in which the judge saw it."""

    FIRST = "first"
    """The one that was shown first."""
    SECOND = "second"
    """The one that was shown second."""
    TIE = "tie"
    """Neither."""

    @property
    def outcome(self) -> float:
        """1 if the first won, 0 if the second did, 0.5 for a tie."""
        return {Winner.FIRST: 1.0, Winner.SECOND: 0.0, Winner.TIE: 0.5}[self]


PLACES = (Winner.FIRST.value, Winner.SECOND.value)
"""What the two outputs are called, to judges and in quotes."""


class Preference(msgspec.Struct, frozen=True, gc=False):
    """What a judge says of two outputs."""

    winner: Winner
    """Which of them is better."""
    strength: float
    """By how much, on the judge's scale; its lowest number for a tie."""


class Pair(Bundle, frozen=True, dict=True):
    """Two outputs to one task, in the order in which they are shown; swapped it is another pair."""

    kind: ClassVar[str] = "pair"

    @property
    def pair(self) -> Pair:
        """Itself."""
        return self

    @property
    def question_id(self) -> str:
        """The question that both outputs answer."""
        return self.samples[0].question_id

    @property
    def prompt_variant(self) -> str:
        """The version of the prompt that produced both."""
        return self.samples[0].prompt_variant

    @property
    def category(self) -> str:
        """The kind of task."""
        return self.samples[0].category

    @property
    def place(self) -> dict[str, Any]:
        """The place in an experiment that both outputs share."""
        return {name: value for name, value in self.samples[0].place.items() if name not in ("target_model", "notes")}

    @property
    def target_models(self) -> tuple[str, ...]:
        """The models that produced the two outputs."""
        return tuple(sample.target_model for sample in self.samples)

    @property
    def either_order(self) -> str:
        """What it is called in either order."""
        return pair_name(*(sample.output_id for sample in self.samples))

    @property
    def outline(self) -> Sample:
        """The place of the pair in an experiment, as that of one output without a text by both models."""
        models = pair_name(*self.target_models)
        return msgspec.structs.replace(self.samples[0], output_id=self.name, text="", target_model=models, materials=())

    def materials_of(self, kinds: frozenset[MaterialKind]) -> tuple[Material, ...]:
        """Return the materials of some kinds: those of both outputs once, others under the place of their output."""
        first, second = (sample.materials_of(kinds) for sample in self.samples)
        shared = tuple(each for each in first if each in second)
        own = [
            msgspec.structs.replace(each, id=f"{place}/{each.id}")
            for place, materials in zip(PLACES, (first, second), strict=True)
            for each in materials
            if each not in shared
        ]
        return (*shared, *own)

    @cached_property
    def digest(self) -> str:
        """The id of the pair: a digest of the ids of its two outputs in their order."""
        return digest("pair", [sample.digest for sample in self.samples])


def pair_name(first: str, second: str) -> str:
    """Return what two outputs or models are called together, in either order."""
    return " | ".join(sorted((first, second)))


def make_pair(first: Sample, second: Sample) -> Pair:
    """Put two outputs side by side."""
    return Pair(name=f"{first.output_id} | {second.output_id}", samples=(first, second))
