"""Bias: what the scores say of the judges' leanings, each with how many observations it rests on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.reports.report import Note, ReportSection, Rows, Term, Unit
from venire.reports.words import code_of
from venire.stats.judges.group_bias import group_bias
from venire.stats.judges.halo import halo
from venire.stats.judges.length_bias import length_bias
from venire.stats.judges.score_compression import score_compression
from venire.stats.judges.self_preference import self_preference
from venire.stats.uncertainty.multiplicity import family_level
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.stats.judges.bias import Bias
    from venire.stats.ratings.table import PrimarySet

_UNITS: dict[str, Unit] = {"score compression": "share", "halo": "coefficient"}

_MEANS = (("name", "bias"), ("meaning", "meaning"))

COLUMNS = ("estimate", "observations", "needed")
"""The columns of the table."""


def bias(evidence: ReportEvidence) -> ReportSection:
    """Look for self-preference, length, language, score compression and halo."""
    if evidence.primary.table.frame.is_empty():
        return ReportSection("bias", (Note("nothing.counts"),))
    level = evidence.choices.level
    # Self-preference needs the very judgements that primary statistics leave out.
    with_self = evidence.table.primary(count_recovered=evidence.choices.count_recovered, include_self=True)
    found = list(_measures(evidence, with_self, level))
    looked = sum(each.estimate.low is not None for each in found)
    if looked > 1:
        found = list(_measures(evidence, with_self, family_level(level, looked)))
    drafts = [_row(each) for each in found]
    kinds = dict.fromkeys(names[0] for names, _ in drafts)
    meanings = [
        Note("bias.means", {name: Term("text", code_of(key, kind)) for name, key in _MEANS}, begins=True)
        for kind in kinds
    ]
    table = make_table("bias", ("bias", "rater", "about"), COLUMNS, drafts)
    many = [Note("bias.many", {"count": looked, "level": level})] if looked > 1 else []
    return ReportSection("bias", (Note("bias.read"), *many, Note("bias.not_here"), *meanings), (table,))


def _measures(evidence: ReportEvidence, with_self: PrimarySet, level: float) -> Iterator[Bias]:
    yield from self_preference(with_self, level=level)
    yield from length_bias(evidence.primary, level=level)
    yield from group_bias(evidence.primary, "language", level=level)
    yield from score_compression(evidence.primary, level=level)
    yield from halo(evidence.primary, level=level)


def _row(each: Bias) -> Draft:
    name = each.name.removesuffix(" bias")
    rows = _rows(each, name)
    cells = [
        estimate_cell(each.estimate, rows, _UNITS.get(name, "difference")),
        number_cell(each.observations, rows),
        number_cell(each.smallest, Rows(), method=say("method.least_observations")),
    ]
    return (name, each.judge or "–", each.about or "–"), cells


def _rows(each: Bias, name: str) -> Rows:
    if not each.judge:
        return Rows()
    if name == "self-preference":
        return where({"rater": each.judge, "status": "valid", "repeat": "0"}, among="recorded")
    # What a judge is compared with are the other judges on the same outputs: all of them are behind the number.
    return where({"rater": each.judge}) if name in ("length", "score compression") else Rows()
