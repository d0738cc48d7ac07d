"""Verify an archive again: every byte against the manifest, and every judgement against its reply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from venire.domain import rule
from venire.domain.canonical import sha256_hex
from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import Judgement, Status
from venire.errors import InputError
from venire.inputs.artifacts import Artifact
from venire.inputs.pdf import PdfLimits
from venire.protocols.problems import find_problems
from venire.reports.archive import MANIFEST, PROTOCOL, VALID_FOLDERS, ArchiveEntry, OpenArchive, open_archive
from venire.reports.check_record import judgement_record
from venire.validation.check import Checker
from venire.workflows.check import CheckOptions, CheckRun

_MADE_BY_THE_RUN = {rule.JUDGE_OTHER_MODEL.id, rule.JUDGE_REPLY_CUT.id, rule.JUDGE_CUT_OFF.id}
_LEFT_ASIDE = {"method", "sample_digest"}
"""What depends on more than an archive holds: the aliases of a judge, and further columns of the samples."""


class ArchiveProblem(msgspec.Struct, frozen=True):
    """One way in which an archive is not what its manifest says."""

    path: str
    """The file inside the archive."""
    problem: str
    """What is wrong with it."""


class ArchiveReport(msgspec.Struct, frozen=True):
    """What came of verifying an archive."""

    manifest_sha256: str
    """The digest of the manifest; whoever keeps it can tell later whether the archive was made anew."""
    entries: int
    """How many evaluations the manifest names."""
    judged_again: int
    """How many judgements were derived again from their replies."""
    problems: tuple[ArchiveProblem, ...]
    """Everything that does not fit; empty for an intact archive."""


def verify_archive(
    folder: Path,
    *,
    sources: Path | None = None,
    columns: Mapping[str, str] | None = None,
    pattern: str | None = None,
    pdf_limits: PdfLimits | None = None,
    on_problem: Callable[[InputError], None],
) -> ArchiveReport:
    """Compare an archive with its manifest, and derive its judgements again.

    Judgements whose quotes were compared with sources are derived again only if the sources are given; `columns`,
    `pattern` and `pdf_limits` say how these are read.
    """
    archive = open_archive(folder)
    for _, message, hint in find_problems(archive.protocol):
        raise InputError(message, where=str(folder / PROTOCOL), hint=hint)
    manifest = archive.manifest
    options = CheckOptions(
        archive.protocol,
        profile=manifest.profile,
        evidence=manifest.evidence,
        sources=sources,
        columns=dict(columns or {}),
        pattern=pattern,
        pdf_limits=pdf_limits or PdfLimits(),
    )
    run = CheckRun(options, on_problem)
    problems: list[ArchiveProblem] = []
    judged_again = 0
    for entry in manifest.entries:
        found = list(_changed_files(archive, entry)) or list(_contradictions(archive, entry))
        if not found and (again := _judge_again(archive, entry, run)) is not None:
            judged_again += 1
            found = [ArchiveProblem(entry.record, again)] if again else []
        problems += found
    named = Counter(path for entry in manifest.entries for path in (entry.path, entry.record))
    problems += [ArchiveProblem(path, "is named twice in the manifest") for path, count in named.items() if count > 1]
    problems += [ArchiveProblem(path, "is not named in the manifest") for path in archive.unlisted_files()]
    return ArchiveReport(
        sha256_hex((folder / MANIFEST).read_bytes()), len(manifest.entries), judged_again, tuple(problems)
    )


def _changed_files(archive: OpenArchive, entry: ArchiveEntry) -> Iterator[ArchiveProblem]:
    for path, expected in ((entry.path, entry.sha256), (entry.record, entry.record_sha256)):
        data = archive.read(path)
        if data is None:
            yield ArchiveProblem(path, "is missing or cannot be read")
        elif sha256_hex(data) != expected:
            yield ArchiveProblem(path, f"was changed: expected SHA-256 {expected}, found {sha256_hex(data)}")


def _contradictions(archive: OpenArchive, entry: ArchiveEntry) -> Iterator[ArchiveProblem]:
    """Compare a record with the manifest, with the folder that it lies in, and with itself."""
    try:
        record = _record(archive, entry)
        judgement = msgspec.convert(record, Judgement)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        yield ArchiveProblem(entry.record, f"is not the record of a judgement: {error}")
        return
    named = {name: getattr(entry, name) for name in ("name", "judge", "target", "sample", "scale")}
    named |= {"reply_sha256": entry.sha256, "protocol": archive.protocol.digest, "profile": archive.manifest.profile}
    differing = [name for name, value in named.items() if record.get(name) != value]
    filed_as_valid = entry.path.split("/")[0] in VALID_FOLDERS
    if not judgement.valid == entry.valid == filed_as_valid:
        differing.append("status")
    if differing:
        yield ArchiveProblem(entry.record, f"does not agree with the manifest: {', '.join(differing)} differ")
    own = judgement_record(judgement)
    if (judgement.valid and judgement.flags) or any(
        own[name] != record.get(name) for name in ("flags", "rules_broken")
    ):
        yield ArchiveProblem(entry.record, "contradicts itself: status, flags and findings do not go together")
    if entry.scale not in {scale.id for scale in archive.protocol.scales}:
        yield ArchiveProblem(entry.record, f"names the scale {entry.scale!r}, which the protocol does not have")


def _judge_again(archive: OpenArchive, entry: ArchiveEntry, run: CheckRun) -> str | None:
    """Return "" if the record follows from the reply, what differs if not, and None if that cannot be told."""
    record = _record(archive, entry)
    if entry.masked or (record["sample_digest"] and run.options.sources is None):
        return None
    raw = archive.read(entry.path) or b""
    name = entry.sample if entry.handle else entry.name
    found = Artifact(name, raw, entry.sha256, len(raw), entry.judge, entry.target, output_id=entry.sample)
    judge = JudgeIdentity(entry.judge, entry.judge) if entry.judge else None
    checker = Checker(
        archive.protocol,
        profile=run.options.profile,
        evidence=run.options.evidence,
        scale=entry.scale,
        blind=bool(entry.handle),
    )
    subject = run.subject_of(found, entry.category)
    judgement = run.held_to_sources(checker.check(raw, subject, judge=judge, handle=entry.handle), subject, found)
    judgement = _with_findings_of_the_run(judgement, msgspec.convert(record, Judgement))
    again = msgspec.json.decode(msgspec.json.encode(judgement_record(judgement)))
    differing = [name for name in again if name not in _LEFT_ASIDE and record.get(name) != again[name]]
    return f"does not follow from its reply: {', '.join(differing)} differ" if differing else ""


def _record(archive: OpenArchive, entry: ArchiveEntry) -> dict[str, Any]:
    return msgspec.json.decode(archive.read(entry.record) or b"", type=dict[str, Any])


def _with_findings_of_the_run(judgement: Judgement, recorded: Judgement) -> Judgement:
    """Add what only the run could find, because it is not in the reply."""
    made = tuple(finding for finding in recorded.findings if finding.rule in _MADE_BY_THE_RUN)
    status = Status.INVALID if any(each.rule == rule.JUDGE_REPLY_CUT.id for each in made) else judgement.status
    return msgspec.structs.replace(judgement, findings=(*made, *judgement.findings), status=status)
