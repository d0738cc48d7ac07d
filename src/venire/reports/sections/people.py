"""Against people: how judges compare with human labels, and what the labels make of the judges' means."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.reports.human_labels import HumanLabels, match_labels
from venire.reports.report import Cell, Column, Note, Rows, Section, Table
from venire.reports.sections.panel_errors import panel_errors
from venire.stats.correlation import pearson
from venire.stats.intervals import t_interval
from venire.stats.panel_scores import combine, panel_weights
from venire.stats.prediction_powered import prediction_powered_mean
from venire.stats.rogan_gladen import rogan_gladen

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.material import Material
    from venire.stats.observations import FloatArray

BINS = 5
"""Into how many groups the panel's means are cut for the calibration chart."""

PASS = "PASS"  # noqa: S105 - a verdict, no secret
"""The verdict whose share is corrected."""


def people(material: Material) -> Section:
    """Compare judges with people where people have labelled outputs."""
    if not material.labels:
        return Section("people", (Note("people.none"),))
    labels = match_labels(material)
    notes = [Note("people.read")]
    if labels.unmatched:
        notes.append(Note("people.unmatched", {"count": labels.unmatched}, warning=True))
    if material.primary.table.frame.is_empty() or not (labels.scores or labels.verdicts):
        return Section("people", (*notes, Note("people.no_match", warning=True)))
    tables = [*_by_judge(material, labels), *panel_errors(material, labels), *_corrected(material, labels)]
    tables += _verdicts(material, labels)
    return Section("people", tuple(notes), tuple(tables))


def _by_judge(material: Material, labels: HumanLabels) -> Iterator[Table]:
    drafts: list[Draft] = []
    for dimension in ("", *material.dimensions):
        truth = labels.scores.get(dimension)
        if not truth:
            continue
        matrix = material.primary.matrix(dimension or None)
        units = [str(unit) for unit in matrix.units or ()]
        reference = np.array([truth.get(unit, np.nan) for unit in units])
        for place, judge in enumerate(matrix.raters):
            drafts.append(
                (
                    (judge, dimension or "overall"),
                    _beside(material, judge, dimension, reference, matrix.scores[:, place], units),
                )
            )
    if drafts:
        columns = ("human_mean", "judge_mean", "judge_bias", "absolute_difference", "correlation", "labelled")
        yield make_table("people", ("rater", "dimension"), columns, drafts)


def _beside(
    material: Material, judge: str, dimension: str, reference: FloatArray, scores: FloatArray, units: list[str]
) -> list[Cell]:
    level, scale = material.choices.level, material.scale(dimension or None)
    both = ~np.isnan(reference) & ~np.isnan(scores)
    labelled = tuple(unit for unit, there in zip(units, both, strict=True) if there)
    rows = where({"rater": judge, "unit": labelled}, dimension=dimension)
    human, given = reference[both], scores[both]
    return [
        estimate_cell(t_interval(human, level=level), rows, "score", scale),
        estimate_cell(t_interval(given, level=level), rows, "score", scale),
        estimate_cell(t_interval(given - human, level=level), rows, "difference"),
        estimate_cell(t_interval(np.abs(given - human), level=level), rows, "score"),
        estimate_cell(pearson(np.column_stack([given, human]), level=level), rows, "coefficient"),
        number_cell(int(both.sum()), rows),
    ]


def _corrected(material: Material, labels: HumanLabels) -> Iterator[Table]:
    truth = labels.scores.get("")
    if not truth:
        return
    matrix = material.primary.matrix()
    weights, _ = panel_weights(material.primary, None, renormalise=True)
    panel, _ = combine(matrix.scores, np.array([weights.get(judge, 0.0) for judge in matrix.raters]))
    units = [str(unit) for unit in matrix.units or ()]
    reference = np.array([truth.get(unit, np.nan) for unit in units])
    models = labels.models
    drafts: list[Draft] = []
    for model in material.levels("target_model"):
        mine = np.array([models.get(unit) == model for unit in units])
        drafts.append(((model,), _corrected_cells(material, model, reference[mine], panel[mine])))
    yield make_table(
        "corrected", ("target_model",), ("corrected", "naive", "labels_only", "judge_bias", "gain", "labelled"), drafts
    )
    yield _calibration(material, reference, panel, units)


