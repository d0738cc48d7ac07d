"""Units collapsed to how often each category was given; most statistics need no more than that.

A million units rated by five judges on five levels are at most a few hundred different patterns, and an agreement
measure costs only that many steps.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

if TYPE_CHECKING:
    from venire.stats.ratings.matrix import RatingMatrix
    from venire.stats.ratings.source import Array

DENSE_CELLS = 30_000_000
"""The largest table of patterns × categories that is kept in full; a larger one is kept sparse."""

_TABLE_KEYS = 1 << 22  # Up to this many possible keys, counting them is quicker than sorting.
_KEYS_PER_ROW = 64  # Of few rows, sorting is quicker than a table of all possible keys.
_CHUNK = 1 << 15  # Rows that are worked on at a time, so that the temporary arrays stay in the processor's cache.


class RatingPatterns(msgspec.Struct, frozen=True, eq=False):
    """The different patterns of ratings, and how many units show each."""

    counts: Any
    """Patterns × categories: how many raters gave the category; an array, or a SciPy sparse array if it is large."""
    multiplicity: Array
    """How many units show the pattern."""
    categories: Array
    """The value of each category, rising; positions for labels."""
    pattern_of_unit: Array | None
    """The pattern of each unit; None if it was not asked for."""

    @property
    def dense(self) -> bool:
        """Whether the counts are held in full."""
        return isinstance(self.counts, np.ndarray)

    @property
    def ratings(self) -> Array:
        """How many ratings each pattern has."""
        return np.asarray(self.counts.sum(axis=1)).reshape(-1)


def is_collapsible(matrix: RatingMatrix) -> bool:
    """Tell whether there are so few possible patterns that units surely share them."""
    if matrix.values.dtype.kind == "f" and matrix.scale is None and matrix.unit_count:
        sample = matrix.values[:: max(matrix.unit_count // 1000, 1)]
        if _key_count(np.unique(sample[~np.isnan(sample)]).size, matrix.rater_count) > _TABLE_KEYS:
            return False  # A sample has enough different scores to tell; coding all would cost a sort for nothing.
    category_count, rater_count = len(matrix.coded.categories), matrix.rater_count
    return _key_count(category_count, rater_count) <= _TABLE_KEYS


def _key_count(category_count: int, rater_count: int) -> float:
    by_pattern = rater_count * math.log2(category_count + 1)
    by_counts = category_count * math.log2(rater_count + 1)
    return math.exp2(min(by_pattern, by_counts, 1000.0))


def collapse(matrix: RatingMatrix, *, units: bool = False) -> RatingPatterns:
    """Collapse units to patterns; with `units`, also say which unit shows which pattern.

    Categories that nobody used are dropped unless the scale was given or the ratings are labels with an order.
    """
    codes, categories = matrix.coded.codes, matrix.coded.categories
    keep_all = matrix.scale is not None or (matrix.labels is not None and matrix.ordered)
    category_count, rater_count = len(categories), matrix.rater_count
    key_count = _key_count(category_count, rater_count)
    if key_count >= 2.0**62:
        return _uncollapsed(matrix, units=units)
    by_rater = rater_count * math.log(category_count + 1) <= category_count * math.log(rater_count + 1)
    keys = _pattern_keys(codes, category_count) if by_rater else _count_keys(codes, category_count)
    found, multiplicity, inverse = _count(keys, key_count, units=units)
    if len(found) * (category_count + 1) > DENSE_CELLS:
        return _uncollapsed(matrix, units=units)
    if by_rater:
        given, multiplicity, inverse = _merge(found, multiplicity, inverse, category_count, rater_count)
        counts = _tally(given, category_count)
    else:
        counts = _digits(found, rater_count + 1, category_count)
    used = counts.any(axis=0)
    if not keep_all and not used.all():
        counts, categories = counts[:, used], categories[used]
    return RatingPatterns(counts, multiplicity, categories, inverse)


def _pattern_keys(codes: Array, category_count: int) -> Array:
    """Read a row of codes as the digits of one number, the first rater's being the lowest."""
    rater_count = codes.shape[1]
    base = category_count + 1
    kind = np.int32 if float(base) ** rater_count < 2.0**31 else np.int64
    keys = np.zeros(len(codes), dtype=kind)
    for start in range(0, len(codes), _CHUNK):
        part = keys[start : start + _CHUNK]
        for rater in range(rater_count - 1, -1, -1):
            np.multiply(part, base, out=part)
            np.add(part, codes[start : start + _CHUNK, rater], out=part, casting="unsafe")
    return keys


