"""Two sides compared as people would score them: the judges' difference corrected by people's labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from venire.reports.human_labels import match_labels
from venire.stats.ratings.grouping import number_groups
from venire.stats.ratings.panel_scores import normalise
from venire.stats.uncertainty.corrected_difference import CorrectedDifference, corrected_difference

if TYPE_CHECKING:
    import polars as pl

    from venire.reports.evidence import ReportEvidence


class LabelScores(NamedTuple):
    """What people said of units."""

    scores: dict[str, float]
    """The mean label of each unit, on the panel's 0–10."""
    probabilities: dict[str, float]
    """How likely each labelled unit was to be chosen; empty if all were equally likely."""


def label_scores(material: ReportEvidence, dimension: str = "") -> LabelScores:
    """Return what people scored on a dimension or overall, on 0–10; empty if nobody did or no scale is known."""
    scale = material.scale(dimension or None)
    if not material.labels or scale is None:
        return LabelScores({}, {})
    labels = match_labels(material)
    given = labels.scores.get(dimension, {})
    brought = normalise(list(given.values()), *scale).tolist() if given else []
    return LabelScores(dict(zip(given, brought, strict=True)), labels.probabilities)


def corrected_scores(
    first: pl.DataFrame, second: pl.DataFrame, labels: tuple[LabelScores, LabelScores], level: float
) -> CorrectedDifference | None:
    """Correct second minus first by the labels of either side; None if no output of either is labelled.

    Errors are clustered by question, or by the name of the output where the data has no questions.
    """
    import polars as pl

    frame = pl.concat(
        [side.select(pl.col("unit", "question_id", "output_id").cast(pl.String), "score") for side in (first, second)]
    )
    is_second = np.arange(frame.height) >= first.height
    units = frame["unit"].to_list()
    sides = list(zip(units, (labels[int(side)] for side in is_second), strict=True))
    known = [side.scores.get(unit, np.nan) for unit, side in sides]
    is_weighted = any(side.probabilities for side in labels)
    chances = [side.probabilities.get(unit, 1.0) for unit, side in sides] if is_weighted else None
    if np.isnan(known).all():
        return None
    questions = frame["question_id"].fill_null("")
    column = "question_id" if questions.n_unique() > 1 else "output_id"
    clusters = number_groups(frame, [column])[1]
    judged = frame["score"].to_numpy()
    return corrected_difference(known, judged, is_second, clusters=clusters, probabilities=chances, level=level)
