"""The errors of a panel against people: whether judges err together, and the weights that their errors would give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.stats.judges.learnt_weights import errors_against_reference, inverse_variance_weights
from venire.stats.judges.panel_dependence import panel_dependence
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.reports.human_labels import HumanLabels
    from venire.reports.report import Table


def panel_errors(evidence: ReportEvidence, labels: HumanLabels) -> Iterator[Table]:
    """Give the correlation of errors, the effective size of the panel, and weights learnt from people."""
    truth = labels.scores.get("")
    matrix = evidence.primary.matrix()
    if not truth or matrix.rater_count < 2:
        return
    units = [str(unit) for unit in matrix.units or ()]
    reference = np.array([truth.get(unit, np.nan) for unit in units])
    labelled = where({"unit": tuple(unit for unit in units if unit in truth)})
    found = panel_dependence(
        matrix.scores, reference, matrix.raters, clusters=labels.clusters_of(units), level=evidence.choices.level
    )
    cells = [
        estimate_cell(found.mean_correlation, labelled, "coefficient"),
        estimate_cell(found.effective_size, labelled, "score"),
    ]
    yield make_table("dependence", ("measured",), ("error_correlation", "effective_size"), [(("panel",), cells)])
    errors = errors_against_reference(matrix.scores, reference, matrix.raters)
    learnt = inverse_variance_weights(errors)
    drafts: list[Draft] = []
    for judge, error in errors.items():
        rows = where(labelled.where, {"rater": judge})
        weight = learnt.weights.get(judge)
        drafts.append(
            (
                (judge,),
                [
                    number_cell(error.variance, rows, "score", method=say("method.error_variance"), n=error.scores),
                    number_cell(weight, rows, "share", method=learnt.method, reason="" if weight else learnt.reason),
                ],
            )
        )
    yield make_table("weights_from_people", ("rater",), ("error_variance", "weight_learnt"), drafts)
