"""The evidence that a judge has changed, as the ledger holds it after each run."""

from __future__ import annotations

from typing import Literal

import msgspec

LEVEL = 0.05
"""How often a judge that never changes is accused at most, however often one looks."""
ALARM = 1 / LEVEL
"""The evidence from which on a judge has changed."""
TOLERANCE = 0.1
"""By which part of a scale two scores must differ to be different."""

Watched = Literal["change", "distance"]
"""What is watched: whether anchors are judged otherwise, or farther from what people said."""


class StreamEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What one dimension says."""

    watched: Watched
    """Whether anchors are judged otherwise, or farther from what people said."""
    dimension: str
    """The dimension; empty for the overall score."""
    pairs: int
    """How many anchors were judged twice at first."""
    parted: int
    """On how many of them these two verdicts differ: the judge's retest noise."""
    bound: float | None
    """How often a judge that has not changed contradicts itself, by the retest noise that the evidence is least
    against; None before the first bet."""
    observations: int
    """How many later verdicts were bet on."""
    contradictions: int
    """How many of these contradict the first ones."""
    e_value: float
    """The evidence of change."""


class JudgeEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What all anchors say about one judge under one protocol."""

    judge: str
    """The judge's name."""
    judge_digest: str
    """The digest of the judge as an instrument."""
    prompt_digest: str
    """The digest of the template that it is asked with."""
    verdicts: int
    """How many verdicts on anchors count."""
    e_value: float
    """The evidence from all dimensions together, now."""
    peak: float
    """The most that it ever was."""
    alarm: str = ""
    """The run in which it first reached the alarm; empty if it never did."""
    streams: tuple[StreamEvidence, ...] = ()
    """What each dimension says."""

    @property
    def has_changed(self) -> bool:
        """Whether the evidence has ever reached the alarm."""
        return bool(self.alarm)

    @property
    def is_watched(self) -> bool:
        """Whether there was a later verdict to bet on, so that silence means something."""
        return any(each.observations for each in self.streams)


class CanaryRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What the anchors said after a run."""

    run: str
    """The run that was recorded after."""
    round: str
    """The id that its anchors carry."""
    protocol: str
    """The digest of the protocol."""
    until: int
    """The last entry that it follows from."""
    judges: tuple[JudgeEvidence, ...]
    """The evidence about each judge that was ever asked about anchors under the protocol."""
