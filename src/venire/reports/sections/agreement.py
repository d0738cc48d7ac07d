"""Agreement between judges: alpha with its interval and band, other coefficients, and every two judges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.reports.cells import (
    Draft,
    correlation_cell,
    estimate_cell,
    make_table,
    number_cell,
    text_cell,
    where,
    word_cell,
)
from venire.reports.report import Column, Note, ReportCell, ReportSection, Rows, Table
from venire.reports.sections.judges.panel_matrix import panel_matrix
from venire.stats.agreement.bands import reliability_band
from venire.stats.agreement.chance_corrected import percent_agreement
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.agreement.icc import icc
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.agreement.matrix import agreement_matrix
from venire.stats.ratings.grouping import cluster_codes, first_of_each
from venire.stats.ratings.matrix import RatingMatrix, from_long, rating_matrix
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from venire.reports.evidence import ReportEvidence
    from venire.stats.result import Estimate

MOST_JUDGES = 60
"""Up to how many judges a matrix shows each with each."""
REPLICATES = 1000
"""How often units or questions are drawn again for the interval of alpha."""


def agreement(evidence: ReportEvidence) -> ReportSection:
    """Measure how far judges agree, on every dimension and overall; one judge alone agrees with nobody."""
    if evidence.primary.table.frame.is_empty():
        return ReportSection("agreement", (Note("nothing.counts"),))
    if len(evidence.primary.raters) < 2:
        key = "agreement.one_scored" if evidence.without_scores("rater") else "agreement.one_judge"
        return ReportSection("agreement", (Note(key, {"judge": evidence.primary.raters[0]}, warning=True),))
    tables = [
        make_table("alpha", ("dimension",), ("alpha", "band", "percent", "ac", "icc"), _alphas(evidence)),
        *verdict_agreement(evidence),
        *_matrix(evidence),
    ]
    key = "agreement.by_question" if len(evidence.levels("question_id")) > 1 else "agreement.by_output"
    return ReportSection("agreement", (Note("agreement.read"), Note(key, {"replicates": REPLICATES})), tuple(tables))


def _alphas(evidence: ReportEvidence) -> Iterator[Draft]:
    level = evidence.choices.level
    for dimension in (None, *evidence.dimensions):
        rows = where(dimension=dimension or "")
        alpha = _alpha(evidence, dimension)
        band = reliability_band(alpha)
        matrix = evidence.primary.matrix(dimension)
        clusters = panel_matrix(evidence.primary, dimension).questions
        few = len(matrix.coded.categories) <= 10
        yield (
            (dimension or "overall",),
            [
                estimate_cell(alpha, rows, "coefficient"),
                word_cell(f"reliability.{band.id}" if band else "", rows, reason="" if band else alpha.reason),
                estimate_cell(percent_agreement(matrix, clusters=clusters, level=level), rows, "share"),
                estimate_cell(gwet_ac(matrix, weights="quadratic", clusters=clusters, level=level), rows, "coefficient")
                if few
                else number_cell(
                    None, rows, "coefficient", method=say("method.gwet_ac2"), reason=say("reason.many_scores")
                ),
                estimate_cell(icc(matrix, "2,1", clusters=clusters, level=level), rows, "coefficient"),
            ],
        )


def _alpha(evidence: ReportEvidence, dimension: str | None) -> Estimate:
    matrix = panel_matrix(evidence.primary, dimension)
    return krippendorff_alpha(
        matrix.scores,
        "interval",
        replicates=REPLICATES,
        clusters=matrix.questions,
        level=evidence.choices.level,
        seed=evidence.choices.seed,
    )


def verdict_matrix(evidence: ReportEvidence) -> tuple[RatingMatrix, NDArray[Any] | None]:
    """Return the verdicts as units × judges, and the question of each unit; None if all are of one question."""
    import polars as pl

    frame = first_of_each(evidence.primary.table.frame.filter(pl.col("verdict").is_not_null()), ["unit", "rater"])
    units, raters, verdicts = (frame[name].cast(str).to_list() for name in ("unit", "rater", "verdict"))
    matrix = from_long(units, raters, list(map(evidence.class_of, units, verdicts)))
    first = first_of_each(frame, ["unit"])
    codes = dict(zip(first["unit"].cast(str), cluster_codes(first).tolist(), strict=True))
    clusters = np.array([codes[str(unit)] for unit in matrix.units or ()], dtype=np.intp)
    return matrix, clusters if len(np.unique(clusters)) > 1 else None


def verdict_agreement(evidence: ReportEvidence) -> Iterator[Table]:
    """Measure agreement on verdicts, which are names without distances, where there are verdicts."""
    if not evidence.levels("verdict"):
        return
    matrix, clusters = verdict_matrix(evidence)
    level = evidence.choices.level
    cells: list[ReportCell] = [
        estimate_cell(each, Rows(), unit)  # type: ignore[arg-type]
        for each, unit in (
            (percent_agreement(matrix, clusters=clusters, level=level), "share"),
            (fleiss_kappa(matrix, clusters=clusters, level=level), "coefficient"),
            (gwet_ac(matrix, clusters=clusters, level=level), "coefficient"),
            (
                krippendorff_alpha(
                    matrix, "nominal", replicates=REPLICATES, clusters=clusters, level=level, seed=evidence.choices.seed
                ),
                "coefficient",
            ),
        )
    ]
    yield make_table("verdicts", ("measured",), ("percent", "fleiss", "ac1", "alpha_nominal"), [(("verdict",), cells)])


def _matrix(evidence: ReportEvidence) -> Iterator[Table]:
    panel = panel_matrix(evidence.primary)
    if len(panel.judges) > MOST_JUDGES:
        return
    matrix = msgspec.structs.replace(rating_matrix(panel.scores), raters=panel.judges)
    found = agreement_matrix(matrix, "pearson", clusters=panel.questions, level=evidence.choices.level)
    drafts = []
    for judge, cells in zip(found.raters, found.cells, strict=True):
        drafts.append(((judge,), [_pair(judge, other, cell) for other, cell in zip(found.raters, cells, strict=True)]))
    yield make_table("pairs", ("rater",), [Column(judge, judge) for judge in found.raters], drafts)


def _pair(judge: str, other: str, estimate: Estimate | None) -> ReportCell:
    rows = where({"rater": (judge, other)})
    if estimate is None:
        return text_cell("–", rows)
    return correlation_cell(estimate, rows)
