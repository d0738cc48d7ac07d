"""Export the judgements of a ledger as an archive of valid and invalid evaluations that stands alone."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from venire.domain.canonical import sha256_hex
from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.errors import InputError, UsageError
from venire.judges.panel import Judge
from venire.ledger.entry import Entry, Kind
from venire.ledger.store import Ledger
from venire.ledger.subjects import subject_of
from venire.protocols.catalogue import bundled_ids, find_protocol
from venire.reports.archive.writer import ArchiveWriter, Evaluation
from venire.reports.formats.check_record import Identity
from venire.runner.records import ReplyRecord, is_voir_dire, read_judgement, request_bytes
from venire.runner.request import RequestBuilder
from venire.runner.task import is_probe
from venire.words.said import say
from venire.workflows.evidence.ledger_protocols import protocols_in

_JUDGE_FACTS = (
    "name", "kind", "model", "weight", "decoding", "rules", "blind", "mask_identity", "attach_files", "scale",
    "language", "family", "aliases", "prompt_version", "tools", "digest",
)  # fmt: skip
"""What the run log says of a judge: all that tells instruments apart, and no paths or addresses of one's own."""


def export_archive(
    ledger: Ledger, folder: Path, *, language: str = "en", protocol: str | None = None, prompts: bool = True
) -> int:
    """Write the judgements of one protocol into a new folder, and return how many there are.

    Without a digest, the ledger must hold one protocol only: evaluations under different protocols are never mixed.
    `prompts` says whether what judges were sent is kept too; it holds the judged outputs.
    """
    chosen = _choose_protocol(ledger, protocol)
    runs = _Runs(ledger, chosen)
    latest = {_task_id(entry): entry.sequence for entry in ledger.read(kinds=[Kind.JUDGEMENT])}
    count = 0
    writer: ArchiveWriter | None = None
    for entry in ledger.read(kinds=[Kind.JUDGEMENT]):
        if latest[_task_id(entry)] != entry.sequence:
            continue  # judged again later, under other terms or by newer software
        record = read_judgement(entry)
        task = record.task
        reply = ledger.find(Kind.REPLY, task.id)
        sample = ledger.find(Kind.SAMPLE, task.sample_digest)
        if task.protocol_digest != chosen.digest or reply is None or sample is None or is_probe(task.repeat):
            continue
        kept = msgspec.convert(reply.content, ReplyRecord)
        judgement = record.with_words(kept.text)
        if writer is None:
            writer = ArchiveWriter(
                folder,
                chosen,
                language=language,
                run_log=runs.log(),
                profile=judgement.profile,
                evidence=_evidence_level(ledger, chosen),
            )
        subject = subject_of(sample, ledger)
        known = Evaluation(
            name=f"{judgement.sample}.{task.judge}.{task.repeat}",
            judge=task.judge,
            target=subject.target_model,
            identity=_identity(subject, kept, reply.recorded_at),
            handle=kept.handle,
            masked=kept.masked,
            about={
                "judge_version": task.judge_digest,
                "prompt_version": task.prompt_digest,
                "repeat": task.repeat,
                "subject": subject.place,
            },
            category=subject.category,
            finish_reason=kept.finish_reason or "",
            output_tokens=kept.output_tokens,
            request_sha256=kept.request_sha256,
            prompt=runs.prompt(kept, subject) if prompts else None,
        )
        writer.add(kept.text.encode("utf-8", "surrogatepass"), judgement, known)
        count += 1
    if writer is None:
        raise InputError("error.export.no_judgement")
    for digest, text in runs.templates.items():
        writer.add_template(digest, text)
    writer.close()
    return count


