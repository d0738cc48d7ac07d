"""The machine-readable record of one checked reply, the same in every format and in the archive."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from venire.domain.flag import Severity
from venire.domain.judgement import Judgement, Quotes
from venire.domain.protocol import EvalProtocol
from venire.words.said import as_text


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


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """Which output was judged and by which model, beyond what the file's name says."""

    question_id: str = ""
    """The question that was answered."""
    prompt_variant: str = ""
    """The version of the prompt that produced the output."""
    target_model: str = ""
    """The model that produced the output."""
    judge_model: str = ""
    """The model behind the judge."""
    time: str = ""
    """When the reply was recorded in the ledger; of a reply that was found, the time that it states itself."""
    known_from: Literal["ledger", "sources", "reply", ""] = ""
    """Where question, variant and target were taken from; empty if nothing tells them."""


def stated_identity(raw: bytes) -> Identity:
    """Return what a reply says about itself under `meta`; nothing where it says nothing."""
    try:
        meta = msgspec.json.decode(raw, type=_Stated).meta
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return Identity()
    said = {key: meta[key] for key in _META if isinstance(meta.get(key), str)}
    known_from: Literal["reply", ""] = "reply" if said else ""
    return Identity(**said, time=str(meta.get("timestamp", "")), known_from=known_from)


_META = ("question_id", "prompt_variant", "target_model", "judge_model")


class _Stated(msgspec.Struct):
    meta: dict[str, Any] = {}


def evaluation_record(judgement: Judgement, identity: Identity, protocol: EvalProtocol) -> dict[str, Any]:
    """Return a judgement with the identity of what was judged, each entry of a bundle with its own."""
    quotes = judgement.quotes if protocol.asks_for_quotes else Quotes.NONE
    record = {**msgspec.to_builtins(identity), "quotes": quotes.value, **judgement_record(judgement)}
    design = protocol.design
    for entry in record["entries"] if design else ():
        cell = design.cell(entry["sample"]) if design else None
        if design and cell:
            entry["question_id"] = cell.factors[design.question_factor]
            entry["prompt_variant"] = cell.factors[design.variant_factor]
            entry["factors"] = cell.factors
    return record


def judgement_record(judgement: Judgement) -> dict[str, Any]:
    """Return a judgement as plain values, with its flags and the ids of the rules it breaks spelt out."""
    record: dict[str, Any] = msgspec.to_builtins(judgement, enc_hook=as_text)
    record["flags"] = [flag.value for flag in judgement.flags]
    record["rules_broken"] = sorted(
        {finding.rule for finding in judgement.all_findings if finding.severity is Severity.VIOLATION}
    )
    record["entries"] = [judgement_record(entry) for entry in judgement.entries]
    return record


def unread_record(problem: str, status: str = "unread") -> dict[str, Any]:
    """Return the record of a reply that could not be read, or of a file that is no reply."""
    return {"status": status, "problem": problem, "flags": [], "rules_broken": [], "findings": [], "entries": []}
