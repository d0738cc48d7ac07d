"""Audit a ledger: every link, every judgement derived again from its reply, and checkpoints that outsiders kept."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from venire.domain.completeness import Completeness
from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.errors import TamperedError
from venire.judges.panel import Judge
from venire.ledger.audit import AuditReport, audit_chain
from venire.ledger.checkpoint import (
    Checkpoint,
    create_key,
    decode_checkpoint,
    encode_checkpoint,
    load_key,
    sign_checkpoint,
    verify_checkpoint,
)
from venire.ledger.entry import Entry, Kind
from venire.ledger.store import Ledger
from venire.ledger.subjects import find_material_problem, subject_of
from venire.runner.collecting.records import find_output_problem
from venire.runner.records import ReplyRecord, derive_judgement, read_judgement
from venire.runner.request import RequestBuilder
from venire.runner.task import again
from venire.validation.evidence import PreparedBundle, PreparedSample
from venire.words.said import as_text, say
from venire.workflows.comparison.active_rounds import ChoiceAudit
from venire.workflows.evidence.completeness import CompletenessReader
from venire.workflows.instruments.canary_record import CanaryAudit
from venire.workflows.instruments.recorded import find_difference
from venire.workflows.jury.recorded import JuryAudit

__all__ = [
    "LedgerAudit",
    "UnderivedJudgement",
    "audit",
    "create_key",
    "load_key",
    "read_checkpoint",
    "unordered",
    "write_checkpoint",
]

_encode = msgspec.json.Encoder(enc_hook=as_text).encode


class UnderivedJudgement(msgspec.Struct, frozen=True):
    """A judgement that does not follow from its reply, or a qualification that does not follow from its judgements."""

    sequence: int
    """The entry."""
    key: str
    """The key of the entry, which stands for everything that it should follow from."""
    problem: str
    """What is missing or differs."""


class LedgerAudit(msgspec.Struct, frozen=True):
    """What auditing a ledger gave."""

    chain: AuditReport
    """The links and checkpoints."""
    counts: dict[str, int]
    """How many entries of each kind there are."""
    judged_again: int
    """How many judgements were derived again and found the same."""
    underived: tuple[UnderivedJudgement, ...]
    """The judgements that do not follow from their replies."""
    qualified_again: int
    """How many qualifications were derived again from their judgements and found the same."""
    anchors_again: int
    """How many records of what anchors say were derived again and found the same."""
    completeness: Completeness
    """How much of what runs planned was answered; a run that was stopped is no damage."""
    storage: tuple[str, ...] = ()
    """What is wrong with how entries are stored, beyond their links; materials that samples refer to included."""

    @property
    def intact(self) -> bool:
        """Whether everything holds."""
        return self.chain.intact and not self.underived and not self.storage


def audit(
    ledger: Ledger, checkpoints: Iterable[Checkpoint] = (), on_progress: Callable[[int], None] = lambda _: None
) -> LedgerAudit:
    """Check every link, every text that a sample refers to, and derive every judgement again.

    Damage is reported, not raised.
    """
    chain = audit_chain(ledger, checkpoints)
    counts: dict[str, int] = {}
    underived: list[UnderivedJudgement] = []
    materials: list[str] = []
    judged_again = qualified_again = 0
    rejudge, completeness, choices = _Rejudge(ledger), CompletenessReader(ledger), ChoiceAudit(ledger)
    anchors, juries = CanaryAudit(ledger), JuryAudit(ledger)
    for entry in _trusted(ledger, chain.count):
        counts[entry.kind.value] = counts.get(entry.kind.value, 0) + 1
        if entry.kind is Kind.RUN_OPENED:
            rejudge.learn(entry)
        if problem := choices.problem(entry) or anchors.problem(entry) or juries.problem(entry):
            underived.append(UnderivedJudgement(entry.sequence, entry.key, problem))
        with suppress(msgspec.DecodeError, KeyError, TypeError):  # what needs it will be named
            completeness.take(entry)
        if problem := find_material_problem(entry, ledger) or find_output_problem(entry, ledger):
            materials.append(problem)
        if entry.kind is Kind.JUDGEMENT:
            problem = rejudge.difference(entry)
            judged_again += not problem
            if problem:
                underived.append(UnderivedJudgement(entry.sequence, entry.key, problem))
        elif entry.kind is Kind.QUALIFICATION:
            problem = find_difference(entry, ledger)
            qualified_again += not problem
            if problem:
                underived.append(UnderivedJudgement(entry.sequence, entry.key, problem))
        on_progress(entry.sequence)
    storage = (*_storage_problems(ledger), *materials)
    return LedgerAudit(
        chain,
        counts,
        judged_again,
        tuple(underived),
        qualified_again,
        anchors.again,
        completeness.result(),
        storage,
    )


def read_checkpoint(path: Path, public_key: str | None = None) -> Checkpoint:
    """Read a kept checkpoint; raises `LedgerError` unless it is signed by this key, or else by the one it names."""
    found = decode_checkpoint(path.read_bytes(), str(path))
    verify_checkpoint(found, public_key or found.public_key, str(path))
    return found


def write_checkpoint(audited: LedgerAudit, path: Path, key: Path, now: datetime) -> Checkpoint:
    """Sign the head that an audit has found, with the key in a file, and keep it in another."""
    signed = sign_checkpoint(audited.chain.head, audited.chain.merkle_root, load_key(key), now)
    path.write_bytes(encode_checkpoint(signed))
    return signed


def _storage_problems(ledger: Ledger) -> tuple[str, ...]:
    try:
        return ledger.storage_problems()
    except TamperedError as error:
        return (error.message,)


def _trusted(ledger: Ledger, count: int) -> Iterator[Entry]:
    """Yield the entries that follow from one another, and do not touch what stands behind them."""
    return islice(ledger.read(), count)


class _Rejudge:
    """Derives judgements again from what the ledger holds, and from nothing else."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._judges: dict[str, Judge] = {}
        self._terms: dict[str, dict[str, Any]] = {}
        self._builder = lru_cache(maxsize=64)(self._make_builder)
        self._subject = lru_cache(maxsize=64)(self._read_subject)

    def learn(self, opened: Entry) -> None:
        """Take note of the judges of a run; a later run may use the same judge under other terms."""
        with suppress(msgspec.ValidationError, KeyError, TypeError):  # judgements that need it will be named
            content = opened.content
            terms = {"profile": content["profile"], "evidence": EvidenceLevel(content["evidence"])}
            for record in content["judges"]:
                self._judges[record["digest"]] = msgspec.convert(record, Judge)
                self._terms[record["digest"]] = terms
        self._builder.cache_clear()
        self._subject.cache_clear()

    def difference(self, entry: Entry) -> str:
        """Return what differs when a judgement is derived again; empty if nothing does."""
        try:
            return self._difference(entry)
        except (msgspec.ValidationError, KeyError, TypeError, ValueError, RecursionError, TamperedError) as error:
            return say("audit.not_readable", problem=str(error))

    def _difference(self, entry: Entry) -> str:
        record = read_judgement(entry)
        task = record.task
        if task != again(task, task.repeat):
            return say("audit.task_id")
        found = self._ledger.find(Kind.REPLY, task.id)
        if found is None:
            return say("audit.no_reply")
        if task.judge_digest not in self._judges:
            return say("audit.no_judge")
        if self._ledger.find(Kind.PROTOCOL, task.protocol_digest) is None:
            return say("audit.no_protocol")
        subject = self._subject(task.sample_digest, task.judge_digest, task.protocol_digest)
        if subject is None:
            return say("audit.no_sample")
        reply = msgspec.convert(found.content, ReplyRecord)
        if reply.task != task:
            return say("audit.other_task")
        builder = self._builder(task.judge_digest, task.protocol_digest)
        kept = record.with_words(reply.text)
        derived = derive_judgement(reply, builder.checker, subject, builder.judge.identity)
        fields = [
            name
            for name in derived.__struct_fields__
            if unordered(getattr(derived, name)) != unordered(getattr(kept, name))
        ]
        return say("audit.differs", fields=tuple(fields)) if fields else ""

    def _make_builder(self, judge_digest: str, protocol_digest: str) -> RequestBuilder:
        protocol = self._ledger.find(Kind.PROTOCOL, protocol_digest)
        terms = self._terms[judge_digest]
        return RequestBuilder(
            self._judges[judge_digest],
            msgspec.convert(protocol.content if protocol else {}, EvalProtocol),
            seed=0,
            profile=terms["profile"],
            evidence=terms["evidence"],
        )

    def _read_subject(
        self, sample_digest: str, judge_digest: str, protocol_digest: str
    ) -> PreparedSample | PreparedBundle | None:
        entry = self._ledger.find(Kind.SAMPLE, sample_digest)
        if entry is None:
            return None
        subject = subject_of(entry, self._ledger)
        if subject.digest != sample_digest:
            return None
        builder = self._builder(judge_digest, protocol_digest)
        return builder.prepared(builder.as_seen(subject)[0])


def unordered(value: Any) -> Any:
    """Return findings in a fixed order: under a protocol with sorted keys, as records hold it, they come in another."""
    return sorted(value, key=_encode) if isinstance(value, (list, tuple)) else value