def _corrected_cells(material: Material, model: str, reference: FloatArray, panel: FloatArray) -> list[Cell]:
    there = ~np.isnan(reference)
    found = prediction_powered_mean(reference[there], panel[there], panel[~there], level=material.choices.level)
    rows, scale = where({"target_model": model}), material.scale()
    return [
        estimate_cell(found.corrected, rows, "score", scale),
        estimate_cell(found.naive, rows, "score", scale),
        estimate_cell(found.labels_only, rows, "score", scale),
        estimate_cell(found.judge_bias, rows, "difference"),
        number_cell(
            found.effective_labels, rows, "score", method="human labels that alone would give an interval as narrow",
            reason="" if found.effective_labels is not None else found.corrected.reason or "no observations",
        ),
        number_cell(int(there.sum()), rows),
    ]  # fmt: skip


def _calibration(material: Material, reference: FloatArray, panel: FloatArray, units: list[str]) -> Table:
    both = ~np.isnan(reference) & ~np.isnan(panel)
    low, high = material.scale() or (float(panel[both].min()), float(panel[both].max()))
    edges = np.linspace(low, high, BINS + 1)
    bins = np.clip(np.digitize(panel, edges[1:-1]), 0, BINS - 1)
    drafts: list[Draft] = []
    for number in range(BINS):
        inside = both & (bins == number)
        if inside.any():
            rows = where({"unit": tuple(unit for unit, there in zip(units, inside, strict=True) if there)})
            cells = [
                estimate_cell(t_interval(panel[inside], level=material.choices.level), rows, "score", (low, high)),
                estimate_cell(t_interval(reference[inside], level=material.choices.level), rows, "score", (low, high)),
                number_cell(int(inside.sum()), rows),
            ]
            drafts.append(((f"{edges[number]:g}–{edges[number + 1]:g}",), cells))
    return make_table("calibration", ("bin",), ("panel_mean", "human_mean", "labelled"), drafts)


def _verdicts(material: Material, labels: HumanLabels) -> Iterator[Table]:
    import polars as pl

    frame = material.primary.table.frame.filter(pl.col("verdict").is_not_null()).unique(
        ["unit", "rater"], keep="first", maintain_order=True
    )
    if not labels.verdicts or frame.is_empty():
        return
    given = frame.select(pl.col("unit", "rater", "verdict").cast(pl.String)).rows()
    human_names = list(dict.fromkeys(labels.verdicts.values()))
    confusion: list[Draft] = []
    shares: list[Draft] = []
    for judge in dict.fromkeys(rater for _, rater, _ in given):
        mine = [(unit, verdict) for unit, rater, verdict in given if rater == judge]
        pairs = [(verdict, labels.verdicts[unit]) for unit, verdict in mine if unit in labels.verdicts]
        for name in dict.fromkeys(verdict for verdict, _ in pairs):
            rows = where({"rater": judge, "verdict": name, "unit": tuple(labels.verdicts)})
            counts = [sum(pair == (name, human) for pair in pairs) for human in human_names]
            confusion.append(((judge, name), [number_cell(count, rows) for count in counts]))
        shares.append(((judge,), _pass_cells(judge, mine, pairs, material.choices.level)))
    yield make_table("confusion", ("rater", "verdict"), [Column(name, name) for name in human_names], confusion)
    if PASS in human_names:
        columns = ("corrected", "naive", "sensitivity", "specificity", "labelled")
        yield make_table("corrected_pass", ("rater",), columns, shares)


def _pass_cells(judge: str, mine: list[tuple[str, str]], pairs: list[tuple[str, str]], level: float) -> list[Cell]:
    found = rogan_gladen(
        sum(verdict == PASS for _, verdict in mine),
        len(mine),
        true_positives=sum(pair == (PASS, PASS) for pair in pairs),
        human_positives=sum(human == PASS for _, human in pairs),
        true_negatives=sum(PASS not in pair for pair in pairs),
        human_negatives=sum(human != PASS for _, human in pairs),
        level=level,
    )
    rows: Rows = where({"rater": judge})
    estimates = (found.corrected, found.naive, found.sensitivity, found.specificity)
    return [*(estimate_cell(each, rows, "share") for each in estimates), number_cell(len(pairs), rows)]
