"""Numbers for the groups that the rows of a table make: by names, by combinations of names, and by questions.

Names are categories, so that groups are found by counting their codes; a query for each would take longer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from venire.stats.observations import IntArray

_SPARSE = 8
"""Codes are counted if at most so many are possible for each row, else sorted."""


def number_groups(frame: pl.DataFrame, columns: Sequence[str]) -> tuple[pl.DataFrame, IntArray]:
    """Give distinct combinations of columns numbers by first appearance; return them and the number of each row."""
    if not columns:
        return frame.select().head(0), np.zeros(frame.height, dtype=np.intp)
    codes, first = _number(frame, columns)
    return frame.select(columns)[first], codes


def first_of_each(frame: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
    """Return the first row of each combination of columns, in the order of the table."""
    first = _number(frame, columns)[1]
    return frame if len(first) == frame.height else frame[first]


def cluster_codes(frame: pl.DataFrame) -> IntArray:
    """Return the cluster of each row: its question, or the sample itself where the data has no questions."""
    keys, questions = number_groups(frame, ["question_id"])
    is_none = np.array([not name for name in keys["question_id"].to_list()], dtype=bool)
    if not is_none.any():
        return questions
    units = _number(frame, ["unit"])[0]
    clusters = np.where(is_none[questions], len(is_none) + units, questions)
    return _by_first_appearance(clusters, len(is_none) + len(clusters))[0]


def partition(codes: IntArray, count: int) -> tuple[IntArray, Sequence[tuple[int, int]]]:
    """Return the rows sorted by group, and where each group begins and ends among them."""
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=count)) if count else np.zeros(0, dtype=np.intp)
    return order, list(zip([0, *ends[:-1].tolist()], ends.tolist(), strict=True)) if count else []


def _number(frame: pl.DataFrame, columns: Sequence[str]) -> tuple[IntArray, IntArray]:
    """Return the number of each row's combination by first appearance, and the row where each stands first."""
    numbers, first = _by_first_appearance(*_codes(frame[columns[0]]))
    for name in columns[1:]:
        others, distinct = _by_first_appearance(*_codes(frame[name]))
        numbers, first = _by_first_appearance(numbers * len(distinct) + others, len(first) * len(distinct))
    return numbers, first


def _codes(column: pl.Series) -> tuple[IntArray, int]:
    """Return a number for each value, the same for equal ones, and a bound above all; missing values are equal."""
    import polars as pl

    if not isinstance(column.dtype, (pl.Categorical, pl.Enum)):
        keys = column.unique(maintain_order=True).to_frame("key")
        places = keys.with_columns(place=pl.int_range(pl.len()))
        joined = column.to_frame("key").join(places, on="key", how="left", nulls_equal=True, maintain_order="left")
        return joined["place"].to_numpy().astype(np.intp, copy=False), max(keys.height, 1)
    physical = column.to_physical()
    if physical.null_count():
        physical = physical.cast(pl.Int64).fill_null(-1)
    codes: IntArray = physical.to_numpy().astype(np.intp)
    codes += 1  # 0 is for what is missing
    return codes, int(codes.max(initial=0)) + 1


def _by_first_appearance(codes: IntArray, bound: int) -> tuple[IntArray, IntArray]:
    rows = len(codes)
    if bound > _SPARSE * max(rows, 1):
        distinct, codes = np.unique(codes, return_inverse=True)
        bound = len(distinct)
    seen = np.full(bound, rows)
    seen[codes[::-1]] = np.arange(rows - 1, -1, -1)  # Of rows with one code the last to be written stays: the first.
    first = np.sort(seen[seen < rows])
    numbers = np.zeros(bound, dtype=np.intp)
    numbers[codes[first]] = np.arange(len(first))
    return numbers[codes], first
