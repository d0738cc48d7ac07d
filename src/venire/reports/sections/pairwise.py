"""Pairwise: which model beats which, derived from the panel's scores, with strengths and their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, text_cell, where
from venire.reports.report import Column, Note, ReportCell, ReportSection
from venire.stats.comparison.score_comparisons import ScoreComparisons, compare_by_scores
from venire.stats.ratings.columns import column_of
from venire.stats.ratings.grouping import cluster_codes, number_groups
from venire.stats.ratings.panel_scores import panel_scores
from venire.words.said import Said, say

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.evidence import ReportEvidence
    from venire.stats.result import Estimate

MOST_MODELS = 30
"""Above so many models the win matrix is left out."""


def pairwise(evidence: ReportEvidence) -> ReportSection:
    """Compare every two models on the same questions, variants and further factors."""
    if evidence.primary.table.frame.is_empty():
        return ReportSection("pairwise", (Note("nothing.counts"),))
    models = evidence.levels("target_model")
    if len(models) < 2:
        alone = not evidence.without_scores("target_model")
        key = "pairwise.no_model" if not models else "pairwise.one_model" if alone else "pairwise.one_scored"
        return ReportSection("pairwise", (Note(key, {"model": "".join(models)}),))
    found = model_comparisons(evidence)
    if not found.wins.models:
        unscored = evidence.primary.scores().is_empty()
        reason = say("reason.no_overall") if unscored else say("reason.no_scale")
        return ReportSection("pairwise", (Note("pairwise.no_fit", {"reason": reason}, warning=True),))
    notes = [Note("pairwise.read", {"clusters": found.clusters})]
    if found.fit.reason:
        notes.append(Note("pairwise.no_fit", {"reason": _without_names(found.fit.reason)}, warning=True))
    columns = ("strength", "elo", "won", "tied", "lost")
    tables = [make_table("strengths", ("target_model",), columns, _strengths(found))]
    if len(found.wins.models) <= MOST_MODELS:
        names = [Column(str(model), str(model)) for model in found.wins.models]
        tables.append(make_table("win_matrix", ("target_model",), names, _win_matrix(found)))
    else:
        notes.append(Note("pairwise.many", {"models": len(found.wins.models)}))
    return ReportSection("pairwise", tuple(notes), tuple(tables))


def model_comparisons(evidence: ReportEvidence) -> ScoreComparisons:
    """Compare models cell by cell: a cell is a combination of question, variant and further factors.

    Where each model has several outputs in a cell, their mean is compared. Errors are clustered by question, or by cell
    if there is a single question.
    """
    frame = panel_scores(evidence.primary, renormalise=True).frame
    names = ("question_id", "prompt_variant", *evidence.matched)
    columns = [column_of(frame, name) for name in names if evidence.levels(name)]
    models, model = number_groups(frame, ["target_model"])
    # Without anything that outputs have in common, each is a cell of its own and meets no other.
    cells, cell = number_groups(frame, columns or ["unit"])
    flat = cell * models.height + model
    size = cells.height * models.height
    counts = np.bincount(flat, minlength=size)
    table = np.full(size, np.nan)
    np.divide(np.bincount(flat, weights=frame["score"].to_numpy(), minlength=size), counts, out=table, where=counts > 0)
    questions = np.zeros(cells.height, dtype=np.intp)
    questions[cell] = cluster_codes(frame)
    clusters = questions if len(np.unique(questions)) > 1 else np.arange(cells.height)
    names_of_models = [str(name) for name in models["target_model"]] if models.height else []
    return compare_by_scores(
        table.reshape(cells.height, models.height), names_of_models, clusters, level=evidence.choices.level
    )


def _strengths(found: ScoreComparisons) -> Iterator[Draft]:
    order = sorted(range(len(found.wins.models)), key=lambda place: -_rank(found, place))
    for place in order:
        model = str(found.wins.models[place])
        rows = where({"target_model": model})
        won, lost = found.wins.wins[place].sum(), found.wins.wins[:, place].sum()
        yield (
            (model,),
            [
                estimate_cell(_strength(found, place), rows, "difference"),
                number_cell(found.elo.ratings.get(model), rows, "count", method=found.elo.method),
                number_cell(float(won), rows),
                number_cell(float(found.wins.ties[place].sum()), rows),
                number_cell(float(lost), rows),
            ],
        )


def _strength(found: ScoreComparisons, place: int) -> Estimate:
    estimate = found.fit.strengths[place]
    return msgspec.structs.replace(estimate, reason=_without_names(estimate.reason))


def _without_names(reason: str) -> str:
    """Cut the list of models off a reason: the table shows them."""
    return say(reason.code.removesuffix("_named"), **reason.values) if isinstance(reason, Said) else reason


def _rank(found: ScoreComparisons, place: int) -> float:
    strength = found.fit.strengths[place].value
    wins = found.wins
    return strength if strength is not None else float(wins.wins[place].sum() - wins.wins[:, place].sum())


def _win_matrix(found: ScoreComparisons) -> Iterator[Draft]:
    """Yield the share of points of the model of the row against that of the column; a tie is half a point."""
    wins, ties = found.wins.wins, found.wins.ties
    met = wins + wins.T + ties
    for place, model in enumerate(found.wins.models):
        cells: list[ReportCell] = []
        for other, name in enumerate(found.wins.models):
            rows = where({"target_model": (str(model), str(name))})
            if place == other:
                cells.append(text_cell("–", where({"target_model": str(model)})))
                continue
            count = float(met[place, other])
            share = float(wins[place, other] + ties[place, other] / 2) / count if count else None
            reason = "" if count else say("reason.never_met")
            cells.append(
                number_cell(share, rows, "share", method=say("method.points_share"), reason=reason, n=round(count))
            )
        yield (str(model),), cells
