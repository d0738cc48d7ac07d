"""Agreement between every two raters, side by side."""

from __future__ import annotations

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

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Measure = Literal[
    "pearson", "spearman", "kendall tau-b", "cohen kappa", "quadratic kappa", "gwet AC1", "percent agreement",
    "alpha nominal", "alpha ordinal", "alpha interval", "icc 2,1",
]  # fmt: skip
"""What can be measured between two raters."""

_MEASURES: dict[str, Callable[[RatingMatrix, float], Estimate]] = {
    "pearson": lambda pair, level: pearson(pair, level=level),
    "spearman": lambda pair, level: spearman(pair, level=level),
    "kendall tau-b": lambda pair, level: kendall(pair, level=level),
    "cohen kappa": lambda pair, level: cohen_kappa(pair, level=level),
    "quadratic kappa": lambda pair, level: cohen_kappa(pair, weights="quadratic", level=level),
    "gwet AC1": lambda pair, level: gwet_ac(pair, level=level),
    "percent agreement": lambda pair, level: percent_agreement(pair, level=level),
    "alpha nominal": lambda pair, _: krippendorff_alpha(pair, "nominal"),
    "alpha ordinal": lambda pair, _: krippendorff_alpha(pair, "ordinal"),
    "alpha interval": lambda pair, _: krippendorff_alpha(pair, "interval"),
    "icc 2,1": lambda pair, level: icc(pair, "2,1", level=level),
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
    level: float = 0.95,
) -> AgreementMatrix:
    """Measure the agreement between every two raters of units × raters, pairwise complete.

    >>> agreement_matrix([[1, 1, 2], [2, 2, 1], [3, 3, 1]], "percent agreement").values[0][:2]
    (None, 1.0)
    """
    if measure not in _MEASURES:
        raise UsageError("error.stats.measure", known=get_args(Measure), found=measure)
    matrix = rating_matrix(ratings, categories=categories)
    count = matrix.rater_count
    cells: list[list[Estimate | None]] = [[None] * count for _ in range(count)]
    for row in range(count):
        for column in range(row):
            cells[row][column] = cells[column][row] = _MEASURES[measure](_pair(matrix, column, row), level)
    return AgreementMatrix(measure, matrix.raters, tuple(tuple(row) for row in cells))


def _pair(matrix: RatingMatrix, first: int, second: int) -> RatingMatrix:
    columns = [first, second]
    return msgspec.structs.replace(
        matrix,
        values=matrix.values[:, columns],
        raters=(matrix.raters[first], matrix.raters[second]),
        missing=None if matrix.missing is None else matrix.missing[:, columns],
    )
