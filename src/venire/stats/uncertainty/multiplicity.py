"""Many comparisons at once: p values adjusted by Holm and by Benjamini and Hochberg."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import as_floats
from venire.stats.uncertainty.intervals import require_level
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray


class AdjustedPValues(msgspec.Struct, frozen=True, kw_only=True):
    """The p values of a family of comparisons after adjustment."""

    adjusted: tuple[float | None, ...]
    """The adjusted p value of each comparison, in the order given; None where none was given."""
    rejected: tuple[bool, ...]
    """Whether each null hypothesis is rejected at `alpha`."""
    alpha: float
    """The rate that is controlled."""
    method: str
    """The method, and which error rate it controls."""
    n: int
    """How many comparisons the family has, not counting those without a p value."""


def family_level(level: float, count: int) -> float:
    """Return the level that each of so many intervals must have for all of them to hold together (Bonferroni).

    >>> round(family_level(0.95, 10), 3)
    0.995
    """
    require_level(level)
    if count < 1:
        raise UsageError("error.stats.family", found=count)
    return 1 - (1 - level) / count


def holm(p_values: ArrayLike, *, alpha: float = 0.05) -> AdjustedPValues:
    """Adjust by Holm's step-down method, which controls the family-wise error rate under any dependence (Holm 1979).

    >>> holm([0.01, 0.04, None]).adjusted
    (0.02, 0.04, None)
    """

    def step_down(ascending: FloatArray) -> FloatArray:
        m = len(ascending)
        return np.asarray(np.maximum.accumulate(ascending * (m - np.arange(m))), dtype=np.float64)

    return _adjust(p_values, alpha, say("method.holm"), step_down)


def benjamini_hochberg(p_values: ArrayLike, *, alpha: float = 0.05) -> AdjustedPValues:
    """Adjust by the step-up method that controls the false discovery rate (Benjamini & Hochberg 1995).

    It holds for independent and for positively dependent comparisons.
    """

    def step_up(ascending: FloatArray) -> FloatArray:
        m = len(ascending)
        scaled = ascending * m / np.arange(1, m + 1)
        return np.asarray(np.minimum.accumulate(scaled[::-1])[::-1], dtype=np.float64)

    return _adjust(p_values, alpha, say("method.benjamini_hochberg"), step_up)


def _adjust(
    p_values: ArrayLike, alpha: float, method: str, step: Callable[[FloatArray], FloatArray]
) -> AdjustedPValues:
    array = as_floats(p_values).ravel()
    require_level(alpha)
    there = np.flatnonzero(~np.isnan(array))
    if ((array[there] < 0) | (array[there] > 1)).any():
        wrong = array[there][(array[there] < 0) | (array[there] > 1)]
        raise UsageError("error.stats.p_value", found=f"{float(wrong[0]):g}")
    order = there[np.argsort(array[there], kind="stable")]
    adjusted: list[float | None] = [None] * len(array)
    for position, value in zip(order.tolist(), np.minimum(step(array[order]), 1.0).tolist(), strict=True):
        adjusted[position] = value
    return AdjustedPValues(
        adjusted=tuple(adjusted),
        rejected=tuple(value is not None and value <= alpha for value in adjusted),
        alpha=alpha,
        method=method,
        n=len(there),
    )
