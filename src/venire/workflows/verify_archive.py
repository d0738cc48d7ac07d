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
from venire.domain.judgement import Judgement, Quotes, Status
from venire.domain.sample import Sample
from venire.errors import InputError
from venire.inputs.artifacts.replies import Artifact
from venire.inputs.documents.pdf import PdfLimits
from venire.inputs.tables.materials import Judged
from venire.protocols.problems import find_problems
from venire.reports.archive.manifest import (
    MANIFEST,
    PROTOCOL,
    RUN_LOG,
    VALID_FOLDERS,
    ArchiveCounts,
    ArchiveEntry,
    OpenArchive,
    open_archive,
)
from venire.reports.formats.check_record import Identity, evaluation_record, judgement_record
from venire.shapes.check import Checker, with_end
from venire.words.said import as_text, say
from venire.workflows.audit import unordered
from venire.workflows.check import CheckRun, identity_of
from venire.workflows.checking.options import CheckOptions

_MADE_BY_THE_RUN = {rule.JUDGE_OTHER_MODEL.id, rule.JUDGE_REPLY_CUT.id}
_LEFT_ASIDE = {"method", "sample_digest", *Identity.__struct_fields__}
"""What depends on more than an archive may hold, and is looked at apart: the models and further columns of samples."""


_PLACES = ("question_id", "prompt_variant", "target_model")


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
    not_compared: int = 0
    """How many evaluations have quotes that were not compared with the judged texts."""


def verify_archive(
    folder: Path,
    *,
    sources: Path | None = None,
    columns: Mapping[str, str] | None = None,
    pattern: str | None = None,
    pdf_limits: PdfLimits | None = None,
    source_names: Mapping[str, str] | None = None,
    judged: Judged = "last",
    documents: Path | None = None,
    on_problem: Callable[[InputError], None],
) -> ArchiveReport:
    """Compare an archive with its manifest, and derive its judgements again.

    Judgements whose quotes were compared with sources are derived again only if the sources are given; `columns`,
    `pattern`, `pdf_limits`, `judged` and `documents` say how these are read.
    """
    archive = open_archive(folder)
    for _, message, hint in find_problems(archive.protocol):
        raise InputError(message, where=str(folder / PROTOCOL), hint=hint)
    manifest = archive.manifest
    options = CheckOptions(
        archive.protocol,
        profile=manifest.profile,
        evidence=manifest.evidence,
        sources=None if manifest.sources_given is False else sources,  # then nothing was compared with them
        columns=dict(columns or {}),
        pattern=pattern,
        pdf_limits=pdf_limits or PdfLimits(),
        source_names=dict(source_names or {}),
        judged=judged,
        documents=documents,
        aliases=tuple(manifest.aliases),
    )
    run = CheckRun(options, on_problem)
    problems = list(_changed_files(archive, manifest.files))
    judges, tally, judged_again = _judges(archive), ArchiveCounts(), 0
    for entry in manifest.entries:
        files = {entry.path: entry.sha256, entry.record: entry.record_sha256}
        found = list(_changed_files(archive, files)) or list(_contradictions(archive, entry))
        if not found:
            record = _record(archive, entry)
            tally.add(record)
            found += _prompt_problems(archive, entry, record)
        if not found and (again := _judge_again(archive, entry, run, judges)) is not None:
            judged_again += 1
            found = [ArchiveProblem(entry.record, again)] if again else []
        problems += found
    if not problems and RUN_LOG in manifest.files:
        problems += _run_log_problems(archive, tally, judges)
    named = Counter(path for entry in manifest.entries for path in (entry.path, entry.record))
    problems += [ArchiveProblem(path, say("archive.named_twice")) for path, count in named.items() if count > 1]
    problems += [ArchiveProblem(path, say("archive.not_named")) for path in archive.unlisted_files()]
    not_compared = tally.stated()["quotes"].get(Quotes.NOT_COMPARED.value, 0)
    digest = sha256_hex((folder / MANIFEST).read_bytes())
    return ArchiveReport(digest, len(manifest.entries), judged_again, tuple(problems), not_compared)


