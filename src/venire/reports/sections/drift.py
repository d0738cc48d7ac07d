"""Prompt drift: slices by question, variant and further factors, the worst of them, contrasts and cliffs."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, text_cell, where
from venire.reports.report import Column, Note, ReportCell, ReportSection, Rows, Table, Term
from venire.reports.sections.leaderboard import MOST_MODELS, contrast_cells
from venire.stats.drift.contrasts import Cliff, cliffs, paired_contrasts
from venire.stats.drift.slices import SMALLEST_SLICE, SliceMetrics, slice_metrics, worst_slices
from venire.stats.uncertainty.multiplicity import family_level
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venire.reports.evidence import ReportEvidence
    from venire.stats.result import Estimate

TRIGGERS = ("trigger", "trigger_type")
"""What the factor is called that tells how the task was triggered."""

MANY = 40
"""How many levels of a factor are listed at most; with more, only the worst slices are."""

MOST_SLICES = 1_000_000
"""More slices than there are, to count all that the worst were chosen among."""

BASELINE = "baseline"
"""The variant that others are compared with, where there is one of this name."""


def drift(evidence: ReportEvidence) -> ReportSection:
    """Show how scores move with the prompt; without variants and further factors there is nothing to show."""
    if evidence.primary.table.frame.is_empty():
        return ReportSection("drift", (Note("nothing.counts"),))
    varied = [name for name in ("prompt_variant", *evidence.further) if len(evidence.levels(name)) > 1]
    if not varied:
        return ReportSection("drift", (Note("drift.none"),))
    worst, slices, small = _worst(evidence, varied)
    steep, jumps = _cliffs(evidence, varied)
    tables = [*_maps(evidence, varied), *_single(evidence, varied), *worst]
    tables += [*_contrasts(evidence, varied), *steep]
    notes = [Note("drift.read")]
    if worst:
        notes.append(Note("drift.worst", {"count": slices, "level": evidence.choices.level}))
    if small:
        notes.append(Note("drift.too_small", {"count": small, "least": SMALLEST_SLICE}))
    if steep:
        notes.append(Note("drift.cliffs", {"count": jumps, "level": evidence.choices.level}))
    if evidence.structure_dimension is None:
        notes.append(Note("drift.no_structure"))
    else:
        notes.append(Note("drift.structure", {"dimension": Term("dimension", evidence.structure_dimension)}))
    notes += [
        Note("drift.many", {"factor": Term("head", name), "levels": len(evidence.levels(name))})
        for name in (*varied, "question_id")
        if len(evidence.levels(name)) > MANY
    ]
    notes += [
        Note("drift.not_contrasted", {"factor": Term("head", name), "levels": len(evidence.levels(name))})
        for name in varied
        if not _is_contrasted(evidence, name)
    ]
    return ReportSection("drift", tuple(notes), tuple(tables))


def trigger_of(varied: Sequence[str]) -> str | None:
    """Return the factor that is shown beside the variant: the trigger, or the first further one."""
    named = [name for name in varied if name in TRIGGERS]
    others = [name for name in varied if name != "prompt_variant"]
    return next(iter(named or others), None)


def _crossed(varied: Sequence[str]) -> list[str]:
    trigger = trigger_of(varied)
    return [name for name in ("prompt_variant", trigger) if name is not None and name in varied]


def _maps(evidence: ReportEvidence, varied: Sequence[str]) -> Iterator[Table]:
    crossed = _crossed(varied)
    for table_id, across in (("drift_map", "question_id"), ("drift_models", "target_model")):
        levels = evidence.levels(across)
        if not 1 <= len(levels) <= MANY:
            continue
        found = {tuple(each.where.values()): each for each in _slices(evidence, [*crossed, across])}
        found_names = {key[:-1] for key in found}
        names = [key for key in product(*map(evidence.ordered_levels, crossed)) if key in found_names]
        by = [*crossed, across]
        drafts = [(key, [_map_cell(evidence, found, by, (*key, level)) for level in levels]) for key in names]
        yield make_table(table_id, crossed, [Column(level, level) for level in levels], drafts)


def _map_cell(
    evidence: ReportEvidence, found: Mapping[tuple[str, ...], SliceMetrics], by: Sequence[str], key: tuple[str, ...]
) -> ReportCell:
    metrics = found.get(key)
    rows = where(dict(zip(by, key, strict=True)))
    if metrics is None:
        return number_cell(None, rows, "score", method=say("method.mean"), reason=say("reason.nothing_counts"))
    return estimate_cell(metrics.mean_total, rows, "score", evidence.scale())


def _single(evidence: ReportEvidence, varied: Sequence[str]) -> Iterator[Table]:
    factors = [name for name in (*varied, "question_id") if 1 < len(evidence.levels(name)) <= MANY]
    drafts = [
        ((factor, next(iter(each.where.values()))), _metrics(evidence, each))
        for factor in factors
        for each in _slices(evidence, [factor])
    ]
    yield make_table("slices", ("factor", "level"), _columns(evidence), drafts)


def _columns(evidence: ReportEvidence) -> tuple[str, ...]:
    return ("mean", *(("hard_break", "hard_breaks") if evidence.structure_dimension else ()), "judgements")


def _metrics(evidence: ReportEvidence, each: SliceMetrics) -> list[ReportCell]:
    rows = where(each.where)
    broken = [estimate_cell(each.hard_break_rate, rows, "share"), _hard_breaks(each.hard_break_rate, rows)]
    mean = estimate_cell(each.mean_total, rows, "score", evidence.scale())
    return [mean, *(broken if evidence.structure_dimension else ()), number_cell(each.judgements, rows)]


def _hard_breaks(rate: Estimate, rows: Rows) -> ReportCell:
    """Return how many judgements are hard breaks, of how many: the judgements with a score of the structure."""
    if rate.value is None:
        return text_cell("–", rows)
    judged = rate.n["values"]
    return text_cell(f"{round(rate.value * judged)} / {judged}", rows)


def _worst(evidence: ReportEvidence, varied: Sequence[str]) -> tuple[list[Table], int, int]:
    """Return the table of the worst slices, among how many they are, and how many more are too small to be among them.

    Intervals hold for all slices together that are not too small.
    """
    by = ["target_model", *_crossed(varied)]
    every = list(_slices(evidence, by))
    small = sum(each.judgements < SMALLEST_SLICE for each in every)
    looked = len(worst_slices(every, MOST_SLICES))
    if looked < 2:
        return [], looked, small
    worst = worst_slices(_slices(evidence, by, family_level(evidence.choices.level, looked)), 5)
    drafts = [(tuple(each.where.values()), _metrics(evidence, each)) for each in worst]
    return [make_table("worst_slices", by, _columns(evidence), drafts)], looked, small


def _is_contrasted(evidence: ReportEvidence, factor: str) -> bool:
    """Tell whether levels of a factor are compared: with a baseline as many as are listed, every two only if few."""
    levels = evidence.levels(factor)
    return len(levels) <= (MANY if BASELINE in levels else MOST_MODELS)


def _contrasts(evidence: ReportEvidence, varied: Sequence[str]) -> Iterator[Table]:
    for factor in varied:
        levels = evidence.levels(factor)
        if not _is_contrasted(evidence, factor):
            continue
        others = [name for name in ("prompt_variant", *evidence.matched) if name != factor]
        found = paired_contrasts(
            evidence.primary,
            factor,
            baseline=BASELINE if BASELINE in levels else None,
            match=["question_id", "target_model", *others],
            level=evidence.choices.level,
        )
        drafts: list[Draft] = [
            ((each.first, each.second), contrast_cells(each)) for each in found if each.total.n.get("values")
        ]
        if drafts:
            columns = ("difference", "p", "p_adjusted", "pairs")
            yield make_table(f"contrasts_{factor}", ("first", "second"), columns, drafts)


def _cliffs(evidence: ReportEvidence, varied: Sequence[str]) -> tuple[list[Table], int]:
    """Return the table of the steepest cliffs, and among how many jumps they are."""
    structure = evidence.structure_dimension
    factor = "prompt_variant" if "prompt_variant" in varied else varied[0]
    if structure is None or structure not in evidence.primary.dimensions:
        return [], 0
    within = ["target_model", *(name for name in _crossed(varied) if name != factor)]
    order, level = evidence.ordered_levels(factor), evidence.choices.level
    looked = len(cliffs(evidence.primary, structure, factor, order=order, within=within, k=MOST_SLICES, level=level))
    if not looked:
        return [], 0
    found = cliffs(
        evidence.primary, structure, factor, order=order, within=within, k=5, level=family_level(level, looked)
    )
    steep = [each for each in found if each.jump.value]
    heads = (*within, "first", "second")
    drafts = [((*each.where.values(), each.first, each.second), _cliff(each, structure)) for each in steep]
    return [make_table("cliffs", heads, ("before", "after", "jump"), drafts)] if steep else [], looked


def _cliff(each: Cliff, structure: str) -> list[ReportCell]:
    return [
        estimate_cell(each.before, where(each.where, {each.factor: each.first}, dimension=structure), "share"),
        estimate_cell(each.after, where(each.where, {each.factor: each.second}, dimension=structure), "share"),
        estimate_cell(
            each.jump,
            where(each.where, {each.factor: (each.first, each.second)}, dimension=structure),
            "share_difference",
        ),
    ]


def _slices(evidence: ReportEvidence, by: Sequence[str], level: float | None = None) -> tuple[SliceMetrics, ...]:
    found = slice_metrics(
        evidence.primary,
        by,
        structure_dimension=evidence.structure_dimension,
        by_dimension=False,
        level=level or evidence.choices.level,
    )
    return tuple(each for each in found if all(value and value != "None" for value in each.where.values()))
