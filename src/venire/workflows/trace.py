"""Trace a number of a report to the judgements, replies and quoted words behind it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from venire.domain.claim import Claim
from venire.domain.judgement import Evidence, EvidenceLevel
from venire.domain.judgement_key import JudgementKey
from venire.domain.material import Material
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import PLACES, Bundle, Sample
from venire.errors import InputError, TamperedError, UsageError, os_reason
from venire.judges.panel import Judge
from venire.ledger.entry import Entry, Kind
from venire.ledger.hashing import entry_hash
from venire.ledger.store import Ledger
from venire.ledger.subjects import subject_of
from venire.reports.judgement_line import JudgementLine, judgement_lines
from venire.reports.report import Report, ReportCell
from venire.reports.sections.votes import vote_sequences
from venire.runner.records import LATE, JudgementRecord, ReplyRecord, read_judgement
from venire.runner.request import RequestBuilder
from venire.words.said import say
from venire.workflows.evidence.asked_under import AskedUnder
from venire.workflows.evidence.from_check import check_digest
from venire.workflows.evidence.from_ledger import choose_protocol, read_ledger
from venire.workflows.evidence.from_source import read_evidence
from venire.workflows.evidence.vote_levels import read_vote_evidence
from venire.workflows.ledgers import opened_ledger


class Link(msgspec.Struct, frozen=True):
    """An entry of the ledger."""

    sequence: int
    """Its number."""
    hash: str
    """Its hash."""


class TracedJudgement(msgspec.Struct, frozen=True, kw_only=True):
    """A judgement behind a number, down to the words that were quoted."""

    line: JudgementLine
    """Who judged what, with which result."""
    judgement: Link | None = None
    """The judgement's entry; None outside of a ledger."""
    reply: Link | None = None
    """The reply's entry."""
    reply_text: str = ""
    """The judge's own words."""
    sample: Link | None = None
    """The sample's entry."""
    text: str = ""
    """The judged text, as the judge saw it."""
    materials: tuple[Material, ...] = ()
    """The materials that were quoted, as the judge saw them."""
    evidence: tuple[Evidence, ...] = ()
    """The quotes with their places in the text, or in the material that they name."""
    claims: tuple[Claim, ...] = ()
    """The claims, each with its two sides among the quotes; empty for other forms of reply."""


class TracedRequest(msgspec.Struct, frozen=True):
    """A request or reply behind a number of cost or latency, or a vote behind a score."""

    entry: Link
    """Its entry."""
    judge: str
    """The judge that was asked, or who voted."""
    facts: dict[str, Any]
    """What the entry says of it."""


class Trace(msgspec.Struct, frozen=True):
    """What is behind a number."""

    cell: ReportCell
    """The number."""
    total: int
    """How many rows are behind it."""
    judgements: tuple[TracedJudgement, ...] = ()
    """The judgements, up to the number asked for."""
    requests: tuple[TracedRequest, ...] = ()
    """The requests, replies or votes, up to the number asked for."""


def trace(report: Report, cell_id: str, source: str, *, limit: int | None = None) -> Trace:
    """Walk from a cell to its rows, in the ledger or table that the report was made from.

    Raises `UsageError` for a cell that the report does not have, and `LedgerError` or `InputError` if the source is
    another one or was changed.
    """
    cell = find_cell(report, cell_id)
    if report.origin.kind != "ledger":
        return _trace_file(report, cell, Path(source), limit)
    with opened_ledger(source, read_only=True) as ledger:
        if cell.rows.among in ("attempts", "replies"):
            return _trace_requests(report, cell, ledger, limit)
        if cell.rows.among == "votes":
            return _trace_votes(report, cell, ledger, limit)
        return _trace_judgements(report, cell, ledger, limit)


def find_cell(report: Report, cell_id: str) -> ReportCell:
    """Return a cell by its id; raises `UsageError` with the nearest ones."""
    cells = {cell.id: cell for cell in report.cells()}
    if cell_id in cells:
        return cells[cell_id]
    near = difflib.get_close_matches(cell_id, cells, n=3, cutoff=0.3) or list(cells)[:3]
    raise UsageError("error.trace.no_cell", cell=cell_id, near=tuple(near) or say("compare.none"))


def _trace_judgements(report: Report, cell: ReportCell, ledger: Ledger, limit: int | None) -> Trace:
    material, _ = read_ledger(ledger, report.choices, report.origin.name, until=report.origin)
    lines = [line for line in judgement_lines(material.table, material.primary) if cell.rows.holds(line)]
    return Trace(cell, len(lines), tuple(_follow(line, ledger, material.runs) for line in lines[:limit]))


def _text_of(subject: Sample | Bundle, judged: Sample) -> str:
    """Return the judged text; of a pair both, each under the name that the judge knew it by."""
    if subject.pair is None:
        return judged.text
    return "\n\n".join(f"{place}:\n{each.text}" for place, each in zip(PLACES, subject.samples, strict=True))