def _count_keys(codes: Array, category_count: int) -> Array:
    """Read how often each category stands in a row as the digits of one number, the first category's the lowest."""
    rater_count = codes.shape[1]
    weights = np.array([(rater_count + 1) ** power for power in range(category_count)] + [0], dtype=np.int64)
    keys = np.zeros(len(codes), dtype=np.int64)
    for start in range(0, len(codes), _CHUNK):
        for rater in range(rater_count):
            keys[start : start + _CHUNK] += weights[codes[start : start + _CHUNK, rater]]
    return keys


def _count(keys: Array, key_count: float, *, units: bool) -> tuple[Array, Array, Array | None]:
    if key_count > min(_TABLE_KEYS, _KEYS_PER_ROW * len(keys)):
        if not units:
            found, multiplicity = np.unique(keys, return_counts=True)
            return found, multiplicity, None
        found, inverse, multiplicity = np.unique(keys, return_inverse=True, return_counts=True)
        return found, multiplicity, inverse
    tally = np.bincount(keys, minlength=1)
    found = np.flatnonzero(tally)
    if not units:
        return found, tally[found], None
    position = np.zeros(len(tally), dtype=np.int64)
    position[found] = np.arange(len(found))
    return found, tally[found], position[keys]


def _digits(keys: Array, base: int, length: int) -> Array:
    digits = np.empty((len(keys), length), dtype=np.int64)
    rest = keys.astype(np.int64)
    for place in range(length):
        rest, digits[:, place] = np.divmod(rest, base)
    return digits


def _tally(codes: Array, category_count: int) -> Array:
    cells = codes.astype(np.int64) + np.arange(len(codes))[:, None] * (category_count + 1)
    tally = np.bincount(cells.reshape(-1), minlength=len(codes) * (category_count + 1))
    return tally.reshape(len(codes), category_count + 1)[:, :category_count]


def _merge(
    keys: Array, multiplicity: Array, inverse: Array | None, category_count: int, rater_count: int
) -> tuple[Array, Array, Array | None]:
    """Merge patterns that differ only in who gave which rating, and return the codes of those left, in rising order."""
    given = np.sort(_digits(keys, category_count + 1, rater_count), axis=1)
    _, first, position = np.unique(_pattern_keys(given, category_count), return_index=True, return_inverse=True)
    total = np.bincount(position, weights=multiplicity).astype(np.int64)
    return given[first], total, None if inverse is None else position[inverse]


def _uncollapsed(matrix: RatingMatrix, *, units: bool) -> RatingPatterns:
    """Keep every unit as its own pattern, where there are too many different patterns to gain anything."""
    codes, categories = matrix.coded.codes, matrix.coded.categories
    unit_count, category_count = len(codes), len(categories)
    inverse = np.arange(unit_count) if units else None
    multiplicity = np.ones(unit_count, dtype=np.int64)
    if unit_count * (category_count + 1) <= DENSE_CELLS:
        return RatingPatterns(_tally(codes, category_count), multiplicity, categories, inverse)
    from scipy import sparse  # Start-up stays quick.

    rows, columns = np.nonzero(codes < category_count)
    ones = np.ones(len(rows), dtype=np.float64)
    counts = sparse.csr_array(
        sparse.coo_array((ones, (rows, codes[rows, columns])), shape=(unit_count, category_count))
    )  # fmt: skip
    return RatingPatterns(counts, multiplicity, categories, inverse)
