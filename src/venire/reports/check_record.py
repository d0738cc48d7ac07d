"""The machine-readable record of one checked reply, the same in every format and in the archive."""

from __future__ import annotations

from typing import Any

import msgspec

from venire.domain.flag import Severity
from venire.domain.judgement import Judgement, Quotes
from venire.domain.sample import Sample


class CheckCase(msgspec.Struct, frozen=True):
    """One checked reply as reports for machines list it."""

    name: str
    """Where the reply was found."""
    judgement: Judgement | None
    """The judgement; None if the reply could not be read."""
    problem: str = ""
    """Why the reply could not be read; empty if it was."""
    quotes: Quotes = Quotes.NONE
    """Whether its quotes were compared with the judged text."""
    is_reply: bool = True
    """Whether it is a reply; a prompt among replies is listed as what it is."""


def judgement_record(judgement: Judgement) -> dict[str, Any]:
    """Return a judgement as plain values, with its flags and the ids of the rules it breaks spelt out."""
    record: dict[str, Any] = msgspec.to_builtins(judgement)
    record["flags"] = [flag.value for flag in judgement.flags]
    record["rules_broken"] = sorted(
        {finding.rule for finding in judgement.all_findings if finding.severity is Severity.VIOLATION}
    )
    record["entries"] = [judgement_record(entry) for entry in judgement.entries]
    return record


def subject_record(sample: Sample) -> dict[str, Any]:
    """Return what tells a sample's place in an experiment, so that results of a check can be reported by it."""
    names = ("question_id", "prompt_variant", "target_model", "factors", "notes")
    return {name: getattr(sample, name) for name in names if getattr(sample, name)}


def unread_record(problem: str, status: str = "unread") -> dict[str, Any]:
    """Return the record of a reply that could not be read, or of a file that is no reply."""
    return {"status": status, "problem": problem, "flags": [], "rules_broken": [], "findings": [], "entries": []}
