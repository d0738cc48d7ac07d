"""Labels: what people say of outputs that judges scored, who made them, and how their outputs were chosen."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import msgspec

from venire.domain.canonical import digest

Chance = Annotated[float, msgspec.Meta(gt=0, le=1)]
"""A probability above 0."""


class LabelMaker(StrEnum):
    """Who made a label. Labels of models are shown beside judges, and never stand for people."""

    PERSON = "person"
    """A person."""
    MODEL = "model"
    """A model, however well it is thought of."""


class LabelPart(StrEnum):
    """What a label is for where a judge is recalibrated: both at once would flatter the judge."""

    FIT = "fit"
    """To fit how the judge's scores become people's."""
    TEST = "test"
    """To test whether that helps."""


def part_of(question: str) -> LabelPart:
    """Return the part of all labels on a question, by a hash, so that it is the same whenever it is asked for.

    >>> [part_of(name).value for name in ("q1", "q5", "q6")]
    ['fit', 'test', 'test']
    """
    return (LabelPart.FIT, LabelPart.TEST)[int(digest("label part", question)[:8], 16) % 2]


class Label(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one person, or one model, said of one output."""

    output_id: str
    """The output."""
    score: float | None = None
    """The score, on the protocol's own scale."""
    verdict: str = ""
    """The verdict."""
    dimension: str = ""
    """The dimension that was scored; empty for the overall score."""
    rater: str = ""
    """The person's pseudonym, or the model's name."""
    made_by: LabelMaker = LabelMaker.PERSON
    """Whether a person or a model said it."""
    probability: float | None = None
    """How likely the output was to be chosen for labelling; None if all outputs were equally likely."""
    unit: str = ""
    """The digest of the output in its ledger; empty where only its name is known."""
    part: LabelPart | None = None
    """What it is for where a judge is recalibrated; None until it is recorded or matched to its question."""


class DrawKind(StrEnum):
    """How outputs were drawn."""

    SOUGHT = "sought"
    """Those more often whose labels would narrow the answer most."""
    RANDOM = "random"
    """All with the same probability."""


class LabelDraw(msgspec.Struct, frozen=True, kw_only=True):
    """Outputs that were drawn to be labelled, and how likely each output was to be."""

    kind: DrawKind
    """How they were drawn."""
    protocol: str
    """The digest of the protocol whose scores the labels are to correct."""
    seed: int
    """The seed of the draw."""
    drawn: tuple[str, ...]
    """The digests of the outputs that were drawn, in the order in which they are to be labelled."""
    chances: dict[str, Chance]
    """How likely each output was to be drawn, by its digest; those of earlier draws too, had they not been."""
    before: Annotated[float, msgspec.Meta(ge=0, le=1)] = 0.0
    """Which share of the outputs had labels before the first draw, which are taken as drawn at random."""


def chance_of_label(unit: str, draws: tuple[LabelDraw, ...], answered: tuple[float, ...]) -> float:
    """Return how likely an output was to be drawn and labelled by any draw; 0 if it could not be.

    `answered` is the share of each draw that was labelled. Draws do not depend on one another, so what is left out by
    all is left out with the product of their chances.

    >>> draw = LabelDraw(kind=DrawKind.RANDOM, protocol="", seed=0, drawn=("a",), chances={"a": 0.5, "b": 0.5})
    >>> chance_of_label("b", (draw, draw), (1.0, 1.0))
    0.75
    """
    if not draws:
        return 0.0
    missed = 1.0 - draws[0].before
    for draw, share in zip(draws, answered, strict=True):
        missed *= 1.0 - share * draw.chances.get(unit, 0.0)
    return 1.0 - missed