def _follow(line: JudgementLine, ledger: Ledger, runs: tuple[Mapping[str, Any], ...]) -> TracedJudgement:
    name = JudgementKey.parse(line.judgement)
    entry = _found(ledger.find(Kind.JUDGEMENT, name.key), line)
    record = read_judgement(entry)
    reply = _found(ledger.find(Kind.REPLY, record.task.id), line)
    said = msgspec.convert(reply.content, ReplyRecord)
    whole = record.with_words(said.text)
    judgement = whole if name.place is None else whole.entries[name.place]
    sample = _found(ledger.find(Kind.SAMPLE, record.task.sample_digest), line)
    subject = subject_of(sample, ledger)
    if said.masked:
        subject = _as_seen(record, ledger, runs).as_seen(subject)[0]
    samples = subject.samples
    judged = next((each for each in samples if each.output_id == judgement.sample), samples[0])
    quoted = {each.source for each in judgement.evidence}
    return TracedJudgement(
        line=msgspec.structs.replace(line, entry_hash=entry.hash, output_id=judgement.sample),
        judgement=Link(entry.sequence, entry.hash),
        reply=Link(reply.sequence, reply.hash),
        reply_text=said.text,
        sample=Link(sample.sequence, sample.hash),
        text=_text_of(subject, judged),
        materials=tuple(each for each in judged.materials if each.id in quoted),
        evidence=judgement.evidence,
        claims=judgement.claims or (),
    )


def _as_seen(record: JudgementRecord, ledger: Ledger, runs: tuple[Mapping[str, Any], ...]) -> RequestBuilder:
    """Make the builder that masked the text, as the run did."""
    task = record.task
    judges = [(run, judge) for run in runs for judge in run["judges"] if judge["digest"] == task.judge_digest]
    protocol = ledger.find(Kind.PROTOCOL, task.protocol_digest)
    if not judges or protocol is None:
        raise InputError("error.trace.not_masked", where=f"task {task.id[:12]}")
    run, judge = judges[-1]
    return RequestBuilder(
        msgspec.convert(judge, Judge),
        msgspec.convert(protocol.content, EvalProtocol),
        seed=0,
        profile=run["profile"],
        evidence=EvidenceLevel(run["evidence"]),
    )


def _found(entry: Entry | None, line: JudgementLine) -> Entry:
    if entry is None:
        raise InputError("error.trace.no_origin", where=f"entry {line.sequence}")
    if entry_hash(entry) != entry.hash:
        expected = entry_hash(entry)
        raise TamperedError("error.trace.hash", where=f"entry {entry.sequence}", expected=expected, found=entry.hash)
    return entry


def _trace_requests(report: Report, cell: ReportCell, ledger: Ledger, limit: int | None) -> Trace:
    found = list(_requests(report, cell, ledger))
    return Trace(cell, len(found), requests=tuple(found[:limit]))


def _qualification(cell: ReportCell, ledger: Ledger) -> Iterator[TracedRequest]:
    """Yield the entry of a voir dire or of anchors that a number comes from; the former names the replies."""
    for entry in ledger.read(kinds=[Kind.QUALIFICATION, Kind.CANARIES]):
        if entry.sequence not in (cell.rows.sequences or ()):
            continue
        content = entry.content
        if entry.kind is Kind.CANARIES:
            for judge in content["judges"]:
                facts = {name: judge[name] for name in ("verdicts", "e_value", "peak")}
                yield TracedRequest(Link(entry.sequence, entry.hash), judge["judge"], facts)
        else:
            facts = {name: content[name] for name in ("outcome", "battery", "battery_digest")}
            yield TracedRequest(Link(entry.sequence, entry.hash), content["judge"], facts)


def _requests(report: Report, cell: ReportCell, ledger: Ledger) -> Iterator[TracedRequest]:
    if cell.rows.sequences is not None:
        yield from _qualification(cell, ledger)
        return
    wanted = cell.rows.where.get("rater", ())
    shown = ("outcome", "status", "latency_seconds", "error", "input_tokens", "output_tokens")
    protocol = choose_protocol(ledger, report.choices.protocol)
    asked = AskedUnder(ledger, protocol.digest if protocol else "")
    for entry in ledger.read(kinds=[Kind.ATTEMPT, Kind.REPLY]):
        if entry.sequence > report.origin.sequence:
            return
        content = {"outcome": "reply", **entry.content}
        judge = content["judge"] if entry.kind is Kind.ATTEMPT else content["task"]["judge"]
        is_asked_for = cell.rows.among == "attempts" or content["outcome"] in ("reply", LATE)
        if judge in wanted and is_asked_for and asked.holds(content):
            facts = {name: content[name] for name in shown if content.get(name) is not None}
            yield TracedRequest(Link(entry.sequence, entry.hash), judge, facts)


def _trace_votes(report: Report, cell: ReportCell, ledger: Ledger, limit: int | None) -> Trace:
    material = read_vote_evidence(ledger, report.choices, report.origin)
    wanted = vote_sequences(material, cell.rows) if material else frozenset()
    shown = ("inference_id", "vote", "vote_time", "voter_prompt_id", "reputation")
    found = []
    for entry in ledger.read(kinds=[Kind.VOTE]):
        if entry.sequence in wanted:
            vote = entry.content["vote"]
            facts = {name: vote[name] for name in shown}
            found.append(TracedRequest(Link(entry.sequence, entry.hash), vote["voter_id"], facts))
    return Trace(cell, len(found), requests=tuple(found[:limit]))


def _trace_file(report: Report, cell: ReportCell, path: Path, limit: int | None) -> Trace:
    try:
        digest = check_digest(path)
    except OSError as error:
        raise InputError("error.trace.not_read", where=str(path), reason=os_reason(error)) from None
    if digest != report.origin.digest:
        wanted, kind = report.origin.digest[:16], report.origin.kind
        raise InputError("error.trace.other_file", where=str(path), kind=kind, expected=wanted, found=digest[:16])
    material = read_evidence(path, report.choices)
    lines = [line for line in judgement_lines(material.table, material.primary) if cell.rows.holds(line)]
    return Trace(cell, len(lines), tuple(TracedJudgement(line=line) for line in lines[:limit]))
