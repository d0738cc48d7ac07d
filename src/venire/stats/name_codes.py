"""Names as numbers, without sorting each of them: by a dictionary, or by the codes that a categorical column has."""

from __future__ import annotations

import math
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Coded = tuple[NDArray[Any], NDArray[np.intp]]
    """The distinct names in sorted order, and the number at each position; −1 where a name is missing."""


def code_values(values: Sequence[Any]) -> Coded:
    """Give hashable values numbers; None, NaN and infinite numbers are missing."""
    numbers: defaultdict[Any, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    codes: NDArray[Any]
    try:  # Bytes are made faster than an array of integers; more names than a byte can hold soon end it.
        codes = np.frombuffer(bytes(map(numbers.__getitem__, values)), dtype=np.uint8)
    except ValueError:
        codes = np.fromiter(map(numbers.__getitem__, values), dtype=np.intp, count=len(values))
    return _in_order(list(numbers), codes)


def code_lists(first: Any, second: Any) -> tuple[NDArray[Any], NDArray[np.uint8], NDArray[np.uint8]] | None:
    """Give the names of two lists of text common numbers of a byte each; None for others, and for too many names."""
    if not all(isinstance(each, list) and each and isinstance(each[0], str) for each in (first, second)):
        return None
    numbers: defaultdict[Any, int] = defaultdict()
    numbers.default_factory = numbers.__len__
    try:
        codes = [bytes(map(numbers.__getitem__, each)) for each in (first, second)]
    except ValueError:
        return None
    distinct, table = _in_order(list(numbers), np.arange(len(numbers)))
    if len(distinct) < len(numbers):
        return None
    one, two = (np.frombuffer(each, dtype=np.uint8) for each in codes)
    return distinct, table.astype(np.uint8)[one], table.astype(np.uint8)[two]


def code_names(column: Any) -> Coded | None:
    """Give the names of a list of text, a Polars column of text or a categorical column numbers; None for others."""
    if isinstance(column, (list, tuple)):
        return code_values(column) if column and isinstance(column[0], str) else None
    polars = sys.modules.get("polars")  # Nobody has a Polars column who has not imported it.
    if polars is not None and isinstance(column, polars.Series):
        return _code_polars(column, polars)
    categories = getattr(getattr(column, "dtype", None), "categories", None)
    if categories is None:
        return None
    codes = getattr(column, "cat", column).codes  # A Series of pandas has them one step further in than a Categorical.
    return _of_categories(categories.tolist(), np.asarray(codes, dtype=np.intp))


def _code_polars(column: Any, polars: Any) -> Coded | None:
    if column.dtype == polars.String:
        column = column.cast(polars.Categorical(polars.Categories.random()))
    elif not isinstance(column.dtype, (polars.Categorical, polars.Enum)):
        return None
    physical = column.to_physical()
    bound = physical.max()
    if bound is None:
        return _of_categories([], np.full(len(column), -1, dtype=np.intp))
    numbers = polars.Series(np.arange(bound + 1)).cast(physical.dtype)
    names = numbers.cat.to(column.dtype) if isinstance(column.dtype, polars.Categorical) else column.dtype.categories
    if physical.null_count():
        physical = physical.cast(polars.Int64).fill_null(-1)
    codes = physical.to_numpy().astype(np.intp, copy=False)
    return _of_categories(names.cast(polars.String).to_list(), codes)


def _of_categories(names: list[Any], codes: NDArray[np.intp]) -> Coded:
    """Order categories; those that nobody has are left out. Codes of −1 are missing."""
    present = np.bincount(codes + 1, minlength=len(names) + 1)[1:]  # Codes of −1 come first.
    return _in_order(names, codes, present)


def _in_order(names: list[Any], codes: NDArray[Any], present: NDArray[np.intp] | None = None) -> Coded:
    """Order names instead of leaving them where they first stood; those that are not present are left out."""
    there = [place for place, name in enumerate(names) if (present is None or present[place]) and not _is_missing(name)]
    try:
        there.sort(key=names.__getitem__)
    except TypeError:
        there.sort(key=lambda place: (type(names[place]).__name__, str(names[place])))
    distinct = np.empty(len(there), dtype=object)
    distinct[:] = [names[place] for place in there]
    if there == list(range(len(names))):
        return distinct, codes.astype(np.intp, copy=False)
    table = np.full(len(names) + 1, -1, dtype=np.intp)  # The last place is for codes of −1.
    table[there] = np.arange(len(there))
    return distinct, table[codes]


def _is_missing(name: Any) -> bool:
    return name is None or (isinstance(name, float) and not math.isfinite(name))
