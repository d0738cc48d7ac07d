"""Whether a judge is fit to judge: its last voir dire, and what anchors said of it."""

from __future__ import annotations

import msgspec

from venire.judges.probes.qualification import Qualification
from venire.runner.canaries.evidence import JudgeEvidence


class WorstProbe(msgspec.Struct, frozen=True, kw_only=True):
    """A probe that a judge failed by much, in full."""

    probe: str
    """Which one: its family, its template and the output that it was made from."""
    text: str
    """What the judge was shown."""
    reply: str
    """What it replied."""


class VoirDireRead(msgspec.Struct, frozen=True, kw_only=True):
    """The last qualification of a judge under the protocol of a report."""

    sequence: int
    """The number of its entry."""
    recorded_at: str
    """When it was recorded."""
    content: Qualification
    """What it says."""
    worst: tuple[WorstProbe, ...] = ()
    """The probes that the judge failed by most, if it was struck."""


class CanaryRead(msgspec.Struct, frozen=True, kw_only=True):
    """What anchors said after the last run under the protocol of a report."""

    sequence: int
    """The number of its entry."""
    judges: tuple[JudgeEvidence, ...]
    """The evidence about each judge, in the version that the report is about."""
