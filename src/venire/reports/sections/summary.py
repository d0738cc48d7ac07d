"""The summary in plain words: what was compared, who judged, what was excluded, what can be concluded and what not."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import msgspec

from venire.reports.report import Arguments, Note, Row, Section, Table, Term
from venire.reports.sections.invalid import off_scale_rows
from venire.stats.derived_overall import OVERALL_RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from venire.reports.material import Material

FEW_QUESTIONS = 10
"""Below so many questions an interval over questions is wide and rests on a normal-looking handful."""

FEW_OUTPUTS = 10
"""Below so many outputs with two judges nothing is said about agreement."""

SIGNIFICANT = 0.05
"""The adjusted p value below which a difference is told."""


def summary(material: Material, scores: Section, agreed: Section) -> Section:
    """Say in sentences what the report shows, with its limits; conclusions follow from leaderboard and agreement."""
    parts = (_what(material), _excluded(material), _conclusions(scores, agreed), _limits(material))
    return Section("summary", tuple(note for part in parts for note in _paragraph(part)))


def _paragraph(notes: Iterable[Note]) -> Iterator[Note]:
    for place, note in enumerate(notes):
        yield note if place else msgspec.structs.replace(note, begins=True)


def _what(material: Material) -> Iterator[Note]:
    frame = material.table.frame
    if frame.is_empty():
        yield Note("summary.empty", warning=True)
        return
    models = [name for name in frame["target_model"].cast(str).unique(maintain_order=True) if name]
    questions = [name for name in frame["question_id"].cast(str).unique(maintain_order=True) if name]
    variants = [name for name in frame["prompt_variant"].cast(str).unique(maintain_order=True) if name]
    yield Note(
        "summary.compared",
        {
            "samples": frame["unit"].n_unique(),
            "models": ", ".join(models) or "–",
            "model_count": len(models),
            "questions": len(questions),
            "variants": len(variants),
        },
    )
    judges = list(frame["rater"].cast(str).unique(maintain_order=True))
    protocol = material.protocol
    yield Note(
        "summary.judged_table" if material.is_table else "summary.judged",
        {"count": len(judges), "judges": ", ".join(judges), "protocol": protocol.id if protocol else ""},
    )
    yield from _derived(material)


def _derived(material: Material) -> Iterator[Note]:
    """Say how overall scores were made of dimensions, and which judgements have none for it."""
    rule, frame = material.derived_overall, material.table.frame
    if not rule:
        return
    names = [name for name in frame["dimension"].cast(str).unique(maintain_order=True) if name]
    known: Arguments = {"rule": Term("dimension", rule), "count": len(names), "dimensions": tuple(names)}
    yield Note(f"derived.{rule if rule in OVERALL_RULES else 'dimension'}", known)
    without = frame.filter(frame["score"].is_not_null() & frame["overall"].is_null())["judgement"].n_unique()
    if without:
        yield Note(f"derived.without.{'present' if rule == 'mean' else 'other'}", {"count": without}, warning=True)
    if rule in ("mean", "present") and frame["minimum"].null_count() == frame.height:
        yield Note("derived.no_scale", warning=True)


def _excluded(material: Material) -> Iterator[Note]:
    total = material.table.judgement_count
    if not total:
        return
    counted = material.primary.table.judgement_count
    yield Note("summary.counted", {"counted": counted, "total": total}, warning=counted == 0)
    for reason, count in material.primary.excluded.items():
        yield Note(f"summary.excluded.{reason}", {"count": count})
    beyond = off_scale_rows(material)["judgement"].n_unique()
    if beyond:
        yield Note("summary.off_scale", {"count": beyond}, warning=True)
    if material.primary.include_self:
        yield Note("summary.self_included", warning=True)
    if material.primary.count_recovered:
        yield Note("summary.recovered_included", warning=True)
    if material.primary.method_unknown:
        yield Note("summary.method_unknown", {"count": material.primary.method_unknown})


def _conclusions(scores: Section, agreed: Section) -> Iterator[Note]:
    board = _table(scores, "leaderboard")
    tested = {frozenset(row.names): row.cells for row in _rows(_table(scores, "comparisons"))}
    for better, worse in itertools.pairwise(_rows(board)):
        pair = (better.names[0], worse.names[0])
        difference, _, p_value, *_ = tested.get(frozenset(pair), (None, None, None))
        if difference is None or p_value is None or difference.value is None or p_value.value is None:
            reason = p_value.reason if p_value else "no outputs that answer the same questions"
            yield Note("summary.untested", {"first": pair[0], "second": pair[1], "reason": reason})
            continue
        arguments: Arguments = {
            "first": pair[0],
            "second": pair[1],
            "difference": round(abs(difference.value), 2),
            "p": "< 0.001" if p_value.value < 0.001 else f"= {p_value.value:.3f}",
        }
        yield Note("summary.higher" if p_value.value < SIGNIFICANT else "summary.not_told", arguments)
    yield from _power(scores)
    yield from _agreement(agreed)


def _power(scores: Section) -> Iterator[Note]:
    """Say what the comparison could have found, and what would settle the smallest difference that it did not tell."""
    known = [row for row in _rows(_table(scores, "power")) if row.cells[0].value is not None]
    if not known:
        return
    widest = max(known, key=lambda row: row.cells[0].value or 0.0)
    questions = int(widest.cells[2].value or 0)
    by_output = widest.cells[2].method.endswith("output")
    key = "summary.detectable_by_output" if by_output else "summary.detectable"
    yield Note(key, {"points": round(widest.cells[0].value or 0.0, 2), "questions": questions})
    tested = {row.names: row.cells[2].value for row in _rows(_table(scores, "comparisons"))}
    open_ones = [row for row in known if row.cells[3].value is not None and (tested.get(row.names) or 0) >= SIGNIFICANT]
    for row in sorted(open_ones, key=lambda row: abs(row.cells[1].value or 0.0))[:1]:
        arguments: Arguments = {
            "first": row.names[0],
            "second": row.names[1],
            "difference": round(abs(row.cells[1].value or 0.0), 2),
            "needed": int(row.cells[3].value or 0),
        }
        yield Note("summary.needed_by_output" if by_output else "summary.needed", arguments)


def _agreement(agreed: Section) -> Iterator[Note]:
    for row in _rows(_table(agreed, "alpha"))[:1]:
        alpha, band, *_ = row.cells
        units = alpha.n.get("units", 0)
        if alpha.value is None or units < FEW_OUTPUTS:
            yield Note("summary.alpha_unknown", {"units": units})
        else:
            poor = band.word in {"reliability.very-low", "reliability.low"}
            yield Note("summary.alpha", {"alpha": round(alpha.value, 2), "band": Term("text", band.word)}, warning=poor)


def _table(section: Section, table_id: str) -> Table | None:
    return next((table for table in section.tables if table.id == table_id), None)


def _rows(table: Table | None) -> tuple[Row, ...]:
    return table.rows if table else ()


def _limits(material: Material) -> Iterator[Note]:
    if material.primary.table.frame.is_empty():
        return
    if len(material.primary.raters) == 1:
        yield Note("limits.one_judge", warning=True)
    questions = len(material.levels("question_id"))
    if 0 < questions < FEW_QUESTIONS:
        yield Note("limits.few_questions", {"questions": questions})
    if questions == 0:
        yield Note("limits.no_questions")
    yield Note("limits.people", {"count": len(material.labels)}) if material.labels else Note("limits.no_people")
    kinds = {str(judge.get("kind")) for judge in material.judges.values()}
    if kinds == {"rules"}:
        yield Note("limits.rules")
