"""Who passed the voir dire and who was struck, for what, with the probes that were failed by most."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from venire.domain.hidden import show_controls
from venire.judges.probes.battery import standard_battery
from venire.judges.probes.making import ProbeName
from venire.reports.cells import make_table, number_cell, text_cell, word_cell
from venire.reports.report import Arguments, Note, ReportCell, ReportSection, Rows, Table, Term
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.reports.recorded.judge_fitness import VoirDireRead

_CONFIDENCE = 0.95


def voir_dire(evidence: ReportEvidence) -> ReportSection:
    """Show the last qualification of each judge; there is a section only where a judge was examined."""
    tables = [make_table("voir_dire", ("rater", "probes"), ("trials", "rate", "limit", "standing"), _rows(evidence))]
    return ReportSection("voir_dire", tuple(_notes(evidence)), (*tables, *_worst(evidence)))


def family_names(evidence: ReportEvidence) -> dict[str, dict[str, str]]:
    """Return what the families of probes are called, by language."""
    if not evidence.voir_dire:
        return {}
    known = {name: dict(family.name) for name, family in standard_battery().families.items()}
    terms = [each.content.terms for each in evidence.voir_dire]
    return known | {name: dict(family.name) for each in terms for name, family in each.families.items()}


def _notes(evidence: ReportEvidence) -> Iterator[Note]:
    for each in evidence.voir_dire:
        found = each.content
        told: Arguments = {"judge": found.judge, "battery": found.battery, "days": found.days}
        told["day"] = each.recorded_at[:10]
        told["probes"] = len(found.replies)
        wanted = {"struck": "beyond", "undecided": "open"}.get(found.outcome)
        told["families"] = tuple(
            Term("dimension", rate["family"]) for rate in found.rates if rate["standing"] == wanted
        )
        yield Note(f"voir_dire.note.{found.outcome}", told, warning=found.outcome != "qualified", begins=True)
    not_asked: dict[tuple[str, str], tuple[str, ...]] = {}
    for each in evidence.voir_dire:
        for asked in each.content.not_asked.items():
            not_asked[asked] = (*not_asked.get(asked, ()), each.content.judge)
    for (family, why), judges in not_asked.items():
        told_why = Term("text", why) if why.startswith("voir_dire.") else why  # Early ledgers hold it in English.
        reason: Arguments = {"judges": judges, "family": Term("dimension", family), "why": told_why}
        yield Note("voir_dire.note.not_asked", reason, begins=True)
    yield Note("voir_dire.note.how", {}, begins=True)


def _rows(evidence: ReportEvidence) -> Iterator[tuple[tuple[str, ...], list[ReportCell]]]:
    for each in evidence.voir_dire:
        rows = Rows(among="replies", sequences=(each.sequence,))
        for rate in each.content.rates:
            yield (each.content.judge, rate["family"]), _cells(rate, rows)


def _cells(rate: dict[str, Any], rows: Rows) -> list[ReportCell]:
    from msgspec.structs import replace

    failed = number_cell(rate["rate"], rows, "share", method=say("method.voir_dire_rate"), n=rate["trials"])
    if rate["low"] is not None:
        failed = replace(failed, low=rate["low"], high=rate["high"], level=_CONFIDENCE)
    return [
        number_cell(rate["trials"], rows),
        failed,
        number_cell(rate["limit"], rows, "share", method=say("method.voir_dire_limit")),
        word_cell(f"voir_dire.standing.{rate['standing']}", rows),
    ]


def _worst(evidence: ReportEvidence) -> Iterator[Table]:
    drafts = [draft for each in evidence.voir_dire for draft in _worst_rows(each)]
    if drafts:
        yield make_table("worst_probes", ("rater", "probe"), ("why", "shown", "replied"), drafts)


def _worst_rows(read: VoirDireRead) -> Iterator[tuple[tuple[str, ...], list[ReportCell]]]:
    reasons = {each.id: each.why for each in standard_battery().templates}
    rows = Rows(among="replies", sequences=(read.sequence,))
    for each in read.worst:
        name = ProbeName.parse(each.probe)
        why = reasons.get(name.template, "–")
        shown, replied = show_controls(each.text), show_controls(each.reply)
        cells = [text_cell(why, rows), text_cell(shown, rows), text_cell(replied, rows)]
        yield (read.content.judge, name.template), cells
