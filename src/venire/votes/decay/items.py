"""Which items there are, and which item each row of a frame belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from venire.votes.reading.names import as_categories

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_AT_ONCE = 1 << 18

ITEM = ("inference_id", "voter_prompt_id", "voter_kind")
"""What makes an item: votes that differ in any of these are not averaged, unless someone asks for it."""


class NumberedItems(NamedTuple):
    """The items of a frame, numbered from 0 on."""

    names: pl.DataFrame
    """What makes each item, one row each."""
    codes: NDArray[Any]
    """The number of the item of each row."""
    counts: NDArray[np.int64]
    """How many rows each item has."""


def number_items(frame: pl.DataFrame, by: Sequence[str]) -> NumberedItems:
    """Give the items of a frame numbers."""
    codes: NDArray[Any] | None = None
    sizes: list[int] = []
    values: list[pl.Series] = []
    for name in by:
        if not frame.height or _is_constant(frame, name):
            values.append(frame[name].head(1).cast(pl.String))
            sizes.append(1)
            continue
        named = frame[name]
        if not isinstance(named.dtype, pl.Categorical):
            named = as_categories(named.cast(pl.String))
        numbers = named.to_physical().to_numpy()
        size = int(numbers.max()) + 1
        codes = numbers if codes is None else codes.astype(np.int64) * size + numbers
        values.append(pl.Series(name, np.arange(size, dtype=np.uint32)).cat.to(named.dtype).cast(pl.String))
        sizes.append(size)
    if codes is None:
        codes = np.zeros(frame.height, dtype=np.uint32)
    present, counts = _count(codes, int(np.prod(sizes, dtype=object)))
    parts = np.unravel_index(present, sizes) if len(present) else [present] * len(sizes)
    names = {name: value[part] for name, value, part in zip(by, values, parts, strict=True)}
    return NumberedItems(pl.DataFrame(names), _renumber(codes, present), counts)


def all_count_one(frame: pl.DataFrame) -> bool:
    """Tell whether every reputation is 1; a column that was filled in is not written out for that."""
    return not frame.height or bool(frame.select((pl.col("reputation") == 1.0).all()).item())


def _is_constant(frame: pl.DataFrame, name: str) -> bool:
    column = pl.col(name).to_physical() if isinstance(frame.schema[name], pl.Categorical) else pl.col(name)
    return bool(frame.select((column == column.first()).all()).item())


def _count(codes: NDArray[Any], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which codes below a size there are, and how many of each."""
    if size > max(4 * len(codes), 1024):
        return np.unique(codes, return_counts=True)
    counts = np.zeros(size, dtype=np.int64)
    step = max(_AT_ONCE, size)  # NumPy counts a copy with eight bytes a row, which is to stay small.
    for begin in range(0, len(codes), step):
        counts += np.bincount(codes[begin : begin + step], minlength=size)
    present = np.flatnonzero(counts)
    return present, counts[present]


def _renumber(codes: NDArray[Any], present: NDArray[np.int64]) -> NDArray[Any]:
    if not len(present) or len(present) == int(present[-1]) + 1:
        return codes
    return np.searchsorted(present, codes)
