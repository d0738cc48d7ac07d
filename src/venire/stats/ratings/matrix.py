"""The shared input of the agreement measures: which rater gave which unit which rating, with gaps."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import numpy as np

from venire.errors import InputError, UsageError
from venire.stats.ratings.patterns import RatingPatterns, collapse
from venire.stats.ratings.source import (
    Array,
    code_labels,
    code_numbers,
    is_missing_label,
    read_columns,
    read_table,
    read_vector,
)
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

Metric = Literal["nominal", "ordinal", "interval", "ratio"]
"""How far apart two ratings are: different or not, by rank, by difference, or by proportion."""


class Coded(msgspec.Struct, frozen=True, eq=False):
    """Ratings as small numbers that stand for categories."""

    codes: Array
    """Units × raters: positions in `categories`; the number of categories stands for a missing rating."""
    categories: Array
    """The categories, lowest first for numbers, in the order given or first met for labels."""


class RatingMatrix(msgspec.Struct, frozen=True, eq=False, dict=True):
    """Units × raters with gaps; made by `rating_matrix` or `from_long`."""

    values: Array
    """The ratings: floats where NaN is missing, integers, or positions in `labels` where −1 is missing."""
    raters: tuple[str, ...]
    """The names of the raters, one for each column."""
    units: tuple[object, ...] | None = None
    """The names of the units, one for each row; None if rows have no names."""
    missing: Array | None = None
    """Where an integer is no rating; None if every integer is one."""
    labels: tuple[object, ...] | None = None
    """The labels that ratings stand for; None if ratings are numbers."""
    scale: tuple[float, ...] | None = None
    """All numbers that the scale has, rising; None if only those that occur are known."""
    ordered: bool = True
    """Whether the ratings have an order: numbers do, labels only if it was given."""

    @property
    def unit_count(self) -> int:
        """The number of rows."""
        return int(self.values.shape[0])

    @property
    def rater_count(self) -> int:
        """The number of columns."""
        return int(self.values.shape[1])

    @cached_property
    def coded(self) -> Coded:
        """The ratings as positions in a list of categories."""
        if self.labels is not None:
            count = len(self.labels)
            kind = np.uint8 if count < 256 else np.int32
            return Coded(np.where(self.values < 0, count, self.values).astype(kind), np.arange(count, dtype=np.float64))
        scale = None if self.scale is None else np.asarray(self.scale)
        return Coded(*code_numbers(self.values, self.missing, scale))

    @cached_property
    def patterns(self) -> RatingPatterns:
        """The units collapsed to patterns; made once for all measures that need them."""
        return collapse(self)

    @cached_property
    def scores(self) -> Array:
        """The ratings as floats with NaN for missing ones; ordered labels give their rank from 0 on."""
        if self.values.dtype == np.float64 and self.labels is None:
            return self.values
        scores = self.values.astype(np.float64)
        gaps = self.values < 0 if self.labels is not None else self.missing
        if gaps is not None:
            scores[gaps] = np.nan
        return scores

    @cached_property
    def present(self) -> Array:
        """Where there is a rating."""
        if self.labels is not None:
            return self.values >= 0
        if self.values.dtype.kind == "f":
            return ~np.isnan(self.values)
        return np.ones(self.values.shape, dtype=bool) if self.missing is None else ~self.missing

    @cached_property
    def rating_counts(self) -> Array:
        """How many ratings each unit has."""
        if self.labels is None and self.missing is None and self.values.dtype.kind != "f":
            return np.full(self.unit_count, self.rater_count)
        return np.asarray(self.present.sum(axis=1))

    def require(self, metric: Metric) -> None:
        """Raise `UsageError` if the ratings cannot be measured in this way."""
        if metric == "nominal" or self.labels is None:
            return
        if metric != "ordinal":
            raise UsageError("error.stats.labels_not_numbers", metric=metric, found=repr(self.labels[:3]))
        if not self.ordered:
            raise UsageError("error.stats.labels_without_order", found=repr(self.labels[:5]))


def rating_matrix(
    data: object, *, categories: Sequence[object] | None = None, raters: Sequence[str] | None = None
) -> RatingMatrix:
    """Make a rating matrix from units × raters: an array, lists of rows, or a data frame with a column for each rater.

    Every measure makes one of what it is given; making it once for several measures saves their common work.
    None, NaN, null and masked entries are missing. `categories` lists the whole scale, lowest first: it gives labels
    their order, and counts categories that nobody used. A rating outside of it raises `InputError`.

    >>> rating_matrix([["good", "good"], ["bad", None]], categories=["bad", "good"]).scores.tolist()
    [[1.0, 1.0], [0.0, nan]]
    """
    if isinstance(data, RatingMatrix):
        if categories is not None or raters is not None:
            raise UsageError("error.stats.late_categories")
        return data
    table, mask, names = read_table(data)
    if raters is not None and len(raters) != table.shape[1]:
        raise InputError("error.stats.rater_names", raters=table.shape[1], found=len(raters))
    names = tuple(raters) if raters is not None else names
    return _build(table, mask, names, None, categories)


def from_long(
    units: object, raters: object, values: object, *, categories: Sequence[object] | None = None
) -> RatingMatrix:
    """Make a rating matrix from three columns of equal length: which unit, which rater, what rating.

    Units and raters stand in the order in which they first appear. A unit that a rater rated twice raises `InputError`:
    one of the two would be lost.

    >>> from_long(["a", "a", "b"], ["x", "y", "y"], [1, 2, 3]).scores.tolist()
    [[1.0, 2.0], [nan, 3.0]]
    """
    unit_column, rater_column = read_vector(units), read_vector(raters)
    rating_column, rating_mask = read_columns([values])
    if not len(unit_column) == len(rater_column) == len(rating_column):
        raise InputError(
            "error.stats.three_columns", units=len(unit_column), raters=len(rater_column), values=len(rating_column)
        )
    unit_codes, unit_names = code_labels(unit_column)
    rater_codes, rater_names = code_labels(rater_column)
    for kind, names in (("unit", unit_names), ("rater", rater_names)):
        if any(is_missing_label(name) for name in names):
            raise InputError(f"error.stats.unnamed_{kind}")
    shape = (len(unit_names), len(rater_names))
    cells = unit_codes * max(shape[1], 1) + rater_codes
    taken = np.bincount(cells, minlength=shape[0] * shape[1])
    if taken.size and taken.max() > 1:
        unit, rater = divmod(int(taken.argmax()), shape[1])
        raise InputError(
            "error.stats.rated_times", count=int(taken.max()), unit=unit_names[unit], rater=rater_names[rater]
        )
    ratings = rating_column[:, 0]
    table = np.zeros(shape, dtype=ratings.dtype) if ratings.dtype != object else np.full(shape, None, dtype=object)
    table.reshape(-1)[cells] = ratings
    mask = (taken == 0).reshape(shape)
    if rating_mask is not None:
        mask.reshape(-1)[cells] |= rating_mask[:, 0]
    return _build(table, mask, tuple(str(name) for name in rater_names), tuple(unit_names), categories)


def _build(
    table: Array,
    mask: Array | None,
    raters: tuple[str, ...],
    units: tuple[object, ...] | None,
    categories: Sequence[object] | None,
) -> RatingMatrix:
    if table.dtype == object:
        return _from_labels(table, mask, raters, units, categories)
    if table.dtype.kind == "f":
        if mask is not None:
            table = np.where(mask, np.nan, table)
        if np.isinf(table).any():
            row, column = (int(index) for index in np.argwhere(np.isinf(table))[0])
            raise InputError(
                "error.stats.not_finite",
                where=say("error.stats.rating_at", unit=row, rater=raters[column]),
                found=str(table[row, column]),
            )
        mask = None
    elif mask is not None and not mask.any():
        mask = None
    matrix = RatingMatrix(values=table, raters=raters, units=units, missing=mask)
    return matrix if categories is None else _on_scale(matrix, categories)


def _on_scale(matrix: RatingMatrix, categories: Sequence[object]) -> RatingMatrix:
    try:
        scale = np.unique(np.asarray(categories, dtype=np.float64))
    except (TypeError, ValueError):
        scale = np.empty(0)
    outside = matrix.present & ~np.isin(matrix.values, scale)
    if outside.any():
        row, column = (int(index) for index in np.argwhere(outside)[0])
        raise _outside(matrix.values[row, column], categories, row, matrix.raters[column])
    return msgspec.structs.replace(matrix, scale=tuple(scale.tolist()))


def _from_labels(
    table: Array,
    mask: Array | None,
    raters: tuple[str, ...],
    units: tuple[object, ...] | None,
    categories: Sequence[object] | None,
) -> RatingMatrix:
    known: dict[Any, int] = {} if categories is None else {label: code for code, label in enumerate(categories)}
    codes = np.full(table.shape, -1, dtype=np.int32)
    for row, column in np.ndindex(table.shape):
        label = table[row, column]
        if is_missing_label(label) or (mask is not None and mask[row, column]):
            continue
        if categories is not None and label not in known:
            raise _outside(label, categories, row, raters[column])
        codes[row, column] = known.setdefault(label, len(known))
    return RatingMatrix(values=codes, raters=raters, units=units, labels=tuple(known), ordered=categories is not None)


def _outside(found: object, categories: Sequence[object], row: int, rater: str) -> InputError:
    return InputError(
        "error.stats.category",
        where=say("error.stats.rating_at", unit=row, rater=rater),
        known=repr(list(categories)),
        found=repr(found),
    )
