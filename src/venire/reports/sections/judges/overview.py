"""The judges as instruments: validity, severity, consistency, agreement with the rest, and what each one moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.reports.cells import Draft, correlation_cell, estimate_cell, make_table, number_cell, where
from venire.reports.report import Note, ReportCell, ReportSection, Rows
from venire.reports.sections.judges.competence import competence
from venire.reports.sections.judges.panel_matrix import PanelMatrix, panel_matrix
from venire.reports.sections.judges.warnings import judge_warnings, misstated_overalls, retest_warnings
from venire.stats.agreement.correlation import pearson
from venire.stats.judges.learnt_weights import JudgeError, inverse_variance_weights
from venire.stats.judges.leave_one_out import LeftOut, leave_one_judge_out
from venire.stats.judges.leniency import Leniency
from venire.stats.judges.retests import RETEST, judge_retests
from venire.stats.ratings.grouping import cluster_codes
from venire.stats.ratings.panel_scores import panel_weights
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.reports.recorded.judge_work import StatedOverall
    from venire.stats.judges.retest_reliability import RetestReliability
    from venire.stats.result import Estimate

RETEST_COLUMNS = ("exact_match", "absolute_difference", "retest_correlation", "retest_icc")
INFLUENCE_COLUMNS = ("with_judge", "without_judge", "moved_by", "weight", "weight_learnt")


def judges(evidence: ReportEvidence, agreed: ReportSection) -> ReportSection:
    """Describe every judge that gave a reply, also those of which nothing counts; warnings rest on agreement too."""
    names = tuple(evidence.table.frame["rater"].unique(maintain_order=True).cast(str))
    if not names:
        return ReportSection("judges", (Note("nothing.recorded", warning=True),))
    columns = ("recorded", "valid", "counted", *(["misstated"] if evidence.stated else []))
    tables = [make_table("judges", ("rater",), columns, _validity(evidence, names))]
    notes = [Note("judges.valid_table")] if evidence.is_table else []
    notes += [Note("judges.read"), *misstated_overalls(evidence)]
    if not evidence.primary.table.frame.is_empty():
        matrix = panel_matrix(evidence.primary)
        tables.append(
            make_table(
                "severity", ("rater",), ("raw_mean", "leniency", "scatter", "with_rest"), _severity(evidence, matrix)
            )
        )
        notes += judge_warnings(evidence, agreed)
        again = _retests(evidence)
        retests = {name: again[name] for name in names if name in again}
        if retests:
            tables.append(make_table("retests", ("rater",), RETEST_COLUMNS, map(_retest_row, retests.items())))
            notes += retest_warnings({name: result for name, (result, _) in retests.items()})
        else:
            notes.append(Note("retests.none"))
        if len(matrix.judges) > 1:
            tables.append(make_table("leave_one_out", ("rater",), INFLUENCE_COLUMNS, _influence(evidence, matrix)))
            notes.append(Note("weights.learnt"))
        said, models = competence(evidence)
        notes += said
        tables += models
    return ReportSection("judges", tuple(notes), tuple(tables))


def _validity(evidence: ReportEvidence, names: tuple[str, ...]) -> Iterator[Draft]:
    import polars as pl

    scored = (pl.col("score").is_not_null() | pl.col("overall").is_not_null()).any()
    per_judgement = evidence.table.frame.group_by("judgement", maintain_order=True).agg(
        pl.col("rater", "status", "unit", "question_id").first(), scored.alias("scored")
    )
    counted = evidence.primary.table.frame["judgement"].unique().implode()
    per_judgement = per_judgement.with_columns(counted=per_judgement["judgement"].is_in(counted))
    for name in names:
        mine = per_judgement.filter(pl.col("rater").cast(pl.String) == name)
        valid = mine.select((pl.col("status").cast(pl.String) == "valid") & pl.col("scored")).to_series()
        share = clustered_share(valid.to_numpy(), cluster_codes(mine), level=evidence.choices.level)
        rows = where({"rater": name}, among="recorded")
        cells = [
            number_cell(mine.height, rows),
            estimate_cell(share, rows, "share"),
            number_cell(int(mine["counted"].sum()), where({"rater": name})),
        ]
        yield (name,), [*cells, _misstated(evidence.stated.get(name))] if evidence.stated else cells


def _misstated(stated: StatedOverall | None) -> ReportCell:
    if stated is None:
        return number_cell(None, Rows(), reason=say("reason.no_stated_overall"))
    rows = Rows(among="recorded", sequences=tuple(stated.sequences))
    return number_cell(len(stated.sequences), rows, n=stated.compared)


def _severity(evidence: ReportEvidence, matrix: PanelMatrix) -> Iterator[Draft]:
    for each in evidence.leniency:
        rows = where({"rater": each.judge})
        yield (
            (each.judge,),
            [
                estimate_cell(each.raw_mean, rows, "score", (0.0, 10.0)),
                estimate_cell(each.adjusted, Rows(), "difference"),
                estimate_cell(each.consistency, rows, "score"),
                correlation_cell(_with_rest(matrix, each, evidence.choices.level), Rows()),
            ],
        )


def _with_rest(matrix: PanelMatrix, each: Leniency, level: float) -> Estimate:
    place = matrix.judges.index(each.judge)
    others = np.delete(matrix.scores, place, axis=1)
    there = ~np.isnan(others)
    rest = np.full(len(others), np.nan)
    np.divide(np.where(there, others, 0.0).sum(axis=1), there.sum(axis=1), out=rest, where=there.any(axis=1))
    return pearson(np.column_stack([matrix.scores[:, place], rest]), clusters=matrix.questions, level=level)


def _retests(evidence: ReportEvidence) -> dict[str, tuple[RetestReliability, Rows]]:
    """Return how well each judge repeats itself, with the repeats of the samples that it was asked about twice."""
    import polars as pl

    choices = evidence.choices
    found = {}
    again = evidence.table.frame.filter(pl.col("repeat").cast(pl.String).str.starts_with(RETEST))
    for each in judge_retests(evidence.table, count_recovered=choices.count_recovered, level=choices.level):
        mine = again.filter(pl.col("rater").cast(pl.String) == each.judge)
        units = tuple(mine["unit"].unique(maintain_order=True).cast(str))
        found[each.judge] = each.overall, where({"rater": each.judge, "unit": units}, among="recorded")
    return found


def _retest_row(item: tuple[str, tuple[RetestReliability, Rows]]) -> Draft:
    name, (result, rows) = item
    return (
        (name,),
        [
            estimate_cell(result.exact_match, rows, "share"),
            estimate_cell(result.mean_absolute_difference, rows, "score"),
            correlation_cell(result.correlation, rows),
            estimate_cell(result.icc, rows, "coefficient"),
        ],
    )


def _influence(evidence: ReportEvidence, matrix: PanelMatrix) -> Iterator[Draft]:
    weights, _ = panel_weights(evidence.primary, None, renormalise=True)
    shares = [weights.get(judge, 0.0) for judge in matrix.judges]
    left_out = leave_one_judge_out(
        matrix.scores, matrix.judges, weights=shares, clusters=matrix.clusters, level=evidence.choices.level
    )
    learnt = _learnt_weights(evidence)
    for each, share in zip(left_out, shares, strict=True):
        # Scores whose scale is not known are as they were given, and may well lie beyond 10.
        ends = (0.0, 10.0) if evidence.scale() else None
        yield (each.judge,), _influence_cells(each, share, learnt.get(each.judge), ends)


def _influence_cells(
    each: LeftOut, share: float, learnt: float | None, ends: tuple[float, float] | None
) -> list[ReportCell]:
    return [
        estimate_cell(each.with_judge, Rows(), "score", ends),
        estimate_cell(each.without_judge, Rows(), "score", ends),
        estimate_cell(each.difference, Rows(), "difference"),
        number_cell(share, Rows(), "share", method=say("method.panel_weight")),
        number_cell(
            learnt, Rows(), "share", method=say("method.inverse_variance_many_facet"),
            reason="" if learnt is not None else say("reason.no_judge_error"),
        ),
    ]  # fmt: skip


def _learnt_weights(evidence: ReportEvidence) -> dict[str, float]:
    errors = {
        each.judge: JudgeError(
            None if each.consistency.value is None else each.consistency.value**2, each.consistency.n.get("scores", 0)
        )
        for each in evidence.leniency
    }
    return inverse_variance_weights(errors).weights
