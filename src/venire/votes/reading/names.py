"""Names that repeat, kept once each: a column of text as categories.

Polars' own cast looks every row up in one table of all categories: 0.3 µs a row where there are 100,000 names.
Here a row finds its name by a few bits of its hash, and only rows whose name is not the one found there are cast.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SLOTS = 1 << 20
"""How many places there are for names; four bytes each, so that a processor's cache holds most of them."""
_AT_ONCE = 1 << 18
"""How many rows are looked at together, so that what is made for them stays in the cache."""


def as_categories(names: pl.Series) -> pl.Series:
    """Return the same names as categories of their own, which are forgotten together with the column.

    The same column always gives the same numbers, mostly in the order in which names first appear.
    """
    kind = fresh_categories()
    rows = len(names)
    if not _AT_ONCE <= rows < 2**31 or names.dtype != pl.String or names.null_count():
        return names.cast(kind)
    slots, holders = _hold_slots(names)
    held = np.flatnonzero(holders >= 0)
    if len(held) > rows // 8:
        return names.cast(kind)
    held = held[np.argsort(holders[held])]
    distinct = pl.Series(names.gather(holders[held]).to_list(), dtype=pl.String)
    categories = distinct.cast(kind)
    holders[held] = categories.to_physical().to_numpy()
    codes, others = _look_up(names, slots, holders, distinct)
    if len(others):
        codes[others] = names.gather(others).cast(kind).to_physical().to_numpy()
    return pl.Series(names.name, codes).cat.to(kind)


def fresh_categories() -> Any:
    """Return a kind of categories that no other column shares."""
    return pl.Categorical(pl.Categories.random())


def _hold_slots(names: pl.Series) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the slot of each row, and the first row that has each slot; −1 where there is none."""
    slots, holders = np.empty(len(names), dtype=np.int32), np.full(_SLOTS, -1, dtype=np.int32)
    for begin in reversed(range(0, len(names), _AT_ONCE)):
        found = (names.slice(begin, _AT_ONCE).hash().to_numpy() & np.uint64(_SLOTS - 1)).view(np.int64)
        end = begin + len(found)
        slots[begin:end] = found
        holders[found[::-1]] = np.arange(end - 1, begin - 1, -1, dtype=np.int32)  # The last one written stays.
    return slots, holders


def _look_up(
    names: pl.Series, slots: NDArray[np.int32], codes_of_slots: NDArray[np.int32], distinct: pl.Series
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Return the code of each row, written over its slot, and the rows whose name is another than that of the code."""
    others: list[NDArray[np.int64]] = []
    for begin in range(0, len(names), _AT_ONCE):
        part = slots[begin : begin + _AT_ONCE]
        part[:] = codes_of_slots[part]
        wrong = (distinct.gather(part) != names.slice(begin, _AT_ONCE)).arg_true().to_numpy()
        others.append(wrong.astype(np.int64) + begin)
    return slots.view(np.uint32), np.concatenate(others)
