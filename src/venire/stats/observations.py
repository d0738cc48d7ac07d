"""What callers bring, as arrays: numbers with missing ones told apart, and names as small integers.

Anything that NumPy can read is taken: lists, arrays, and the columns of pandas, Polars and Arrow tables.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from venire.errors import UsageError
from venire.stats.name_codes import code_names, code_values
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    FloatArray = NDArray[np.float64]
    IntArray = NDArray[np.intp]


LARGEST = 1e150
"""The largest number that differences are taken of: squares of larger ones overflow."""


def as_floats(values: ArrayLike) -> FloatArray:
    """Read numbers as doubles; None becomes NaN, which means missing.

    Raises `UsageError` for what is no number, is infinite, or is above `LARGEST`.
    """
    return floats_and_sum(values)[0]


def floats_and_sum(values: ArrayLike) -> tuple[FloatArray, float]:
    """Read numbers as `as_floats` does, and return their sum too, which is NaN if any is missing."""
    try:
        array = _listed(values) if isinstance(values, list) else np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError("error.stats.not_numbers", found=str(error)) from None
    # A finite sum shows in one pass and without a mask that every number is.
    total = _plain_sum(array)
    if abs(total) <= LARGEST:
        return array, total
    infinite = array[np.isinf(array)]
    if len(infinite):
        raise UsageError("error.stats.infinite", found=str(infinite[0]))
    largest = float(np.abs(array[~np.isnan(array)]).max(initial=0.0))
    if largest > LARGEST:
        raise UsageError("error.stats.too_large", found=f"{largest:g}", limit=f"{LARGEST:g}")
    return array, total


def observed(values: ArrayLike) -> FloatArray:
    """Return the numbers that are there, in order, without the missing ones.

    >>> observed([1, None, float("nan"), 3]).tolist()
    [1.0, 3.0]
    """
    array = as_floats(values).ravel()
    there = ~np.isnan(array)
    return array if there.all() else array[there]


def observed_pairs(first: ArrayLike, second: ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return the pairs of which both numbers are there; the two lists must be equally long."""
    one, two = as_floats(first).ravel(), as_floats(second).ravel()
    require_same_length("values", one, "values_to_pair_them_with", two)
    there = ~(np.isnan(one) | np.isnan(two))
    return (one, two) if there.all() else (one[there], two[there])


def paired_differences(first: ArrayLike, second: ArrayLike) -> FloatArray:
    """Return first minus second, NaN where either is missing, to twelve digits of the largest number.

    Without the rounding, 4.3 − 4.2 and 3.2 − 3.1 would not be ties. Raises `UsageError` for numbers whose squares no
    double can hold.
    """
    one, two = as_floats(first).ravel(), as_floats(second).ravel()
    require_same_length("first_values", one, "second_values", two)
    largest = max((float(np.nanmax(np.abs(side))) for side in (one, two) if not np.isnan(side).all()), default=0.0)
    if largest > LARGEST:
        raise UsageError("error.stats.too_large", found=f"{largest:g}", limit=f"{LARGEST:g}")
    difference: FloatArray = one - two
    if largest > 1e-280:
        difference = np.round(difference, 12 - math.floor(math.log10(largest)))
    return difference


def scores_by_judge(scores: ArrayLike, judges: Sequence[str]) -> FloatArray:
    """Return a table of units × judges as numbers. Raises `UsageError` if it has not a column for each judge."""
    table = as_floats(scores)
    if table.ndim != 2 or table.shape[1] != len(judges):
        raise UsageError("error.stats.judge_columns", judges=len(judges), shape=str(table.shape))
    return table


def require_same_length(name: str, one: Sequence[Any] | NDArray[Any], other_name: str, two: NDArray[Any]) -> None:
    """Raise a `UsageError` if two lists that belong together differ in length."""
    if len(one) != len(two):
        raise UsageError(
            "error.stats.lengths",
            one=say(f"error.stats.list.{name}"),
            other=say(f"error.stats.list.{other_name}"),
            first=len(one),
            second=len(two),
        )


def _listed(values: list[Any]) -> FloatArray:
    """Read a list in one pass if it holds nothing but numbers; NumPy takes two, and knows all other cases."""
    if values and isinstance(values[0], float):
        try:
            return np.fromiter(values, dtype=np.float64, count=len(values))
        except (TypeError, ValueError):
            pass
    return np.asarray(values, dtype=np.float64)


def _plain_sum(array: FloatArray) -> float:
    with np.errstate(over="ignore", invalid="ignore"):
        return float(array.sum())


def encode(names: ArrayLike) -> tuple[NDArray[Any], IntArray]:
    """Give the distinct names numbers in sorted order; return them and the number at each position.

    Missing names (None, NaN, infinite numbers) have the number -1. Whole numbers in a narrow range are counted
    instead of sorted.

    >>> distinct, codes = encode(["b", "a", None, "b"])
    >>> distinct.tolist(), codes.tolist()
    (['a', 'b'], [1, 0, -1, 1])
    """
    if (coded := code_names(names)) is not None:
        return coded
    array = np.asarray(names).ravel()
    if array.dtype.kind in "iub":
        return _encode_whole_numbers(array)
    if array.dtype.kind == "f":
        array = np.where(np.isfinite(array), array, np.nan)
        distinct, inverse = np.unique(array, return_inverse=True, equal_nan=True)
        missing = bool(len(distinct)) and bool(np.isnan(distinct[-1]))
        codes = inverse.astype(np.intp, copy=False)
        if missing:
            distinct, codes = distinct[:-1], np.where(codes == len(distinct) - 1, -1, codes)
        return distinct, codes
    return code_values(array.tolist())