def _changed_files(archive: OpenArchive, files: Mapping[str, str]) -> Iterator[ArchiveProblem]:
    for path, expected in files.items():
        data = archive.read(path)
        if data is None:
            yield ArchiveProblem(path, say("archive.missing"))
        elif sha256_hex(data) != expected:
            yield ArchiveProblem(path, say("archive.changed", expected=expected, found=sha256_hex(data)))


def _contradictions(archive: OpenArchive, entry: ArchiveEntry) -> Iterator[ArchiveProblem]:
    """Compare a record with the manifest, with the folder that it lies in, and with itself."""
    try:
        record = _record(archive, entry)
        judgement = msgspec.convert(record, Judgement)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        yield ArchiveProblem(entry.record, say("archive.not_a_record", error=str(error)))
        return
    named = {name: getattr(entry, name) for name in ("name", "judge", "target", "sample", "scale")}
    if archive.manifest.sources_given is not None:
        asks = archive.protocol.asks_for_quotes
        named["quotes"] = (judgement.quotes if asks else Quotes.NONE).value
    named |= {"reply_sha256": entry.sha256, "protocol": archive.protocol.digest, "profile": archive.manifest.profile}
    differing = [name for name, value in named.items() if record.get(name) != value]
    filed_as_valid = entry.path.split("/")[0] in VALID_FOLDERS
    if not judgement.valid == entry.valid == filed_as_valid:
        differing.append("status")
    if differing:
        yield ArchiveProblem(entry.record, say("archive.not_as_manifest", names=tuple(differing)))
    subject = record.get("subject", {})
    if any(subject.get(name, "") != record.get(name, "") for name in _PLACES if subject and name in record):
        yield ArchiveProblem(entry.record, say("archive.two_places"))
    own = judgement_record(judgement)
    if (judgement.valid and judgement.flags) or any(
        own[name] != record.get(name) for name in ("flags", "rules_broken")
    ):
        yield ArchiveProblem(entry.record, say("archive.contradicts_itself"))
    if entry.scale not in {scale.id for scale in archive.protocol.scales}:
        yield ArchiveProblem(entry.record, say("archive.no_scale", scale=entry.scale))


def _prompt_problems(archive: OpenArchive, entry: ArchiveEntry, record: Mapping[str, Any]) -> list[ArchiveProblem]:
    """Compare the prompt of an evaluation with the digest that was recorded when it was sent."""
    path = record.get("prompt")
    if not path or archive.manifest.files.get(path) == record.get("request_sha256"):
        return []
    return [ArchiveProblem(entry.record, say("archive.other_prompt"))]


def _run_log_problems(
    archive: OpenArchive, tally: ArchiveCounts, judges: Mapping[str, JudgeIdentity]
) -> Iterator[ArchiveProblem]:
    """Compare the run log with what the archive holds."""
    log = _run_log(archive)
    named = {"id": archive.protocol.id, "version": archive.protocol.version, "digest": archive.protocol.digest}
    expected = {"protocol": named, "profile": archive.manifest.profile, "evidence": archive.manifest.evidence.value}
    expected["counts"] = msgspec.to_builtins(tally.stated())
    differing = [name for name, value in expected.items() if log.get(name) != value]
    if log.get("runs") is not None and not set(tally.stated()["by_judge"]) <= set(judges):
        differing.append("judges")
    if differing:
        yield ArchiveProblem(RUN_LOG, say("archive.not_as_records", names=tuple(differing)))


def _run_log(archive: OpenArchive) -> dict[str, Any]:
    try:
        return msgspec.json.decode(archive.read(RUN_LOG) or b"{}", type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}


class _LoggedJudge(msgspec.Struct):
    name: str
    model: str = ""
    aliases: tuple[str, ...] = ()
    family: str = ""


