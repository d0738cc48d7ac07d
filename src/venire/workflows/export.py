"""Export the judgements of a ledger as an archive of valid and invalid evaluations."""

from __future__ import annotations

from pathlib import Path

import msgspec

from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Sample
from venire.errors import InputError, UsageError
from venire.ledger.entry import Entry, Kind
from venire.ledger.store import Ledger
from venire.reports.archive import ArchiveWriter
from venire.reports.check_record import subject_record
from venire.runner.records import JudgementRecord, ReplyRecord
from venire.workflows.audit import subject_of


def export_archive(ledger: Ledger, folder: Path, *, language: str = "en", protocol: str | None = None) -> int:
    """Write the judgements of one protocol into a new folder, and return how many there are.

    Without a digest, the ledger must hold one protocol only: evaluations under different protocols are never mixed.
    """
    chosen = _choose_protocol(ledger, protocol)
    latest = {_task_id(entry): entry.sequence for entry in ledger.read(kinds=[Kind.JUDGEMENT])}
    count = 0
    writer: ArchiveWriter | None = None
    for entry in ledger.read(kinds=[Kind.JUDGEMENT]):
        if latest[_task_id(entry)] != entry.sequence:
            continue  # judged again later, under other terms or by newer software
        record = msgspec.convert(entry.content, JudgementRecord)
        task, judgement = record.task, record.judgement
        reply = ledger.find(Kind.REPLY, task.id)
        sample = ledger.find(Kind.SAMPLE, task.sample_digest)
        if task.protocol_digest != chosen.digest or reply is None or sample is None:
            continue
        if writer is None:
            terms = {"profile": judgement.profile, "evidence": _evidence_level(ledger, chosen)}
            writer = ArchiveWriter(folder, chosen, language=language, **terms)
        kept = msgspec.convert(reply.content, ReplyRecord)
        subject = subject_of(sample)
        writer.add(
            f"{judgement.sample}.{task.judge}.{task.repeat}",
            kept.text.encode("utf-8", "surrogatepass"),
            judgement,
            judge=task.judge,
            target=subject.target_model,
            handle=kept.handle,
            masked=kept.masked,
            about={
                "judge_version": task.judge_digest,
                "prompt_version": task.prompt_digest,
                "repeat": task.repeat,
                "subject": subject_record(subject) if isinstance(subject, Sample) else {},
            },
            category=subject.factors.get("category", "") if isinstance(subject, Sample) else "",
        )
        count += 1
    if writer is None:
        raise InputError("the ledger holds no judgement of this protocol", hint="Run `venire judge` first.")
    writer.close()
    return count


def _task_id(entry: Entry) -> str:
    task_id: str = entry.content["task"]["id"]
    return task_id


def _evidence_level(ledger: Ledger, protocol: EvalProtocol) -> str:
    """Return the level at which quotes were looked up; `off` only tells of replies that had none to look up."""
    for entry in ledger.read(kinds=[Kind.JUDGEMENT]):
        judgement = msgspec.convert(entry.content, JudgementRecord).judgement
        if judgement.protocol == protocol.digest and judgement.evidence_level is not EvidenceLevel.OFF:
            return judgement.evidence_level.value
    return EvidenceLevel.OFF.value


def _choose_protocol(ledger: Ledger, digest: str | None) -> EvalProtocol:
    protocols = [msgspec.convert(entry.content, EvalProtocol) for entry in ledger.read(kinds=[Kind.PROTOCOL])]
    matching = [protocol for protocol in protocols if digest is None or protocol.digest.startswith(digest)]
    if len(matching) == 1:
        return matching[0]
    listed = ", ".join(f"{protocol.id} {protocol.digest[:12]}" for protocol in protocols) or "none"
    hint = f"Name one with --protocol. The ledger holds: {listed}."
    raise UsageError(f"expected one protocol, found {len(matching)}", hint=hint)
