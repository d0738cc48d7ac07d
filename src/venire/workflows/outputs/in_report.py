"""A report with the outputs behind its numbers: they count what the report counts."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import msgspec

from venire.domain.label import Label
from venire.ledger.entry import Kind
from venire.ledger.store import Ledger
from venire.reports.evidence import ReportEvidence
from venire.reports.judgement_line import JudgementLine, judgement_lines
from venire.reports.outputs.asked import OutputFilter
from venire.reports.outputs.in_report import MOST_CHARACTERS, MOST_OUTPUTS, KeptOutput, ReportOutputs
from venire.reports.outputs.one_output import OneOutput
from venire.reports.outputs.rows import OutputRow
from venire.reports.outputs.verdict_order import good_share
from venire.reports.report import Choices, Report
from venire.workflows.analyse import make_report, report_of_ledger
from venire.workflows.evidence.from_source import read_file
from venire.workflows.ledgers import opened_ledger
from venire.workflows.outputs.file_outputs import read_file_outputs
from venire.workflows.outputs.index import panel_score
from venire.workflows.outputs.ledger_outputs import LedgerOutputs
from venire.workflows.outputs.listing import list_outputs
from venire.workflows.outputs.source import OutputSource


def analyse_with_outputs(
    source: str | Path, choices: Choices, *, labels: tuple[Label, ...] = ()
) -> tuple[Report, ReportOutputs]:
    """Make the report of a source as `analyse` does, and read the outputs behind it if they are few enough."""
    command = f"venire view {shlex.quote(str(source))}"
    found = read_file(source, choices)
    if found is not None:
        evidence, origin = found
        outputs = (
            None
            if _too_many(evidence.table.frame["unit"].n_unique())
            else read_file_outputs(Path(str(source)), choices)
        )
        return make_report(evidence, origin, labels), _kept(outputs, evidence, command)
    with opened_ledger(str(source), read_only=True) as ledger:
        evidence, report = report_of_ledger(ledger, choices, name=Path(str(source)).name, labels=labels)
        few = not _too_many(_samples_of(ledger))
        return report, _kept(LedgerOutputs(ledger, "memory:") if few else None, evidence, command)


def _too_many(outputs: int) -> bool:
    return outputs > MOST_OUTPUTS


def _samples_of(ledger: Ledger) -> int:
    """Return how many entries hold outputs, counted until they are too many."""
    return sum(1 for _ in islice(ledger.read(kinds=(Kind.SAMPLE,)), MOST_OUTPUTS + 1))


def _kept(source: OutputSource | None, evidence: ReportEvidence, command: str) -> ReportOutputs:
    too_many = ReportOutputs(is_whole=False, command=command)
    if source is None:
        return too_many
    try:
        while source.catch_up():
            pass
        found = list_outputs(source.index, OutputFilter(), limit=MOST_OUTPUTS)
        if _too_many(found.total):
            return too_many
        kept: list[KeptOutput] = []
        characters = 0
        for each in _counted_as(source, found.rows, evidence):
            characters += _length(each.one)
            if characters > MOST_CHARACTERS:
                return too_many
            kept.append(each)
    finally:
        source.close()
    kept.sort(key=lambda each: _from_worst(each.row))
    return ReportOutputs(kept=tuple(kept), command=command)


def _from_worst(row: OutputRow) -> tuple[float, ...]:
    known = (row.score, row.good, row.voted)
    return (*(part for value in known for part in (value is None, value or 0.0)), row.number)


def _counted_as(source: OutputSource, rows: tuple[OutputRow, ...], evidence: ReportEvidence) -> Iterator[KeptOutput]:
    """Yield outputs with the judgements counted that the report counts, and scored by its weights."""
    lines: dict[str, list[JudgementLine]] = {}
    for line in judgement_lines(evidence.table, evidence.primary):
        lines.setdefault(line.unit, []).append(line)
    weights = {judge: given[0] if given else 0.0 for judge, given in evidence.primary.weights.items()}
    protocol = evidence.protocol.digest if evidence.protocol else ""
    for row in rows:
        if row.protocol and protocol and row.protocol != protocol:
            continue  # The report is about one protocol; under another the output is another row.
        own = lines.get(row.digest, [])
        one = source.show(row)
        counted = {line.judgement for line in own if line.counted}
        judgements = tuple(
            msgspec.structs.replace(each, counted=each.key in counted if own else each.counted)
            for each in one.judgements
        )
        one = msgspec.structs.replace(one, judgements=judgements)
        yield KeptOutput(_scored(row, one, weights), one, {**one.factors, **(own[0].factors if own else {})})


def _scored(row: OutputRow, one: OneOutput, weights: Mapping[str, float]) -> OutputRow:
    counted = [each for each in one.judgements if each.counted]
    scores = {each.judge: each.score for each in counted if each.score is not None}
    return msgspec.structs.replace(
        row,
        score=panel_score(scores, weights),
        apart=max(scores.values()) - min(scores.values()) if len(scores) > 1 else None,
        verdicts=len({each.verdict for each in counted if each.verdict}),
        good=good_share(each.verdict for each in counted),
    )


def _length(one: OneOutput) -> int:
    texts = (one.text or "", one.task, *(each.text for each in one.materials))
    return sum(map(len, texts)) + sum(len(each.reply or "") for each in one.judgements)
