"""Against people: how judges compare with human labels, and what the labels make of the judges' means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.reports.human_labels import HumanLabels, match_labels
from venire.reports.report import Note, ReportCell, ReportSection, Table
from venire.reports.sections.people.corrected_comparisons import LabelledOutputs, compare_corrected, corrected_table
from venire.reports.sections.people.panel_errors import panel_errors
from venire.reports.sections.people.slices import LabelledSlices, score_slices, verdict_slices
from venire.reports.sections.people.verdicts import verdicts_beside_people
from venire.stats.agreement.confusion_matrix import SMALLEST_SLICE
from venire.stats.agreement.correlation import pearson
from venire.stats.ratings.panel_scores import combine, panel_weights
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.prediction_powered import prediction_powered_mean
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from venire.reports.evidence import ReportEvidence
    from venire.stats.observations import FloatArray

BINS = 5
"""Into how many groups the panel's means are cut for the calibration chart."""


def people(evidence: ReportEvidence) -> ReportSection:
    """Compare judges with people where people have labelled outputs."""
    if not evidence.labels:
        return ReportSection("people", (Note("people.none"),))
    labels = match_labels(evidence)
    notes = [Note("people.read")]
    if labels.probabilities:
        notes = [Note("people.weighted")]
    if evidence.undrawn_labels:
        notes.append(Note("people.undrawn", {"count": evidence.undrawn_labels}, warning=True))
    if labels.unmatched:
        notes.append(Note("people.unmatched", {"count": labels.unmatched}, warning=True))
    if evidence.primary.table.frame.is_empty() or not (labels.scores or labels.verdicts):
        return ReportSection("people", (*notes, Note("people.no_match", warning=True)))
    tables = [*_by_judge(evidence, labels), *panel_errors(evidence, labels), *_corrected(evidence, labels)]
    tables += verdicts_beside_people(evidence, labels)
    slices = LabelledSlices(evidence)
    tables += [*score_slices(evidence, labels, slices), *verdict_slices(evidence, labels, slices)]
    if slices.small:
        notes.append(Note("people.small_slices", {"count": slices.small, "smallest": SMALLEST_SLICE}))
    return ReportSection("people", tuple(notes), tuple(tables))


def _by_judge(evidence: ReportEvidence, labels: HumanLabels) -> Iterator[Table]:
    drafts: list[Draft] = []
    for dimension in ("", *evidence.dimensions):
        truth = labels.scores.get(dimension)
        if not truth:
            continue
        matrix = evidence.primary.matrix(dimension or None)
        units = [str(unit) for unit in matrix.units or ()]
        reference = np.array([truth.get(unit, np.nan) for unit in units])
        for place, judge in enumerate(matrix.raters):
            drafts.append(
                (
                    (judge, dimension or "overall"),
                    _beside(evidence, judge, dimension, reference, matrix.scores[:, place], units, labels),
                )
            )
    if drafts:
        columns = ("human_mean", "judge_mean", "judge_bias", "absolute_difference", "correlation", "labelled")
        yield make_table("people", ("rater", "dimension"), columns, drafts)


def _beside(
    evidence: ReportEvidence, judge: str, dimension: str, reference: FloatArray, scores: FloatArray, units: list[str],
    labels: HumanLabels,
) -> list[ReportCell]:  # fmt: skip
    level, scale = evidence.choices.level, evidence.scale(dimension or None)
    both = ~np.isnan(reference) & ~np.isnan(scores)
    labelled = tuple(unit for unit, there in zip(units, both, strict=True) if there)
    rows = where({"rater": judge, "unit": labelled}, dimension=dimension)
    human, given = reference[both], scores[both]
    clusters = labels.clusters_of(labelled)
    return [
        estimate_cell(clustered_mean(human, clusters, level=level), rows, "score", scale),
        estimate_cell(clustered_mean(given, clusters, level=level), rows, "score", scale),
        estimate_cell(clustered_mean(given - human, clusters, level=level), rows, "difference"),
        estimate_cell(clustered_mean(np.abs(given - human), clusters, level=level), rows, "score"),
        estimate_cell(pearson(np.column_stack([given, human]), clusters=clusters, level=level), rows, "coefficient"),
        number_cell(int(both.sum()), rows),
    ]


