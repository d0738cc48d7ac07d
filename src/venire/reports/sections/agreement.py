"""Agreement between judges: alpha with its interval and band, other coefficients, and every two judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

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
from venire.reports.report import Cell, Column, Note, Rows, Section, Table
from venire.reports.sections.panel_matrix import panel_matrix
from venire.stats.agreement.agreement_matrix import agreement_matrix
from venire.stats.agreement.bands import reliability_band
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.agreement.icc import icc
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.agreement.percent_agreement import percent_agreement
from venire.stats.ratings.rating_matrix import RatingMatrix, from_long, rating_matrix

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import Material
    from venire.stats.result import Estimate

REPLICATES = 1000
"""How often units or questions are drawn again for the interval of alpha."""

FEW_QUESTIONS = 8
"""Below so many questions whole questions cannot be resampled sensibly, and outputs are resampled instead."""


def agreement(material: Material) -> Section:
    """Measure how far judges agree, on every dimension and overall; one judge alone agrees with nobody."""
    if material.primary.table.frame.is_empty():
        return Section("agreement", (Note("nothing.counts"),))
    if len(material.primary.raters) < 2:
        key = "agreement.one_scored" if material.without_scores("rater") else "agreement.one_judge"
        return Section("agreement", (Note(key, {"judge": material.primary.raters[0]}, warning=True),))
    tables = [
        make_table("alpha", ("dimension",), ("alpha", "band", "percent", "ac", "icc"), _alphas(material)),
        *verdict_agreement(material),
        *_matrix(material),
    ]
    key = "agreement.by_question" if _clusters_count(material) >= FEW_QUESTIONS else "agreement.by_output"
    return Section("agreement", (Note("agreement.read"), Note(key, {"replicates": REPLICATES})), tuple(tables))


def _alphas(material: Material) -> Iterator[Draft]:
    for dimension in (None, *material.dimensions):
        rows = where(dimension=dimension or "")
        alpha = _alpha(material, dimension)
        band = reliability_band(alpha)
        matrix = material.primary.matrix(dimension)
        few = len(matrix.coded.categories) <= 10
        yield (
            (dimension or "overall",),
            [
                estimate_cell(alpha, rows, "coefficient"),
                word_cell(f"reliability.{band.id}" if band else "", rows, reason="" if band else alpha.reason),
                estimate_cell(percent_agreement(matrix, level=material.choices.level), rows, "share", (0.0, 1.0)),
                estimate_cell(gwet_ac(matrix, weights="quadratic", level=material.choices.level), rows, "coefficient")
                if few
                else number_cell(None, rows, "coefficient", method="gwet AC2", reason="too many different scores"),
                estimate_cell(icc(matrix, "2,1", level=material.choices.level), rows, "coefficient"),
            ],
        )


def _alpha(material: Material, dimension: str | None) -> Estimate:
    matrix = panel_matrix(material.primary, dimension)
    by_question = _clusters_count(material) >= FEW_QUESTIONS
    return krippendorff_alpha(
        matrix.scores,
        "interval",
        replicates=REPLICATES,
        clusters=matrix.clusters if by_question else None,
        level=material.choices.level,
        seed=material.choices.seed,
    )


def _clusters_count(material: Material) -> int:
    return len(material.levels("question_id"))


def verdict_matrix(material: Material) -> RatingMatrix:
    """Return the verdicts as units × judges."""
    import polars as pl

    frame = material.primary.table.frame.filter(pl.col("verdict").is_not_null()).unique(
        ["unit", "rater"], keep="first", maintain_order=True
    )
    return from_long(*(frame[name].cast(str).to_list() for name in ("unit", "rater", "verdict")))


def verdict_agreement(material: Material) -> Iterator[Table]:
    """Measure agreement on verdicts, which are names without distances, where there are verdicts."""
    if not material.levels("verdict"):
        return
    matrix = verdict_matrix(material)
    level = material.choices.level
    cells: list[Cell] = [
        estimate_cell(each, Rows(), unit)  # type: ignore[arg-type]
        for each, unit in (
            (percent_agreement(matrix, level=level), "share"),
            (fleiss_kappa(matrix, level=level), "coefficient"),
            (gwet_ac(matrix, level=level), "coefficient"),
            (krippendorff_alpha(matrix, "nominal"), "coefficient"),
        )
    ]
    yield make_table("verdicts", ("measured",), ("percent", "fleiss", "ac1", "alpha_nominal"), [(("verdict",), cells)])


def _matrix(material: Material) -> Iterator[Table]:
    panel = panel_matrix(material.primary)
    if len(panel.judges) > 30:
        return
    matrix = msgspec.structs.replace(rating_matrix(panel.scores), raters=panel.judges)
    found = agreement_matrix(matrix, "pearson", level=material.choices.level)
    drafts = []
    for judge, cells in zip(found.raters, found.cells, strict=True):
        drafts.append(((judge,), [_pair(judge, other, cell) for other, cell in zip(found.raters, cells, strict=True)]))
    yield make_table("pairs", ("rater",), [Column(judge, judge) for judge in found.raters], drafts)


def _pair(judge: str, other: str, estimate: Estimate | None) -> Cell:
    rows = where({"rater": (judge, other)})
    if estimate is None:
        return text_cell("–", rows)
    return correlation_cell(estimate, rows)
