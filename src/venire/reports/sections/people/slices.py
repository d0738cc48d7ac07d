"""Judges beside people slice by slice: where a judge can be trusted, and where it cannot."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.reports.sections.people.verdicts import agreement_cells, given_verdicts
from venire.stats.agreement.confusion_matrix import SMALLEST_SLICE, confusion_by_slice
from venire.stats.agreement.correlation import pearson
from venire.stats.ratings.columns import column_of
from venire.stats.ratings.grouping import first_of_each
from venire.stats.uncertainty.clustered import clustered_mean

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.reports.human_labels import HumanLabels
    from venire.reports.report import ReportCell, Rows, Table
    from venire.stats.observations import FloatArray

MANY = 12
"""How many levels of a factor are listed at most."""

HEADS = ("rater", "factor", "level")
"""What the rows of both tables are named by."""


class LabelledSlices:
    """The factors that outputs can be sliced by, and how many slices were too small to be shown."""

    def __init__(self, evidence: ReportEvidence) -> None:
        import polars as pl

        self.small = 0
        first = first_of_each(evidence.primary.table.frame, ["unit"])
        names = ("target_model", "prompt_variant", *evidence.further)
        varied = [name for name in names if 1 < len(evidence.levels(name)) <= MANY]
        units = first["unit"].cast(str).to_list()
        self.factors = {
            name: dict(zip(units, first[column_of(first, name)].cast(pl.String).to_list(), strict=True))
            for name in varied
        }
        questions = first["question_id"].cast(pl.String).to_list()
        self.questions = {
            unit: f"question {question}" if question else f"unit {unit}"
            for unit, question in zip(units, questions, strict=True)
        }

    def count_small(self, shown: int, levels: set[str | None]) -> None:
        """Take note of the slices that are not among those shown."""
        self.small += len(levels - {None, ""}) - shown


def score_slices(evidence: ReportEvidence, labels: HumanLabels, slices: LabelledSlices) -> Iterator[Table]:
    """Compare each judge's overall scores with people's inside each slice."""
    truth = labels.scores.get("")
    if not truth or not slices.factors:
        return
    matrix = evidence.primary.matrix()
    units = [str(unit) for unit in matrix.units or ()]
    drafts: list[Draft] = []
    for place, judge in enumerate(matrix.raters):
        given = dict(zip(units, matrix.scores[:, place].tolist(), strict=True))
        both = [unit for unit in units if unit in truth and not np.isnan(given[unit])]
        for factor, levels in slices.factors.items():
            inside = {level: [unit for unit in both if levels.get(unit) == level] for level in evidence.levels(factor)}
            shown = {level: mine for level, mine in inside.items() if len(mine) >= SMALLEST_SLICE}
            slices.count_small(len(shown), {levels.get(unit) for unit in both})
            for level, mine in shown.items():
                rows = where({"rater": judge, factor: level, "unit": tuple(mine)})
                pairs = np.array([(given[unit], truth[unit]) for unit in mine])
                questions = [slices.questions[unit] for unit in mine]
                drafts.append(((judge, factor, level), _score_cells(pairs, questions, rows, evidence.choices.level)))
    if drafts:
        columns = ("judge_bias", "absolute_difference", "correlation", "labelled")
        yield make_table("people_slices", HEADS, columns, drafts)


def _score_cells(pairs: FloatArray, questions: list[str], rows: Rows, level: float) -> list[ReportCell]:
    differences = pairs[:, 0] - pairs[:, 1]
    return [
        estimate_cell(clustered_mean(differences, questions, level=level), rows, "difference"),
        estimate_cell(clustered_mean(np.abs(differences), questions, level=level), rows, "score"),
        estimate_cell(pearson(pairs, clusters=questions, level=level), rows, "coefficient"),
        number_cell(len(pairs), rows),
    ]


def verdict_slices(evidence: ReportEvidence, labels: HumanLabels, slices: LabelledSlices) -> Iterator[Table]:
    """Compare each judge's verdicts with people's inside each slice."""
    drafts: list[Draft] = []
    for given in given_verdicts(evidence, labels):
        ours = [given.stated[unit] for unit in given.labelled]
        theirs = [labels.verdicts[unit] for unit in given.labelled]
        questions = [given.questions[unit] for unit in given.labelled]
        for factor, levels in slices.factors.items():
            level_of = np.array([levels.get(unit) or None for unit in given.labelled], dtype=object)
            found = confusion_by_slice(ours, theirs, level_of, clusters=questions, level=evidence.choices.level)
            slices.count_small(len(found), set(level_of.tolist()))
            for level, matrix in found.items():
                inside = tuple(unit for unit in given.labelled if levels.get(unit) == level)
                rows = where({"rater": given.judge, factor: level, "unit": inside})
                drafts.append(((given.judge, factor, level), agreement_cells(matrix, rows)))
    if drafts:
        yield make_table("people_verdict_slices", HEADS, ("same_verdict", "kappa", "labelled"), drafts)