class _Runs:
    """What the runs under one protocol say of themselves, and what they sent to judges."""

    def __init__(self, ledger: Ledger, protocol: EvalProtocol) -> None:
        opened = [
            entry
            for entry in ledger.read(kinds=[Kind.RUN_OPENED])
            if entry.content["protocol"] == protocol.digest and not is_voir_dire(entry.content)
        ]
        self._opened = opened
        own = {entry.content.get("run", "") for entry in opened}
        self._closed = [each for each in ledger.read(kinds=[Kind.RUN_CLOSED]) if each.content.get("run", "") in own]
        # The ledger holds the protocol with its keys sorted; prompts follow the order of its file.
        bundled = map(find_protocol, bundled_ids())
        self._protocol = next((each for each in bundled if each.digest == protocol.digest), protocol)
        self._judges = {judge["digest"]: judge for entry in opened for judge in entry.content["judges"]}
        self._builders: dict[str, list[RequestBuilder]] = {}
        self.templates: dict[str, str] = {
            digest: text for entry in opened for digest, text in entry.content["templates"].items()
        }

    def log(self) -> dict[str, Any]:
        """Return the run log: judges with their versions, and each run with its options, software, seed and end."""
        left_out = ("judges", "templates", "settings")
        return {
            "made_by": "venire export",
            "judges": [{name: judge.get(name) for name in _JUDGE_FACTS} for judge in self._judges.values()],
            "runs": [
                {
                    "opened_at": entry.recorded_at,
                    "seed": entry.content["runner"].get("seed"),
                    **{name: value for name, value in entry.content.items() if name not in left_out},
                    "judges": [judge["digest"] for judge in entry.content["judges"]],
                }
                for entry in self._opened
            ],
            "runs_closed": [{"closed_at": entry.recorded_at, **entry.content} for entry in self._closed],
        }

    def prompt(self, kept: ReplyRecord, subject: Sample | Bundle) -> bytes | None:
        """Return exactly what the judge was sent; None where this version would write it otherwise."""
        digest = kept.task.judge_digest
        if digest not in self._builders:
            self._builders[digest] = list(map(self._builder, self._settings_of(digest)))
        for builder in self._builders[digest]:
            sent = request_bytes(builder.build(kept.task, subject).request)
            if sha256_hex(sent) == kept.request_sha256:
                return sent
        return None

    def _settings_of(self, judge_digest: str) -> list[tuple[Mapping[str, Any], int]]:
        """Return the judge's record with each seed that it was asked with."""
        found = {
            entry.content["runner"].get("seed", 0): judge
            for entry in self._opened
            for judge in entry.content["judges"]
            if judge["digest"] == judge_digest
        }
        return [(judge, seed) for seed, judge in found.items()]

    def _builder(self, used: tuple[Mapping[str, Any], int]) -> RequestBuilder:
        judge, seed = used
        return RequestBuilder(msgspec.convert(judge, Judge), self._protocol, seed=seed)


def _identity(subject: Sample | Bundle, kept: ReplyRecord, recorded_at: str) -> Identity:
    return Identity(
        question_id=subject.question_id,
        prompt_variant=subject.prompt_variant,
        target_model=subject.target_model,
        judge_model=kept.model or kept.asked_model,
        time=recorded_at,
        known_from="ledger",
    )


def _task_id(entry: Entry) -> str:
    task_id: str = entry.content["task"]["id"]
    return task_id


def _evidence_level(ledger: Ledger, protocol: EvalProtocol) -> str:
    """Return the level at which quotes were looked up; `off` only tells of replies that had none to look up."""
    for entry in ledger.read(kinds=[Kind.JUDGEMENT]):
        judgement = read_judgement(entry).judgement
        if judgement.protocol == protocol.digest and judgement.evidence_level is not EvidenceLevel.OFF:
            return judgement.evidence_level.value
    return EvidenceLevel.OFF.value


def _choose_protocol(ledger: Ledger, digest: str | None) -> EvalProtocol:
    protocols = protocols_in(ledger)
    matching = [protocol for protocol in protocols if digest is None or protocol.digest.startswith(digest)]
    if len(matching) == 1:
        return matching[0]
    listed = [f"{protocol.id} {protocol.digest[:12]}" for protocol in protocols]
    raise UsageError("error.export.several_protocols", count=len(matching), known=tuple(listed) or say("problem.none"))
