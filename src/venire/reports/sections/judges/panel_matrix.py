"""The overall scores as units × judges on 0–10, with the question of each unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from venire.stats.ratings.grouping import cluster_codes, first_of_each
from venire.stats.ratings.panel_scores import normalise

if TYPE_CHECKING:
    from venire.stats.ratings.table import PrimarySet


class PanelMatrix(NamedTuple):
    """Scores of a panel, a row for each unit and a column for each judge."""

    units: tuple[str, ...]
    """The units, in the order of rows."""
    judges: tuple[str, ...]
    """The judges, in the order of columns."""
    scores: NDArray[np.float64]
    """The scores on 0–10, or as they were given where no scale is known; NaN where a judge gave none."""
    clusters: NDArray[Any]
    """The number of each unit's question."""

    @property
    def questions(self) -> NDArray[Any] | None:
        """The number of each unit's question; None if all units are of one, so that they stand for themselves."""
        return self.clusters if len(np.unique(self.clusters)) > 1 else None


def panel_matrix(primary: PrimarySet, dimension: str | None = None) -> PanelMatrix:
    """Return the scores of all judges on all units."""
    matrix = primary.matrix(dimension)
    frame = primary.scores(dimension)
    units = tuple(map(str, matrix.units or ()))
    clusters = cluster_codes(first_of_each(frame, ["unit"]))  # Units are numbered by first appearance too.
    scores = matrix.scores
    ranges = frame.select("minimum", "maximum").drop_nulls().unique()
    if ranges.height == 1 and scores.size:
        low, high = ranges.row(0)
        scores = normalise(scores, low, high)
    return PanelMatrix(units, matrix.raters, scores, clusters)
