"""Verify an archive again: every byte against the manifest, and every judgement against its reply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from venire.domain import rule
from venire.domain.canonical import sha256_hex
from venire.domain.judge import JudgeIdentity
from venire.domain.judgement import EvidenceLevel
from venire.errors import InputError
from venire.inputs.artifacts import Artifact
from venire.reports.archive import MANIFEST, ArchiveEntry, OpenArchive, open_archive
from venire.reports.check_record import judgement_record
from venire.validation.check import Checker
from venire.workflows.check import CheckOptions, CheckRun

_MADE_BY_THE_RUN = {rule.JUDGE_OTHER_MODEL.id, rule.JUDGE_REPLY_CUT.id}
_DERIVED = ("reply_sha256", "scores", "overall", "stated_overall", "verdict", "evidence", "findings", "entries")


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
    folder: Path, *, sources: Path | None = None, on_problem: Callable[[InputError], None]
) -> ArchiveReport:
    """Compare an archive with its manifest, and derive its judgements again.

    Judgements whose quotes were compared with sources are derived again only if the sources are given.
    """
    archive = open_archive(folder)
    manifest = archive.manifest
    options = CheckOptions(
        archive.protocol,
        profile=manifest.profile,
        evidence=EvidenceLevel(manifest.evidence),
        sources=sources,
        category=manifest.category,
    )
    run = CheckRun(options, on_problem)
    problems: list[ArchiveProblem] = []
    judged_again = 0
    for entry in manifest.entries:
        found = list(_changed_files(archive, entry))
        if not found:
            again = _judge_again(archive, entry, run)
            judged_again += again is not None
            found = [ArchiveProblem(entry.record, again)] if again else []
        problems += found
    problems += [ArchiveProblem(path, "is not named in the manifest") for path in archive.unlisted_files()]
    return ArchiveReport(
        sha256_hex((folder / MANIFEST).read_bytes()), len(manifest.entries), judged_again, tuple(problems)
    )


def _changed_files(archive: OpenArchive, entry: ArchiveEntry) -> Iterator[ArchiveProblem]:
    for path, expected in ((entry.path, entry.sha256), (entry.record, entry.record_sha256)):
        data = archive.read(path)
        if data is None:
            yield ArchiveProblem(path, "is missing")
        elif sha256_hex(data) != expected:
            yield ArchiveProblem(path, f"was changed: expected SHA-256 {expected}, found {sha256_hex(data)}")


def _judge_again(archive: OpenArchive, entry: ArchiveEntry, run: CheckRun) -> str | None:
    """Return "" if the record follows from the reply, what differs if not, and None if that cannot be told."""
    record = msgspec.json.decode(archive.read(entry.record) or b"{}")
    if entry.masked or (record.get("sample_digest") and run.options.sources is None):
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
    subject = run.subject_of(found)
    judgement = run.held_to_plan(checker.check(raw, subject, judge=judge, handle=entry.handle), subject)
    again = msgspec.json.decode(msgspec.json.encode(judgement_record(judgement)))
    differing = [name for name in _DERIVED if _derived(record, name) != _derived(again, name)]
    return f"does not follow from its reply: {', '.join(differing)} differ" if differing else ""


def _derived(record: dict[str, Any], name: str) -> Any:
    """Return a field of a record, without findings that only the run could make."""
    if name != "findings":
        return record.get(name)
    return [finding for finding in record.get(name, []) if finding["rule"] not in _MADE_BY_THE_RUN]
