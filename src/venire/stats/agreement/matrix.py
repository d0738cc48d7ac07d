"""Agreement between every two raters, side by side."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, get_args

import msgspec

from venire.errors import UsageError
from venire.stats.agreement.chance_corrected import percent_agreement
from venire.stats.agreement.cohen_kappa import cohen_kappa
from venire.stats.agreement.correlation import kendall, pearson, spearman
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.agreement.icc import icc
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.ratings.matrix import RatingMatrix, rating_matrix
from venire.stats.result import Estimate
from venire.stats.uncertainty.jackknife import cluster_codes_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike

Measure = Literal[
    "pearson", "spearman", "kendall tau-b", "cohen kappa", "quadratic kappa", "gwet AC1", "percent agreement",
    "alpha nominal", "alpha ordinal", "alpha interval", "icc 2,1",
]  # fmt: skip
"""What can be measured between two raters."""

_MEASURES: dict[str, Callable[..., Estimate]] = {
    "pearson": pearson,
    "spearman": spearman,
    "kendall tau-b": kendall,
    "cohen kappa": cohen_kappa,
    "quadratic kappa": partial(cohen_kappa, weights="quadratic"),
    "gwet AC1": gwet_ac,
    "percent agreement": percent_agreement,
    "alpha nominal": partial(krippendorff_alpha, metric="nominal"),
    "alpha ordinal": partial(krippendorff_alpha, metric="ordinal"),
    "alpha interval": partial(krippendorff_alpha, metric="interval"),
    "icc 2,1": partial(icc, form="2,1"),
}


class AgreementMatrix(msgspec.Struct, frozen=True):
    """One measure of agreement for every two raters, each over the units that both rated."""

    measure: str
    """What was measured."""
    raters: tuple[str, ...]
    """The raters, in the order of rows and columns."""
    cells: tuple[tuple[Estimate | None, ...], ...]
    """Rows × columns; symmetric, with None on the diagonal, as agreement with oneself says nothing."""

    @property
    def values(self) -> tuple[tuple[float | None, ...], ...]:
        """The numbers alone; None on the diagonal and where agreement is not known."""
        return tuple(tuple(None if cell is None else cell.value for cell in row) for row in self.cells)


def agreement_matrix(
    ratings: object,
    measure: Measure = "pearson",
    *,
    categories: Sequence[object] | None = None,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
) -> AgreementMatrix:
    """Measure the agreement between every two raters of units × raters, pairwise complete.

    `clusters` names the cluster of each unit, such as its question.

    >>> agreement_matrix([[1, 1, 2], [2, 2, 1], [3, 3, 1]], "percent agreement").values[0][:2]
    (None, 1.0)
    """
    if measure not in _MEASURES:
        raise UsageError("error.stats.measure", known=get_args(Measure), found=measure)
    matrix = rating_matrix(ratings, categories=categories)
    count, codes = matrix.rater_count, cluster_codes_of(clusters, matrix.unit_count)
    cells: list[list[Estimate | None]] = [[None] * count for _ in range(count)]
    for row in range(count):
        for column in range(row):
            pair = _pair(matrix, column, row)
            cells[row][column] = cells[column][row] = _MEASURES[measure](pair, clusters=codes, level=level)
    return AgreementMatrix(measure, matrix.raters, tuple(tuple(row) for row in cells))


def _pair(matrix: RatingMatrix, first: int, second: int) -> RatingMatrix:
    columns = [first, second]
    return msgspec.structs.replace(
        matrix,
        values=matrix.values[:, columns],
        raters=(matrix.raters[first], matrix.raters[second]),
        missing=None if matrix.missing is None else matrix.missing[:, columns],
    )
