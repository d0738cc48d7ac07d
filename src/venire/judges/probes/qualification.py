"""The recorded outcome of a voir dire: what a judge was probed with, how it did, and what follows from it."""

from __future__ import annotations

from typing import Any

import msgspec


class FamilyTerms(msgspec.Struct, frozen=True):
    """What was asked of one family of probes."""

    rule: str
    """When a judge fails a probe."""
    limit: float
    """The rate of failures that it must stay within."""
    planned: int
    """How many observations the planned power takes."""
    name: dict[str, str] = {}
    """Its name for a reader, by language."""


class QualificationTerms(msgspec.Struct, frozen=True):
    """What an outcome follows from beside the replies: the parts of the battery that decide."""

    alpha: float
    """How often a sound judge may be struck, and how often a faulty one may qualify."""
    tolerance: float
    """By which part of the overall scale a score must differ to be another score."""
    ceiling: float
    """The highest place on the overall scale at which an output that must fail has failed."""
    span: float
    """How far down the overall scale an output of which nothing is left must be."""
    count_recovered: bool
    """Whether recovered judgements were counted."""
    families: dict[str, FamilyTerms]
    """The families that were asked, by name."""
    compared: bool = False
    """Whether judges compare two outputs: then a place is 1 if the probed one wins, 0 if it loses, 0.5 for a tie."""


class ProbeReply(msgspec.Struct, frozen=True):
    """What became of one probe."""

    probe: str
    """The probe: its family, its template and the output that it was made from."""
    judgement: str
    """The key of the judgement's entry."""
    reply_sha256: str
    """The digest of the raw reply."""
    place: float | None
    """The judgement's place on the overall scale, from 0 to 1, or the outcome of a comparison; None if it does not
    count."""


class Qualification(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a voir dire. It holds for one judge under one protocol, both by their digests."""

    judge: str
    """The judge's name."""
    judge_digest: str
    """The digest of the judge as an instrument."""
    protocol: str
    """The digest of the protocol."""
    battery: str
    """What the battery is called."""
    battery_digest: str
    """The digest of the battery."""
    days: int
    """For how many days from its entry it holds."""
    terms: QualificationTerms
    """What it follows from beside the replies."""
    outcome: str
    """`qualified`, `struck` or `undecided`."""
    rates: tuple[dict[str, Any], ...]
    """The rate of each family with its bounds and what they say."""
    worst: tuple[str, ...]
    """The probes that the judge failed by most, the worst first."""
    not_asked: dict[str, str]
    """Families of the battery that could not be asked, and the code of the reason."""
    replies: tuple[ProbeReply, ...]
    """What became of every probe, in the order of their names."""
