"""Questions: how hard each is and how sharply it tells models apart, by the two-parameter logistic model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, where
from venire.reports.report import Note, ReportSection
from venire.stats.latent.item_response import FEWEST, item_response
from venire.stats.ratings.panel_scores import normalise, panel_scores
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from venire.reports.evidence import ReportEvidence
    from venire.stats.latent.item_response import ItemParameters
    from venire.stats.observations import FloatArray

PASSED = 6.0
"""The score on 0–10 from which on a question is passed: the grade is acceptable or better."""
PASSES = ("PASS", "C")
"""Verdicts that say so, where there are no scores."""
MOST_QUESTIONS = 1000
"""Above so many questions the model is not fitted in a report."""
LISTED = 100
"""How many questions are listed at most."""


def questions(evidence: ReportEvidence) -> ReportSection:
    """Show difficulty and discrimination of questions, where at least five models or judges make them estimable."""
    names, respondent = evidence.levels("question_id"), _respondent(evidence)
    count = len(evidence.levels(respondent)) if respondent else 0
    if not respondent:
        most = max(len(evidence.levels("target_model")), len(evidence.levels("rater")))
        reason = say("reason.few_respondents", found=most, least=FEWEST)
        return ReportSection("questions", (Note("questions.unknown", {"reason": reason}),))
    if len(names) > MOST_QUESTIONS:
        said = Note("questions.too_many", {"count": len(names), "most": MOST_QUESTIONS})
        return ReportSection("questions", (said,))
    found = item_response(_passes(evidence, respondent, names), names, level=evidence.choices.level)
    if found.reason:
        return ReportSection("questions", (Note("questions.unknown", {"reason": found.reason}),))
    kind = "verdicts" if evidence.has_verdicts_only else respondent
    notes = [Note(f"questions.read_{kind}", {"count": count})]
    hardest = sorted(found.items, key=_hardness, reverse=True)
    if len(hardest) > LISTED:
        notes.append(Note("questions.many", {"count": len(hardest), "shown": LISTED}))
    columns = ("difficulty", "discrimination", "passed_share", "respondents")
    table = make_table("questions", ("question_id",), columns, _rows(hardest[:LISTED]))
    return ReportSection("questions", tuple(notes), (table,))


def _respondent(evidence: ReportEvidence) -> str:
    """Return who passes or fails questions: models, or judges where models are too few; nobody if both are."""
    if evidence.has_verdicts_only:
        return "target_model" if len(evidence.levels("target_model")) >= FEWEST else ""
    return next((each for each in ("target_model", "rater") if len(evidence.levels(each)) >= FEWEST), "")


def _passes(evidence: ReportEvidence, respondent: str, names: tuple[str, ...]) -> FloatArray:
    """Return who passed what, respondents × questions: the mean of the scores there, held against `PASSED`."""
    import polars as pl

    if evidence.has_verdicts_only:
        is_pass = pl.col("verdict").cast(pl.String).is_in(PASSES)
        frame = evidence.primary.table.frame.with_columns(score=10.0 * is_pass.cast(pl.Float64))
    elif respondent == "target_model":
        frame = panel_scores(evidence.primary, renormalise=True).frame
    else:
        frame = evidence.primary.scores()
        scaled = normalise(*(frame[name] for name in ("score", "minimum", "maximum")))
        frame = frame.with_columns(score=pl.Series(scaled)).filter(pl.col("score").is_not_nan())
    means = _means(frame, respondent)
    rows = {name: place for place, name in enumerate(evidence.levels(respondent))}
    columns = {name: place for place, name in enumerate(names)}
    table = np.full((len(rows), len(columns)), np.nan)
    for name, question, score in means.iter_rows():
        if name in rows and question in columns:
            table[rows[name], columns[question]] = score >= PASSED - 1e-9
    return table


def _means(frame: pl.DataFrame, respondent: str) -> pl.DataFrame:
    import polars as pl

    keys = pl.col(respondent, "question_id").cast(pl.String)
    return frame.group_by(keys, maintain_order=True).agg(pl.col("score").mean())


def _hardness(item: ItemParameters) -> tuple[float, float]:
    """Order questions by difficulty; those that all passed or all failed by their share, beyond the others."""
    failed = 1 - item.passed / item.answered if item.answered else 0.5
    known = item.difficulty.value
    return (known if known is not None else (99.0 if failed == 1 else -99.0), failed)


def _rows(items: list[ItemParameters]) -> Iterator[Draft]:
    for item in items:
        rows = where({"question_id": str(item.item)})
        share = item.passed / item.answered if item.answered else None
        cells = [
            estimate_cell(item.difficulty, rows, "difference"),
            estimate_cell(item.discrimination, rows, "coefficient"),
            number_cell(share, rows, "share", method=say("method.count"), n=item.answered),
            number_cell(item.answered, rows),
        ]
        yield (str(item.item),), cells
