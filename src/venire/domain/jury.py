"""The adaptive jury on record: its asks, which of them were chosen in each round, by which rule, and how likely."""

from __future__ import annotations

from typing import Literal

import msgspec

from venire.domain.canonical import digest

JuryRule = Literal["start", "pilot", "where_uncertain", "not_decided", "end"]
"""Why asks were chosen: those that every output gets (`start`), some at random (`pilot`), at random with probabilities
that follow uncertainty (`where_uncertain`), all of what no stage has decided yet (`not_decided`), or none (`end`)."""


class JuryAsk(msgspec.Struct, frozen=True):
    """One ask of the whole jury: which judge, and which repeat."""

    judge: str
    """The judge's name."""
    judge_digest: str
    """The digest of the judge as an instrument."""
    repeat: str
    """The repeat of the task."""
    weight: float
    """Its weight in the score of an output."""


class JuryTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What the choices of a jury follow from, beside the replies."""

    protocol: str
    """The digest of the protocol."""
    asks: tuple[JuryAsk, ...]
    """All asks of the whole jury; the first ones every output gets."""
    start: int
    """How many asks every output gets."""
    scale: tuple[float, float]
    """The lowest and the highest score."""
    seed: int
    """The seed of the draws."""
    count_recovered: bool = False
    """Whether recovered judgements count."""
    half_width: float | None = None
    """To estimate: how wide the interval of each target model's mean may be at most, to either side."""
    level: float = 0.95
    """To estimate, the coverage of the interval; to decide, the share of verdicts that people would agree with."""
    delta: float | None = None
    """To decide: how likely the jury may miss that share, for the whole cascade."""
    bounds: tuple[float, float] | None = None
    """To decide: up to which mean score an output fails, and from which on it passes."""
    labels_sha256: str = ""
    """To decide: the digest of the file of labels."""


class StageTest(msgspec.Struct, frozen=True):
    """One threshold that was tested: whether people agree with enough of the verdicts that are at least so sure."""

    threshold: float
    """The confidence."""
    outputs: int
    """How many labelled outputs are at least so sure."""
    agreeing: int
    """With how many of their verdicts people agree."""
    p_value: float
    """How likely so much agreement is if the true share is only just too low."""
    holds: bool
    """Whether the threshold was accepted."""


class StageVerdict(msgspec.Struct, frozen=True):
    """What a stage decided about one output."""

    output: int
    """The number of the output."""
    verdict: str
    """The verdict."""
    confidence: float
    """How sure the jury is, by the scores of its judges."""


class JuryChoice(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One round of a jury, recorded before it is asked."""

    jury: str
    """The id of the jury: the digest of its terms and outputs."""
    number: int
    """The number of the round, from 0."""
    rule: JuryRule
    """Why these asks."""
    terms: JuryTerms | None = None
    """What the choices follow from; with the first round only, as are outputs, models and labels."""
    outputs: tuple[str, ...] = ()
    """The digests of the outputs; elsewhere they are called by their place here."""
    models: tuple[str, ...] = ()
    """The target model of each output."""
    labels: dict[str, str] = {}
    """What people said of an output, by its digest."""
    cells: tuple[tuple[int, int, float, float], ...] = ()
    """Of each ask that might have been chosen: output, ask, probability, and the reply that was expected."""
    drawn: tuple[int, ...] = ()
    """The places of the chosen ones among them."""
    shares: tuple[float, ...] = ()
    """How much the round counts in the estimate of each model against all rounds before it."""
    threshold: float | None = None
    """The confidence from which on the stage that was asked before this round decides; None if it decides nothing."""
    tests: tuple[StageTest, ...] = ()
    """The thresholds that were tested for it, in their order."""
    decided: tuple[StageVerdict, ...] = ()
    """What that stage decided."""
    open: tuple[int, ...] = ()
    """The outputs that no stage decided, once all were asked: people decide them."""


def jury_id(terms: JuryTerms, outputs: tuple[str, ...], labels: dict[str, str]) -> str:
    """Return the id of a jury; other outputs or terms make another one."""
    return digest("jury", [msgspec.to_builtins(terms), list(outputs), dict(sorted(labels.items()))])


def draw_number(jury: str, number: int, output: str, ask: int, seed: int) -> float:
    """Return the number from 0 to 1 that decides whether an ask is drawn: it is if the number is below its probability.

    It follows from the seed and from what is drawn, so that anybody can draw again.
    """
    return int(digest("jury-draw", [jury, number, output, ask, seed])[:13], 16) / 16**13


OPEN_ITEM = "jury:"
"""What the name of an open output's prompt begins with in the curators' queue; the protocol's digest follows."""