def _corrected(evidence: ReportEvidence, labels: HumanLabels) -> Iterator[Table]:
    truth = labels.scores.get("")
    if not truth:
        return
    matrix = evidence.primary.matrix()
    weights, _ = panel_weights(evidence.primary, None, renormalise=True)
    panel, _ = combine(matrix.scores, np.array([weights.get(judge, 0.0) for judge in matrix.raters]))
    units = [str(unit) for unit in matrix.units or ()]
    reference = np.array([truth.get(unit, np.nan) for unit in units])
    models = labels.models
    named, questions = np.array([models.get(unit, "") for unit in units]), labels.clusters_of(units)
    outputs = LabelledOutputs(reference, panel, named, questions, labels.probabilities_of(units))
    if pairs := compare_corrected(outputs, evidence.choices.level):
        yield corrected_table(pairs)
    drafts: list[Draft] = []
    for model in evidence.levels("target_model"):
        mine = np.array([models.get(unit) == model for unit in units])
        questions = labels.clusters_of([unit for unit, own in zip(units, mine, strict=True) if own])
        drafts.append(((model,), _corrected_cells(evidence, model, reference[mine], panel[mine], questions)))
    if labels.probabilities:
        return  # these means would count every label alike, though some outputs were likelier to be labelled
    yield make_table(
        "corrected", ("target_model",), ("corrected", "naive", "labels_only", "judge_bias", "gain", "labelled"), drafts
    )
    yield _calibration(evidence, reference, panel, units, labels)


def _corrected_cells(
    evidence: ReportEvidence, model: str, reference: FloatArray, panel: FloatArray, questions: NDArray[Any]
) -> list[ReportCell]:
    there = ~np.isnan(reference)
    found = prediction_powered_mean(
        reference[there], panel[there], panel[~there], clusters=(questions[there], questions[~there]),
        level=evidence.choices.level,
    )  # fmt: skip
    rows, scale = where({"target_model": model}), evidence.scale()
    return [
        estimate_cell(found.corrected, rows, "score", scale),
        estimate_cell(found.naive, rows, "score", scale),
        estimate_cell(found.labels_only, rows, "score", scale),
        estimate_cell(found.judge_bias, rows, "difference"),
        number_cell(
            found.effective_labels, rows, "score", method=say("method.label_equivalent"),
            reason="" if found.effective_labels is not None else found.corrected.reason,
        ),
        number_cell(int(there.sum()), rows),
    ]  # fmt: skip


def _calibration(
    evidence: ReportEvidence, reference: FloatArray, panel: FloatArray, units: list[str], labels: HumanLabels
) -> Table:
    both = ~np.isnan(reference) & ~np.isnan(panel)
    low, high = evidence.scale() or (float(panel[both].min()), float(panel[both].max()))
    edges = np.linspace(low, high, BINS + 1)
    bins = np.clip(np.digitize(panel, edges[1:-1]), 0, BINS - 1)
    drafts: list[Draft] = []
    for number in range(BINS):
        inside = both & (bins == number)
        if inside.any():
            mine = tuple(unit for unit, there in zip(units, inside, strict=True) if there)
            rows, clusters = where({"unit": mine}), labels.clusters_of(mine)
            means = [
                clustered_mean(each[inside], clusters, level=evidence.choices.level) for each in (panel, reference)
            ]
            cells = [estimate_cell(mean, rows, "score", (low, high)) for mean in means]
            cells.append(number_cell(int(inside.sum()), rows))
            drafts.append(((f"{edges[number]:g}–{edges[number + 1]:g}",), cells))
    return make_table("calibration", ("bin",), ("panel_mean", "human_mean", "labelled"), drafts)
