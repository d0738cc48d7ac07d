"""How far a judge's scores mean what people mean by them: reliability by score, recalibration, and a constant guess."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.domain.label import LabelPart
from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.stats.judges.recalibration import recalibrate
from venire.stats.uncertainty.clustered import clustered_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from venire.reports.evidence import ReportEvidence
    from venire.reports.human_labels import HumanLabels
    from venire.reports.report import ReportCell, Table
    from venire.stats.observations import FloatArray

BINS = 5
"""Into how many groups a judge's scores are cut for the reliability diagram."""


def reliability(evidence: ReportEvidence, labels: HumanLabels) -> Iterator[Table]:
    """Give the mean label at each height of a judge's overall scores, and what recalibration makes of its errors."""
    truth = labels.scores.get("")
    if not truth:
        return
    matrix = evidence.primary.matrix()
    units = [str(unit) for unit in matrix.units or ()]
    reference = np.array([truth.get(unit, np.nan) for unit in units])
    is_fit = np.array([labels.parts.get(unit) is LabelPart.FIT for unit in units])
    binned: list[Draft] = []
    errors: list[Draft] = []
    for place, judge in enumerate(matrix.raters):
        scores = matrix.scores[:, place]
        if not (~np.isnan(scores) & ~np.isnan(reference)).any():
            continue
        binned += bins_of(evidence, labels, judge, scores, reference, units)
        errors.append(((judge,), _errors(evidence, labels, judge, scores, reference, is_fit, units)))
    if binned:
        yield make_table("reliability", ("rater", "bin"), ("judge_mean", "human_mean", "labelled"), binned)
        columns = ("error", "error_recalibrated", "error_constant", "recalibration_gain", "fitted", "tested")
        yield make_table("recalibration", ("rater",), columns, errors)


def bins_of(
    evidence: ReportEvidence, labels: HumanLabels, judge: str, scores: FloatArray, reference: FloatArray,
    units: list[str],
) -> Iterator[Draft]:  # fmt: skip
    """Yield what a judge, or with no name the panel, and people gave on average in each part of the scale."""
    both = ~np.isnan(reference) & ~np.isnan(scores)
    low, high = evidence.scale() or (float(scores[both].min()), float(scores[both].max()))
    edges = np.linspace(low, high, BINS + 1)
    bins = np.digitize(scores, edges[1:-1])
    for number in range(BINS):
        inside = both & (bins == number)
        if not inside.any():
            continue
        mine = tuple(unit for unit, there in zip(units, inside, strict=True) if there)
        rows, clusters = where({"rater": judge, "unit": mine} if judge else {"unit": mine}), labels.clusters_of(mine)
        means = [clustered_mean(each[inside], clusters, level=evidence.choices.level) for each in (scores, reference)]
        cells = [estimate_cell(mean, rows, "score", (low, high)) for mean in means]
        name = f"{edges[number]:g}–{edges[number + 1]:g}"
        yield ((judge, name) if judge else (name,)), [*cells, number_cell(int(inside.sum()), rows)]


def _errors(
    evidence: ReportEvidence, labels: HumanLabels, judge: str, scores: FloatArray, reference: FloatArray,
    is_fit: NDArray[np.bool_], units: list[str],
) -> list[ReportCell]:  # fmt: skip
    there = ~np.isnan(scores) & ~np.isnan(reference)
    mine = tuple(unit for unit, own in zip(units, there, strict=True) if own)
    rows = where({"rater": judge, "unit": mine})
    found = recalibrate(
        scores[there], reference[there], is_fit[there], clusters=labels.clusters_of(mine), level=evidence.choices.level
    )
    return [
        *(estimate_cell(each, rows, "score") for each in (found.before, found.after, found.constant)),
        estimate_cell(found.gain, rows, "difference"), number_cell(found.fitted, rows), number_cell(found.tested, rows),
    ]  # fmt: skip
