"""What a run writes into the ledger, and how a judgement follows from what was written."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import msgspec

from venire.domain import rule
from venire.domain.canonical import digest, feed, plain_numbers, typed_json
from venire.domain.flag import Finding
from venire.domain.judge import JudgeIdentity, fold_name
from venire.domain.judgement import Judgement, Status
from venire.judges.provider import Reply, Request
from venire.ledger.entry import Draft, Entry, Kind, encoded_draft
from venire.ledger.reply_text import TextPlace, Words, cut_text, cut_words, fill_words
from venire.runner.task import Task
from venire.shapes.check import Checker, with_end
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.validation.terms import Terms
from venire.version import __version__
from venire.words.said import say

KEPT_BODY_BYTES = 64 * 1024
"""How much of the body of a failed request is kept."""
LATE = "late"
"""The outcome of a request that brought a reply when the task had one already."""
_DATE_BEHIND = re.compile(r"[-@:_ ](?:latest|\d{4}-?\d{2}-?\d{2}|\d{4})$", re.IGNORECASE)


class ReplyRecord(msgspec.Struct, frozen=True):
    """A reply as the ledger holds it."""

    task: Task
    """The task that it answers."""
    text: str
    """The judge's own words."""
    asked_model: str
    """The model that was asked."""
    handle: str
    """The opaque name under which the judge knew the sample; empty if it was not blind."""
    masked: bool
    """Whether names of the model were masked in the text that the judge saw."""
    request_sha256: str
    """The digest of the two messages that were sent."""
    model: str | None = None
    """The model that the server says has answered."""
    finish_reason: str | None = None
    """Why the model stopped."""
    status: int | None = None
    """The HTTP status."""
    input_tokens: int | None = None
    """Tokens of the request."""
    output_tokens: int | None = None
    """Tokens of the reply."""
    attempt: int = 1
    """Which try it was that brought the reply; the failed ones before it are entries of their own."""
    latency_seconds: float = 0.0
    """The time from sending the request to the last byte."""
    fence: str = ""
    """The mark around the judged text in the request."""
    leaks: int = 0
    """How often the judged text names its own model."""
    run: str = ""
    """The id of the run that asked; empty in ledgers of versions that did not record it."""
    text_place: TextPlace | None = None
    """Where the text belongs in the server's answer, of which the blob holds the rest; None if it holds all of it."""


class JudgementRecord(msgspec.Struct, frozen=True):
    """A judgement as the ledger holds it."""

    task: Task
    """The task whose reply was judged."""
    judgement: Judgement
    """The judgement; `read_judgement` gives it the digests that stand in its task, `with_words` quotes and reasons."""
    run: str = ""
    """The id of the run that judged it; empty in ledgers of versions that did not record it."""
    words: tuple[Words, ...] = ()
    """Where quotes and reasons stand in the text of the reply, in their order, those of a bundle's entries behind."""

    def with_words(self, reply_text: str) -> Judgement:
        """Return the judgement with its quotes and reasons, as far as they are not in it but in its reply."""
        return fill_words(self.judgement, self.words, reply_text)


_decode_judgement = msgspec.json.Decoder(JudgementRecord).decode


def failed_attempt_draft(task: Task, run: str, number: int, reply: Reply, *, fence: str = "", leaks: int = 0) -> Draft:
    """Record one request of a run that brought no reply, and why."""
    payload: dict[str, Any] = {
        "run": run,
        "task": task.id,
        "judge": task.judge,
        "repeat": task.repeat,
        "attempt": number,
        "outcome": reply.error_kind,
        "error": reply.error,
        "status": reply.status,
        "retry_after_seconds": reply.retry_after_seconds,
        "latency_seconds": latency_of(reply),
        "fence": fence,
        "leaks": leaks,
    }
    return Draft(Kind.ATTEMPT, payload, task.id, reply.body[:KEPT_BODY_BYTES])


def is_voir_dire(opened: Mapping[str, Any]) -> bool:
    """Tell from what a run says when it opens whether it put probes to its judges, and no outputs."""
    return "voir_dire" in (opened.get("settings") or {})


def latency_of(reply: Reply) -> float:
    """Return the latency of a request as records hold it, in microseconds' precision."""
    return round(reply.latency_seconds, 6)


def not_asked_draft(task: Task, run: str, reason: str) -> Draft:
    """Record that a run did not ask a task at all, and why."""
    told = {"outcome": "not_asked", "error": reason, "run": run}
    payload = {"task": task.id, "judge": task.judge, "repeat": task.repeat, **told}
    return Draft(Kind.ATTEMPT, payload, task.id)


def reply_draft(record: ReplyRecord, body: bytes, instead: Callable[[], Draft] | None = None) -> Draft:
    """Record a reply, with the bytes that the server sent beside it, or something else if the task has one already."""
    blob, place = cut_text(body, record.text)
    numbers = (record.status, record.input_tokens, record.output_tokens, record.latency_seconds)
    try:
        latency = plain_numbers(numbers).pop()
    except ValueError:
        return Draft(Kind.REPLY, msgspec.structs.replace(record, text_place=place), record.task.id, blob, instead)
    stored = msgspec.structs.replace(record, text_place=place, latency_seconds=latency)
    return encoded_draft(Draft(Kind.REPLY, stored, record.task.id, blob, instead), typed_json(stored))