def _judges(archive: OpenArchive) -> dict[str, JudgeIdentity]:
    """Return the judges of the run log by name, with the other names of their models."""
    try:
        logged = msgspec.convert(_run_log(archive).get("judges", []), list[_LoggedJudge])
    except msgspec.ValidationError:
        return {}
    return {each.name: JudgeIdentity(each.name, each.model, each.aliases, each.family) for each in logged}


def _judge_again(
    archive: OpenArchive, entry: ArchiveEntry, run: CheckRun, judges: Mapping[str, JudgeIdentity]
) -> str | None:
    """Return "" if the record follows from the reply, what differs if not, and None if that is unknown."""
    record = _record(archive, entry)
    needs_sources = bool(record["sample_digest"]) or archive.manifest.sources_given
    if entry.masked or (needs_sources and run.options.sources is None):
        return None
    raw = archive.read(entry.path) or b""
    name = entry.sample if entry.handle else entry.name
    found = Artifact(name, raw, entry.sha256, len(raw), entry.judge, entry.target, output_id=entry.sample)
    judge = judges.get(entry.judge, JudgeIdentity(entry.judge, entry.judge)) if entry.judge else None
    checker = Checker(
        archive.protocol,
        profile=run.options.profile,
        evidence=run.options.evidence,
        scale=entry.scale,
        blind=bool(entry.handle),
        aliases=run.options.aliases,
    )
    subject = run.subject_of(found, entry.category)
    judgement = checker.check(raw, subject, judge=judge, handle=entry.handle)
    judgement = with_end(judgement, record.get("finish_reason"), record.get("output_tokens"))
    judgement = run.flag_unplanned(judgement, subject, found)
    judgement = _with_findings_of_the_run(judgement, msgspec.convert(record, Judgement))
    known = identity_of(subject, found)
    made = judgement_record(judgement)
    if archive.manifest.sources_given is not None:  # archives of earlier versions have no more than the judgement
        made = evaluation_record(judgement, known, archive.protocol)
    again = msgspec.json.decode(msgspec.json.encode(made, enc_hook=as_text))
    compared = [name for name in again if name not in _LEFT_ASIDE]
    differing = [name for name in compared if unordered(record.get(name)) != unordered(again[name])]
    if again["method"] is not None and record.get("method") != again["method"] and entry.judge in judges:
        differing.append("method")
    differing += _differing_identity(record, known)
    if subject is not None and subject.sample is not None:
        differing += _differing_factors(record, subject.sample)
    return say("archive.does_not_follow", names=tuple(differing)) if differing else ""


def _differing_identity(record: Mapping[str, Any], known: Identity) -> list[str]:
    """Return what the record says otherwise about the judged output than the sources, or else the reply, do."""
    if known.known_from == "reply" != record.get("known_from"):
        return []
    told = {name: getattr(known, name) for name in _PLACES if getattr(known, name)}
    return [name for name, value in told.items() if record.get(name, value) != value]


def _differing_factors(record: Mapping[str, Any], sample: Sample) -> list[str]:
    """Return `subject` if the record places the sample otherwise in its experiment than the sources do."""
    stated = record.get("subject", {}).get("factors", {})
    return ["subject"] if any(sample.factors.get(name, value) != value for name, value in stated.items()) else []


def _record(archive: OpenArchive, entry: ArchiveEntry) -> dict[str, Any]:
    return msgspec.json.decode(archive.read(entry.record) or b"", type=dict[str, Any])


def _with_findings_of_the_run(judgement: Judgement, recorded: Judgement) -> Judgement:
    """Add what only the run could find, because it is not in the reply."""
    made = tuple(finding for finding in recorded.findings if finding.rule in _MADE_BY_THE_RUN)
    status = Status.INVALID if any(each.rule == rule.JUDGE_REPLY_CUT.id for each in made) else judgement.status
    return msgspec.structs.replace(judgement, findings=(*made, *judgement.findings), status=status)
