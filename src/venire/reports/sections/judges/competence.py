"""How competent judges are by models of hidden verdicts: what each model says, and whom all of them expose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, text_cell, where, word_cell
from venire.reports.report import Note, ReportCell, Rows, Table, Term
from venire.reports.words import number_text
from venire.stats.latent.judge_competence import MODELS, JudgeCompetence, ModelOfJudges, judge_competence
from venire.stats.ratings.grouping import cluster_codes, first_of_each
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from venire.reports.evidence import ReportEvidence

NO_VERDICTS = say("reason.no_verdicts")


def competence(evidence: ReportEvidence) -> tuple[list[Note], list[Table]]:
    """Infer from verdicts how often each judge is right; say why not where there are no verdicts or too few."""
    frame = _verdicts(evidence)
    if frame.is_empty():
        return [Note("competence.none", {"reason": NO_VERDICTS})], []
    units, judges, verdicts = (frame[name].cast(str).to_list() for name in ("unit", "rater", "verdict"))
    classes = list(map(evidence.class_of, units, verdicts))
    found = judge_competence(
        units, judges, classes, clusters=cluster_codes(frame), seed=evidence.choices.seed, level=evidence.choices.level
    )
    if found.reason:
        return [Note("competence.none", {"reason": found.reason})], []
    rows = where({"verdict": tuple(dict.fromkeys(verdicts))})
    notes = [Note("competence.read", begins=True), *_warnings(found)]
    order = tuple(dict.fromkeys(judges))
    return notes, [
        make_table("competence", ("rater",), (*MODELS, "verdict_count"), _by_judge(found, order, rows)),
        make_table(
            "competence_models", ("latent",), (*MODELS, "lowest_judge", "iterations", "converged", "outputs"),
            [_by_model(name, model, rows) for name, model in found.models.items()],
        ),
    ]  # fmt: skip


def _verdicts(evidence: ReportEvidence) -> pl.DataFrame:
    """Return one verdict for each output and judge."""
    import polars as pl

    frame = first_of_each(evidence.primary.table.frame, ["unit", "rater"])
    return frame.filter(pl.col("verdict").is_not_null() & (pl.col("verdict").cast(pl.String) != ""))


def _warnings(found: JudgeCompetence) -> Iterator[Note]:
    for judge in found.exposed:
        values = {name: model.competence[judge].value or 0.0 for name, model in found.models.items()}
        shown = {name: number_text(value, "share") for name, value in values.items()}
        yield Note("competence.exposed", {"judge": judge, **shown}, warning=True)
    if not found.exposed:
        yield Note("competence.nobody")
    for name, model in found.models.items():
        called = Term("text", f"latent.{name}")
        if not model.fit.converged:
            yield Note("competence.not_converged", {"model": called}, warning=True)
        if model.fit.against_majority:
            yield Note(
                "competence.against_majority", {"model": called, "count": model.fit.against_majority}, warning=True
            )


def _by_judge(found: JudgeCompetence, order: tuple[str, ...], rows: Rows) -> Iterator[Draft]:
    for judge in order:
        own = where(rows.where, {"rater": judge})
        models = found.models.values()
        cells = [estimate_cell(model.competence[judge], rows, "share", (0.0, 1.0)) for model in models]
        yield (judge,), [*cells, number_cell(found.votes[judge], own)]


def _by_model(name: str, model: ModelOfJudges, rows: Rows) -> Draft:
    same: list[ReportCell] = [
        text_cell("–", rows) if other == name else estimate_cell(model.same_class[other], rows, "share")
        for other in MODELS
    ]
    fit, lowest = model.fit, model.lowest
    return (
        (name,),
        [
            *same,
            word_cell("", rows, reason=say("reason.judges_alike")) if lowest is None else text_cell(lowest, rows),
            number_cell(fit.iterations, rows, method=fit.method),
            word_cell("yes" if fit.converged else "no", rows, method=fit.method),
            number_cell(fit.n["units"], rows),
        ],
    )
