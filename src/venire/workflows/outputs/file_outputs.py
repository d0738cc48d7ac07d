"""The outputs of a table of scores, of what `venire check` wrote, or of a report: what these files hold of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from venire.domain.claim import Claim
from venire.domain.flag import Finding
from venire.domain.judgement import Evidence, EvidenceLevel, Judgement
from venire.domain.judgement_key import JudgementKey
from venire.domain.reader_mark import ReaderMark
from venire.domain.sample import Sample
from venire.errors import InputError, ReadOnlyError
from venire.ledger.entry import Draft
from venire.reports.archive.manifest import OpenArchive, open_archive
from venire.reports.formats.table_files import decode_report
from venire.reports.judgement_line import JudgementLine, judgement_lines
from venire.reports.outputs.one_output import OneOutput, ShownJudgement, told_reasons
from venire.reports.outputs.rows import OutputRow
from venire.reports.report import Choices, Report
from venire.words.said import as_text
from venire.workflows.evidence.from_check import check_records, is_check
from venire.workflows.evidence.from_source import read_file
from venire.workflows.outputs.index import IndexedJudgement, OutputIndex

_REPORT_HEAD = b'{"report":'


class KeptJudgement(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a file says of one judgement."""

    line: JudgementLine
    """Who judged what, with which result."""
    evidence: tuple[Evidence, ...] = ()
    """The quotes, as far as the file holds them."""
    findings: tuple[Finding, ...] = ()
    """What is wrong with the reply."""
    quotes_compared: bool = True
    """Whether the quotes were held against the texts."""
    claims: tuple[Claim, ...] = ()
    """The claims."""
    strength: float | None = None
    """By how much the winner of a pair is better."""
    reply: str | None = None
    """The reply; None if the file does not hold it."""


_kept = msgspec.json.Decoder(KeptJudgement)


class FileOutputs:
    """Outputs that were read from a file once, into a temporary index."""

    keeps_marks = False
    """A mark is an entry of a ledger."""

    def __init__(
        self,
        kept: Iterable[KeptJudgement],
        names: Mapping[str, Mapping[str, str]],
        weights: Mapping[str, float] | None = None,
    ) -> None:
        self._names = {name: dict(words) for name, words in names.items() if name != "overall"}
        self._is_weighted = any((weights or {}).values())
        self.index = OutputIndex()
        self._count = 0
        try:
            with self.index.writing():
                touched = {self._put(each) for each in kept}
                self.index.score_again(sorted(touched), weights or {})
        except BaseException:
            self.index.close()
            raise

    def catch_up(self) -> bool:
        """Nothing comes behind: a file is read once."""
        return False

    def progress(self) -> tuple[int, int]:
        """Return how many judgements there are, twice."""
        return self._count, self._count

    def close(self) -> None:
        """Delete the index."""
        self.index.close()

    def protocol_names(self, digests: Iterable[str]) -> dict[str, str]:
        """Files know of no other protocol than their own."""
        del digests
        return {}

    def runs(self) -> tuple[Mapping[str, Any], ...]:
        """Files know of no runs."""
        return ()

    def planned(self, run: Mapping[str, Any]) -> frozenset[bytes]:
        """Files know of no plans."""
        del run
        return frozenset()

    def check_mark(self, mark: ReaderMark) -> Draft:
        """Refuse it: a mark is an entry of a ledger."""
        raise ReadOnlyError("error.view.no_marks", where=mark.output_id)

    def show(self, row: OutputRow) -> OneOutput:
        """Return what the file says of an output."""
        query = "SELECT record, counted, score FROM judgement WHERE output = ? ORDER BY counted DESC, sequence"
        found = [(_kept.decode(record), bool(counted), score) for record, counted, score in
                 self.index.rows(query, (row.number,))]  # fmt: skip
        return OneOutput(
            factors=found[0][0].line.factors if found else {},
            judgements=tuple(_shown(*each) for each in found),
            names=self._names,
            is_weighted=self._is_weighted,
        )

    def _put(self, kept: KeptJudgement) -> int:
        line = kept.line
        sample = Sample(
            line.output_id or line.unit,
            "",
            question_id=line.question_id,
            prompt_variant=line.prompt_variant,
            target_model=line.target_model,
            factors=line.factors,
        )
        self._count += 1
        self.index.put_output(sample, "", line.unit, has_text=False)
        judgement = IndexedJudgement(
            key=line.judgement,
            sequence=self._count,
            judge=line.rater,
            version="",
            repeat=line.repeat or "0",
            status=line.status or "valid",
            method=line.method or "",
            verdict=line.verdict or "",
            score=_on_ten(line),
            record=msgspec.json.encode(kept, enc_hook=as_text),
        )
        return self.index.put_judgement(line.unit, "", judgement) or 0