def encode_alike(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[Any], IntArray, IntArray]:
    """Give the names of two lists common numbers; return the names of both and the numbers of each list.

    >>> distinct, one, two = encode_alike(["b", "a"], ["c", "b"])
    >>> distinct.tolist(), one.tolist(), two.tolist()
    (['a', 'b', 'c'], [1, 0], [2, 1])
    """
    (of_first, one), (of_second, two) = encode(first), encode(second)
    if len(of_first) == len(of_second) and of_first.tolist() == of_second.tolist():
        return of_first, one, two
    distinct, codes = encode(np.concatenate([of_first, of_second]))
    table_of_first, table_of_second = np.append(codes[: len(of_first)], -1), np.append(codes[len(of_first) :], -1)
    return distinct, table_of_first[one], table_of_second[two]


def number(names: ArrayLike) -> tuple[int, IntArray, bool]:
    """Give names numbers from 0 on; return a bound above all, the number at each place, and whether some are missing.

    Unlike with `encode`, some numbers below the bound may stand for no name, so that whole numbers in a narrow range
    need not be counted. Missing names have the number -1.

    >>> bound, numbers, is_incomplete = number([7, 9, 7])
    >>> bound, numbers.tolist(), is_incomplete
    (3, [0, 2, 0], False)
    """
    if (coded := code_names(names)) is not None:
        return len(coded[0]), coded[1], bool((coded[1] < 0).any())
    array = np.asarray(names).ravel()
    if array.dtype == np.intp and len(array):
        highest = int(array.view(np.uintp).max())  # Read so, a negative number is very high: one pass instead of two.
        if highest < len(array):
            return highest + 1, array, False
    shifted = _shift(array) if array.dtype.kind in "iub" and len(array) else None
    if shifted is not None:
        return shifted[1], shifted[0], False
    distinct, codes = encode(array)
    return len(distinct), codes, bool((codes < 0).any())


def _encode_whole_numbers(array: NDArray[Any]) -> tuple[NDArray[Any], IntArray]:
    if not len(array):
        return array, np.zeros(0, dtype=np.intp)
    found = _shift(array)
    if found is None:
        distinct, inverse = np.unique(array, return_inverse=True)
        return distinct, inverse.astype(np.intp, copy=False)
    shifted, bound, lowest = found
    present = np.bincount(shifted, minlength=bound) > 0
    if present.all():
        return np.arange(lowest, lowest + bound), shifted
    renumbered = np.cumsum(present) - 1
    return np.flatnonzero(present) + lowest, renumbered[shifted]


def _shift(array: NDArray[Any]) -> tuple[IntArray, int, int] | None:
    """Return whole numbers less the lowest, a bound above them, and the lowest; None if they are too far apart."""
    lowest, highest = int(array.min()), int(array.max())
    if highest - lowest > 4 * len(array):
        return None
    # Widened first: a difference of narrow integers would wrap around silently.
    offsets = array.astype(np.intp, copy=False) if highest <= np.iinfo(np.intp).max else array
    return offsets - lowest if lowest else offsets, highest - lowest + 1, lowest


def require_count(name: str, value: float, least: int = 0) -> None:
    """Raise `UsageError` if a count is no whole number, or too low."""
    if not (math.isfinite(value) and value == int(value) and value >= least):
        raise UsageError("error.stats.count", name=name, least=least, found=str(value))


def require_finite(name: str, value: float) -> None:
    """Raise `UsageError` if a number is NaN or infinite."""
    if not math.isfinite(value):
        raise UsageError("error.stats.finite", name=name, found=str(value))


def require_correlation(value: float, least: float = -1.0) -> None:
    """Raise `UsageError` for what is no correlation, but for what rounding adds to one."""
    if not least - 1e-9 <= value <= 1 + 1e-9:
        raise UsageError("error.stats.correlation", least=f"{least:g}", found=f"{value:g}")


def group_marks(marks: ArrayLike) -> NDArray[np.bool_]:
    """Read who is in a group, 1 or true, and who is not, 0 or false. Raises `UsageError` for anything else."""
    array = as_floats(marks).ravel()
    if not np.isin(array, (0.0, 1.0)).all():
        raise UsageError("error.stats.group_marks")
    is_inside: NDArray[np.bool_] = array == 1
    return is_inside


def generator_from(seed: int | np.random.Generator) -> np.random.Generator:
    """Return the generator of a seed, or the one that was passed in. Raises `UsageError` for what is no seed."""
    if isinstance(seed, np.random.Generator):
        return seed
    require_count("seed", seed)
    return np.random.default_rng(int(seed))
