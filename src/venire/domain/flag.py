"""Why a judgement may not count: the closed list of flags, and findings that point at the exact place."""

from __future__ import annotations

from enum import StrEnum

import msgspec


class Flag(StrEnum):
    """The closed list of reasons for which a judgement is invalid."""

    PROTOCOL_VIOLATION = "PROTOCOL_VIOLATION"
    """Not this JSON, the scale or dimensions altered, or evidence missing or not in the judged text."""
    UNPARSABLE_OUTPUT = "UNPARSABLE_OUTPUT"
    """A syntax error, a missing field that is not an identifier, or a wrong type."""
    INCOMPLETE_COVERAGE = "INCOMPLETE_COVERAGE"
    """An identifier is missing, or the set of samples does not match the plan."""
    JUDGE_REFUSAL_OR_EVASION = "JUDGE_REFUSAL_OR_EVASION"
    """No score at all, a refusal, or a reply that is off the task."""
    INTERNAL_INCONSISTENCY = "INTERNAL_INCONSISTENCY"
    """Sum, verdict, method or scores contradict one another."""


class Severity(StrEnum):
    """What a finding does to a judgement."""

    VIOLATION = "violation"
    """The judgement is invalid."""
    NOTE = "note"
    """Worth knowing; the judgement stands."""


class Finding(msgspec.Struct, frozen=True, gc=False):
    """One place where a reply breaks a rule."""

    rule: str
    """The id of the rule, to be looked up in the catalogue of rules."""
    pointer: str
    """Where in the reply, as a JSON pointer (RFC 6901); empty for the reply as a whole."""
    expected: str
    """What the rule asks for at this place."""
    found: str
    """What stands there instead."""
    flag: Flag | None = None
    """The flag that the rule raises; None for notes."""
    severity: Severity = Severity.VIOLATION
    """Whether the finding makes the judgement invalid."""