def read_file_outputs(path: Path, choices: Choices) -> FileOutputs | None:
    """Read the outputs of a file; None if it is a ledger. Raises `InputError` for a report that lists no judgement."""
    if is_report(path):
        report = decode_report(path.read_bytes(), str(path))
        return FileOutputs(_of_report(report, str(path)), report.names)
    found = read_file(path, choices)
    if found is None:
        return None
    evidence, _ = found
    lines = (
        msgspec.structs.replace(line, output_id=evidence.outputs.get(line.unit, line.unit))
        for line in judgement_lines(evidence.table, evidence.primary)
    )
    names = {each.id: dict(each.name) for each in evidence.protocol.dimensions} if evidence.protocol else {}
    weights = {judge: given[0] if given else 0.0 for judge, given in evidence.primary.weights.items()}
    return FileOutputs(_of_check(lines, path) if is_check(path) else map(_plain, lines), names, weights)


def is_report(path: Path) -> bool:
    """Tell whether a file is a report that `venire report --json` wrote, by its beginning."""
    if path.suffix.lower() != ".json" or not path.is_file():
        return False
    with path.open("rb") as file:
        return b"".join(file.read(64).split()).startswith(_REPORT_HEAD)


def _plain(line: JudgementLine) -> KeptJudgement:
    return KeptJudgement(line=line)


def _of_report(report: Report, where: str) -> Iterator[KeptJudgement]:
    if not report.lines:
        raise InputError("error.view.no_lines", where=where)
    for line in report.lines:
        # A report says that a quote was found, and not where.
        places = [(0, 0) if each.found else (None, None) for each in line.quotes]
        quotes = tuple(
            Evidence(each.dimension, each.text, source=each.source, start=start, end=end)
            for each, (start, end) in zip(line.quotes, places, strict=True)
        )
        yield KeptJudgement(line=line, evidence=quotes)


def _of_check(lines: Iterable[JudgementLine], path: Path) -> Iterator[KeptJudgement]:
    """Join lines with the records that they were read from: a line's number is the place of its record."""
    records, _ = check_records(path)
    archive = open_archive(path) if path.is_dir() else None
    for line in lines:
        place = (line.sequence or 1) - 1
        reply = _reply(archive, place) if archive else None
        name = JudgementKey.parse(line.judgement)
        try:
            judgement = msgspec.convert(records[place], Judgement)
        except msgspec.ValidationError:  # The reply could not be read: there is no judgement to show.
            yield KeptJudgement(line=line, reply=reply)
            continue
        judged = judgement if name.place is None else judgement.entries[name.place]
        yield KeptJudgement(
            line=line,
            evidence=judged.evidence,
            quotes_compared=judged.evidence_level is not EvidenceLevel.OFF,
            findings=judged.findings,
            claims=judged.claims or (),
            strength=judged.preference.strength if judged.preference else None,
            reply=reply,
        )


def _reply(archive: OpenArchive, place: int) -> str | None:
    raw = archive.read(archive.manifest.entries[place].path)
    return None if raw is None else raw.decode("utf-8", "replace")


def _shown(kept: KeptJudgement, counted: bool, score: float | None) -> ShownJudgement:
    line = kept.line
    return ShownJudgement(
        key=line.judgement,
        judge=line.rater,
        repeat=line.repeat or "0",
        status=line.status or "valid",
        method=line.method or "",
        counted=counted,
        score=score,
        overall=line.overall,
        overall_maximum=line.overall_maximum,
        verdict=line.verdict or "",
        scores=line.scores,
        evidence=kept.evidence,
        quotes_compared=kept.quotes_compared,
        claims=kept.claims,
        findings=kept.findings,
        strength=kept.strength,
        reasons=told_reasons(kept.reply) if kept.strength is not None and kept.reply else {},
        reply=kept.reply,
    )


def _on_ten(line: JudgementLine) -> float | None:
    low, high = line.overall_minimum, line.overall_maximum
    if line.overall is None or low is None or high is None or high <= low:
        return None
    return (line.overall - low) / (high - low) * 10
