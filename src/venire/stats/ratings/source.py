"""Reading ratings from what users have: arrays, masked arrays, lists, and data frames of any make."""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

Array = NDArray[Any]
"""A NumPy array of any element type."""

NARROW_SPAN = 254
"""The widest range of whole numbers that is coded by subtraction; 255 is left for missing ratings."""

_MANY_DISTINCT = 1 << 16
_CHUNK = 1 << 15  # Rows that are worked on at a time, so that the temporary arrays stay in the processor's cache.


def read_table(data: object) -> tuple[Array, Array | None, tuple[str, ...]]:
    """Return units × raters, where ratings are missing (None if the table itself says so), and the raters' names."""
    if isinstance(data, (np.ndarray, list, tuple)):
        table, mask = _read_array(data, dimensions=2)
        return table, mask, tuple(str(index) for index in range(table.shape[1]))
    import narwhals as nw  # Only frames need it.

    frame = nw.from_native(data, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise InputError("error.stats.ratings_table", found=type(data).__name__)
    table, mask = read_columns([frame[name].to_native() for name in frame.columns])
    return table, mask, tuple(frame.columns)


def read_columns(columns: Sequence[object]) -> tuple[Array, Array | None]:
    """Put vectors side by side as one array, with where entries are missing; labels give an array of objects."""
    arrays, masks = [], []
    for column in columns:
        array, mask = _read_array(_to_array(column), dimensions=1)
        arrays.append(array)
        masks.append(np.zeros(array.shape, dtype=bool) if mask is None else mask)
    if not arrays:
        return np.empty((0, 0)), None
    if any(array.dtype == object for array in arrays):
        arrays = [array.astype(object) for array in arrays]
    return np.stack(arrays, axis=1), np.stack(masks, axis=1)


def read_vector(data: object) -> Array:
    """Return a vector of names as an array of integers or objects; a masked name is None."""
    array = _to_array(data)
    if isinstance(array, np.ma.MaskedArray):
        names = array.data.astype(object)
        names[np.ma.getmaskarray(array)] = None
        return np.asarray(names)
    return array if array.dtype.kind in "iu" else array.astype(object)


def code_labels(vector: Array) -> tuple[Array, list[object]]:
    """Give the entries of a vector numbers, in the order in which they first appear; also return the entries."""
    if vector.dtype.kind in "iu":
        names, first, inverse = np.unique(vector, return_index=True, return_inverse=True)
        order = np.argsort(first)
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        return rank[inverse], names[order].tolist()
    known: dict[Any, int] = {}
    codes = np.fromiter((known.setdefault(name, len(known)) for name in vector), dtype=np.int64, count=len(vector))
    return codes, list(known)


def code_numbers(values: Array, missing: Array | None, scale: Array | None) -> tuple[Array, Array]:
    """Return codes of numbers (the number of categories for a missing one) and the categories, rising."""
    if scale is None:
        narrow = _code_narrow(values, missing)
        if narrow is not None:
            return narrow
    gaps = np.isnan(values) if values.dtype.kind == "f" else missing
    categories = scale if scale is not None else np.unique(values if gaps is None else values[~gaps])
    if scale is None and len(categories) > _MANY_DISTINCT and (missing is None or values.dtype.kind == "f"):
        # Looking up that many values misses the cache each time; sorting all of them does not. NaN comes last.
        codes = np.unique(values, return_inverse=True)[1].reshape(values.shape).astype(np.int32)
    else:
        codes = np.searchsorted(categories, values).astype(np.uint8 if len(categories) < 256 else np.int32)
    if gaps is not None:
        codes[gaps] = len(categories)
    return codes, categories.astype(np.float64)


def is_missing_label(label: object) -> bool:
    """Tell whether an object stands for no rating: None, NaN, NaT or a frame's own null."""
    if label is None or type(label).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(label, float) and math.isnan(label)


def _code_narrow(values: Array, missing: Array | None) -> tuple[Array, Array] | None:
    """Code whole numbers within a narrow range by subtraction, or return None if they are not such.

    Whole numbers of the range that nobody used are categories too; collapsing to patterns drops them.
    """
    if values.size == 0:
        return None
    low, high = _range(values, missing)
    span = _span(low, high)
    if not span <= NARROW_SPAN:  # Also where it is NaN.
        return None
    count = int(span) + 1
    codes = np.empty(values.shape, dtype=np.uint8)
    for start in range(0, len(values), _CHUNK):
        rows = slice(start, start + _CHUNK)
        part = codes[rows]
        if values.dtype.kind == "f":
            shifted = values[rows] - low
            with np.errstate(invalid="ignore"):  # NaN has no integer; it is overwritten below.
                part[...] = shifted.astype(np.uint8)
            odd = part != shifted
            if np.count_nonzero(odd) != np.count_nonzero(np.isnan(shifted)):
                return None
            np.putmask(part, odd, count)
        else:
            # A narrow type wraps around here; the true difference fits in a byte, so its low byte is right.
            np.subtract(values[rows], low, out=part, casting="unsafe")
            if missing is not None:
                np.putmask(part, missing[rows], count)
    return codes, float(low) + np.arange(count, dtype=np.float64)


def _range(values: Array, missing: Array | None) -> tuple[Any, Any]:
    low, high = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
    if missing is None or _span(low, high) <= 16:
        return (
            low,
            high,
        )  # What lies under a mask may widen a short range a little; that is cheaper than leaving it out.
    present = values[~missing]
    return (present.min(), present.max()) if present.size else (np.nan, np.nan)


def _span(low: Any, high: Any) -> float:
    """Return how far two numbers lie apart; integers as such, as neither their own type nor a double may hold them."""
    return float(high) - float(low) if isinstance(low, (float, np.floating)) else float(int(high) - int(low))


def _to_array(column: object) -> Array:
    """Return a vector as an array; nulls of a frame's column become NaN or None."""
    if isinstance(column, np.ma.MaskedArray):
        return column
    if isinstance(column, (np.ndarray, list, tuple)):
        return _read_array(column, dimensions=1)[0]
    import narwhals as nw  # Only frames need it.

    series = nw.from_native(column, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        raise InputError("error.stats.vector", found=type(column).__name__)
    if series.dtype.is_numeric():
        if series.null_count():
            return series.cast(nw.Float64).to_numpy().astype(np.float64)
        return series.to_numpy()
    if series.dtype == nw.Boolean and not series.null_count():
        return series.to_numpy().astype(np.int8)
    return np.array([*series.to_list(), None], dtype=object)[:-1]


def _read_array(data: object, *, dimensions: int) -> tuple[Array, Array | None]:
    mask: Array | None = None
    if isinstance(data, np.ma.MaskedArray):
        mask = None if data.mask is np.ma.nomask else np.ma.getmaskarray(data)
        data = data.data
    array = data if isinstance(data, np.ndarray) else _from_lists(data)
    if array.size == 0 and array.ndim < dimensions:
        array = array.reshape((0,) * dimensions)
    if array.ndim != dimensions:
        raise InputError(f"error.stats.dimensions_{dimensions}", found=array.ndim)
    if array.dtype.kind == "b":
        array = array.astype(np.int8)
    elif array.dtype.kind == "f":
        array = array.astype(np.float64, copy=False)
    elif array.dtype.kind not in "iu":
        array = _numbers_if_all_are(array.astype(object))
    return array, mask


def _from_lists(data: object) -> Array:
    try:
        array = np.array(data)
    except ValueError:
        raise InputError("error.stats.row_lengths") from None
    # NumPy turns [1, "a"] and [None, "a"] into strings, which would make missing ratings a category.
    return array if array.dtype.kind in "biuf" else np.array(data, dtype=object)


def _numbers_if_all_are(array: Array) -> Array:
    flat = array.reshape(-1).tolist()
    present = [not is_missing_label(entry) for entry in flat]
    if not all(isinstance(entry, (numbers.Real, Decimal)) for entry, there in zip(flat, present, strict=True) if there):
        return array
    as_floats = [float(entry) if there else math.nan for entry, there in zip(flat, present, strict=True)]
    return np.array(as_floats, dtype=np.float64).reshape(array.shape)
