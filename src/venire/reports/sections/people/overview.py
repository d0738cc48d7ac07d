"""Against people: how judges compare with human labels, and what the labels make of the judges' means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from msgspec.structs import replace

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.reports.human_labels import HumanLabels, match_labels
from venire.reports.report import Note, ReportCell, ReportSection, Table
from venire.reports.sections.people.corrected_comparisons import LabelledOutputs, compare_corrected, corrected_table
from venire.reports.sections.people.pairs import pairs_beside_people
from venire.reports.sections.people.panel_errors import panel_errors
from venire.reports.sections.people.reliability import bins_of, reliability
from venire.reports.sections.people.slices import LabelledSlices, score_slices, verdict_slices
from venire.reports.sections.people.verdicts import verdicts_beside_people
from venire.stats.agreement.confusion_matrix import SMALLEST_SLICE
from venire.stats.agreement.correlation import pearson
from venire.stats.ratings.panel_scores import combine, panel_weights
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.corrected_difference import CorrectedDifference, corrected_difference
from venire.stats.uncertainty.prediction_powered import PredictionPoweredMean, prediction_powered_mean
from venire.stats.uncertainty.stratified_correction import stratified_mean
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from venire.reports.evidence import ReportEvidence
    from venire.stats.observations import FloatArray


def people(evidence: ReportEvidence) -> ReportSection:
    """Compare judges with people where people have labelled outputs."""
    by_models = list(_beside_models(evidence))
    marked = [Note("people.by_models", {"count": len(evidence.model_labels)}, warning=True)] if by_models else []
    on_pairs = pairs_beside_people(evidence)
    if not evidence.labels:
        said = on_pairs.notes or (Note("people.none"),)
        return ReportSection("people", (*said, *marked), (*on_pairs.tables, *by_models))
    labels = match_labels(evidence)
    notes = [Note("people.read")]
    if labels.probabilities:
        notes = [Note("people.weighted")]
    notes += marked
    if evidence.undrawn_labels:
        notes.append(Note("people.undrawn", {"count": evidence.undrawn_labels}, warning=True))
    if labels.unmatched:
        notes.append(Note("people.unmatched", {"count": labels.unmatched}, warning=True))
    if evidence.primary.table.frame.is_empty() or not (labels.scores or labels.verdicts):
        notes += [*on_pairs.notes, Note("people.no_match", warning=True)]
        return ReportSection("people", tuple(notes), (*on_pairs.tables, *by_models))
    tables = [*_by_judge(evidence, labels), *panel_errors(evidence, labels), *_corrected(evidence, labels)]
    tables += [*reliability(evidence, labels), *verdicts_beside_people(evidence, labels)]
    slices = LabelledSlices(evidence)
    tables += [*score_slices(evidence, labels, slices), *verdict_slices(evidence, labels, slices)]
    if slices.small:
        notes.append(Note("people.small_slices", {"count": slices.small, "smallest": SMALLEST_SLICE}))
    return ReportSection("people", (*notes, *on_pairs.notes), (*on_pairs.tables, *tables, *by_models))


def _beside_models(evidence: ReportEvidence) -> Iterator[Table]:
    """Compare judges with labels that models made, in a table that says so."""
    if evidence.model_labels and not evidence.primary.table.frame.is_empty():
        yield from _by_judge(evidence, match_labels(evidence, evidence.model_labels), "model_labels")


def _by_judge(evidence: ReportEvidence, labels: HumanLabels, name: str = "people") -> Iterator[Table]:
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
        given = "human_mean" if name == "people" else "model_mean"
        columns = (given, "judge_mean", "judge_bias", "absolute_difference", "correlation", "labelled")
        yield make_table(name, ("rater", "dimension"), columns, drafts)


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
    if not matrix.units:  # The judges gave verdicts alone.
        return
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
    variants = np.array([labels.variants.get(unit, "") for unit in units])
    for model in evidence.levels("target_model"):
        mine = np.array([models.get(unit) == model for unit in units])
        questions = labels.clusters_of([unit for unit, own in zip(units, mine, strict=True) if own])
        chances = None if outputs.probabilities is None else outputs.probabilities[mine]
        cells = _corrected_cells(evidence, model, reference[mine], panel[mine], questions, chances)
        if not labels.probabilities:
            cells[0] = _by_variant(evidence, reference[mine], panel[mine], variants[mine], questions) or cells[0]
            cells[0] = replace(cells[0], rows=cells[1].rows)
        drafts.append(((model,), cells))
    yield make_table(
        "corrected", ("target_model",), ("corrected", "naive", "labels_only", "judge_bias", "gain", "labelled"), drafts
    )
    drafts = list(bins_of(evidence, labels, "", panel, reference, units))
    yield make_table("calibration", ("bin",), ("panel_mean", "human_mean", "labelled"), drafts)


def _by_variant(
    evidence: ReportEvidence, reference: FloatArray, panel: FloatArray, variants: NDArray[Any], questions: NDArray[Any]
) -> ReportCell | None:
    """Return the mean corrected in each prompt variant by itself; None where there is one, or labels are too few."""
    if len(set(variants.tolist())) < 2:
        return None
    found = stratified_mean(reference, panel, variants, clusters=questions, level=evidence.choices.level).corrected
    if found.low is None:
        return None
    method = say("method.by_slices", method=found.method, factor="prompt_variant")
    return estimate_cell(replace(found, method=method), where({}), "score", evidence.scale())


def _corrected_cells(
    evidence: ReportEvidence, model: str, reference: FloatArray, panel: FloatArray, questions: NDArray[Any],
    chances: NDArray[np.float64] | None,
) -> list[ReportCell]:  # fmt: skip
    there, level = ~np.isnan(reference), evidence.choices.level
    found: PredictionPoweredMean | CorrectedDifference
    if chances is None:
        by = (questions[there], questions[~there])
        found = prediction_powered_mean(reference[there], panel[there], panel[~there], clusters=by, level=level)
    else:
        found = corrected_difference(
            reference, panel, np.ones(len(panel), dtype=bool), clusters=questions, probabilities=chances, level=level
        )
    error, alone = found.corrected.standard_error, found.labels_only.standard_error
    worth = int(there.sum()) * (alone / error) ** 2 if alone and error else None
    rows, scale = where({"target_model": model}), evidence.scale()
    return [
        estimate_cell(found.corrected, rows, "score", scale),
        estimate_cell(found.naive, rows, "score", scale),
        estimate_cell(found.labels_only, rows, "score", scale),
        estimate_cell(found.judge_bias, rows, "difference"),
        number_cell(
            worth, rows, "score", method=say("method.label_equivalent"),
            reason="" if worth is not None else found.corrected.reason or found.labels_only.reason,
        ),
        number_cell(int(there.sum()), rows),
    ]  # fmt: skip