def late_reply_draft(record: ReplyRecord, body: bytes) -> Draft:
    """Record a reply that was paid for though another one answers its task: whole, as a request that came late."""
    task = record.task
    payload: dict[str, Any] = {
        **msgspec.structs.asdict(record),
        "task": task.id,
        "judge": task.judge,
        "repeat": task.repeat,
        "outcome": LATE,
        "error": say("run.late"),
    }
    return Draft(Kind.ATTEMPT, payload, task.id, body)


def judgement_draft(reply: ReplyRecord, judgement: Judgement, key: str, run: str) -> Draft:
    """Record the judgement of a reply under everything that it follows from; the run is not among it."""
    stored, words = cut_words(judgement, reply.text)
    task, plain = reply.task, _plain_scores(judgement)
    changes: dict[str, Any] = plain or {}
    if judgement.protocol == task.protocol_digest and judgement.sample_digest == task.sample_digest:
        changes |= {"protocol": "", "sample_digest": ""}  # They stand in the task.
    record = JudgementRecord(task, msgspec.structs.replace(stored, **changes), run, words)
    draft = Draft(Kind.JUDGEMENT, record, key)
    return draft if plain is None else encoded_draft(draft, typed_json(record))


def _plain_scores(judgement: Judgement) -> dict[str, Any] | None:
    """Return the scores as `typed_json` may write them; None if the judgement holds what only `canonical_json` can."""
    scores = judgement.scores
    if judgement.entries or not "".join(scores).isascii():
        return None
    try:
        overall, stated, *values = plain_numbers((judgement.overall, judgement.stated_overall, *scores.values()))
    except ValueError:
        return None
    return {"scores": dict(zip(scores, values, strict=True)), "overall": overall, "stated_overall": stated}


def read_judgement(entry: Entry) -> JudgementRecord:
    """Return what an entry of the ledger holds of a judgement, with both of its digests.

    Raises `msgspec.DecodeError` or `msgspec.ValidationError` for an entry of another form.
    """
    record = _decode_judgement(entry.payload)
    task, judgement = record.task, record.judgement
    if judgement.protocol:
        return record
    whole = msgspec.structs.replace(judgement, protocol=task.protocol_digest, sample_digest=task.sample_digest)
    return msgspec.structs.replace(record, judgement=whole)


def judgement_key(task_id: str, terms: str) -> str:
    """Return the key of a judgement from its task and the digest of the terms."""
    return digest("judgement-of", [task_id, terms])


def terms_digest(terms: Terms, judge: JudgeIdentity) -> str:
    """Return the digest of what a judgement follows from beside its reply: the terms, who is kin, and the software."""
    checked = [terms.protocol.digest, terms.profile, terms.level, terms.scale.id]
    return digest("judgement-terms", [checked, judge, __version__])


def request_bytes(request: Request) -> bytes:
    """Return the two messages of a request as they are kept: system message, an empty line, user message."""
    return f"{request.system}\n\n{request.user}".encode("utf-8", "surrogatepass")


def request_sha256(request: Request) -> str:
    """Return the digest of the messages of a request: SHA-256 of `request_bytes`."""
    return feed(_begun_with(request.system).copy(), request.user.encode("utf-8", "surrogatepass")).hexdigest()


@lru_cache(maxsize=64)  # All requests of a judge begin alike.
def _begun_with(system: str) -> hashlib._Hash:
    return hashlib.sha256(f"{system}\n\n".encode("utf-8", "surrogatepass"))


def derive_judgement(
    record: ReplyRecord, checker: Checker, subject: PreparedSample | PreparedBundle, judge: JudgeIdentity
) -> Judgement:
    """Derive the judgement from a recorded reply; the same record always gives the same judgement."""
    judgement = checker.check(record.text, subject, judge=judge, handle=record.handle)
    judgement = with_end(judgement, record.finish_reason, record.output_tokens)
    findings = _findings(record)
    if not findings and not record.masked:
        return judgement
    return msgspec.structs.replace(
        judgement,
        findings=(*findings, *judgement.findings),
        status=Status.INVALID if record.finish_reason == "cut" else judgement.status,
        sample_digest=record.task.sample_digest,  # of the sample as it was brought, not as it was masked
    )


def _findings(record: ReplyRecord) -> tuple[Finding, ...]:
    findings: tuple[Finding, ...] = ()
    if record.finish_reason == "cut":
        found = say("finding.reply_cut", count=len(record.text.encode("utf-8", "replace")))
        findings += (rule.JUDGE_REPLY_CUT.finding("", say("finding.reply_within_limit"), found),)
    if record.asked_model and record.model and not _is_same_model(record.asked_model, record.model):
        findings += (rule.JUDGE_OTHER_MODEL.finding("", record.asked_model, record.model),)
    return findings


def _is_same_model(asked: str, answered: str) -> bool:
    """Tell whether two names are one model's, a path before it and a date behind it left aside.

    >>> _is_same_model("gpt-4o", "openai/gpt-4o-2024-08-06"), _is_same_model("gpt-4", "gpt-4o")
    (True, False)
    """
    return _bare_name(asked) == _bare_name(answered)


@lru_cache(maxsize=256)
def _bare_name(model: str) -> str:
    return fold_name(_DATE_BEHIND.sub("", model.rpartition("/")[2]))
