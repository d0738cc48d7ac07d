"""Who beat whom how often: counted from pairwise judgements, or derived from scores."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.stats.name_codes import code_lists
from venire.stats.observations import as_floats, encode_alike, require_count, require_finite, require_same_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray

    KindArray = NDArray[np.unsignedinteger]


_NARROW = 512
_CHUNK = 1 << 16
"""How many comparisons are worked on at a time, so that what they need stays in the processor's cache."""
_PLACES = 40
"""Outcomes are read as whole numbers of 2⁻⁴⁰, so that one look at all their bits tells whether each is 0, ½ or 1."""


class WinMatrix(msgspec.Struct, frozen=True, kw_only=True):
    """The outcomes of pairwise comparisons between models."""

    models: tuple[Any, ...]
    """The models, in the order of rows and columns."""
    wins: NDArray[np.float64]
    """How often the model of the row beat the model of the column."""
    ties: NDArray[np.float64]
    """How often the two tied; symmetric."""
    missing: int = 0
    """How many comparisons were left out because a part of them is missing or a model met itself."""

    @property
    def comparisons(self) -> int:
        """How many comparisons were counted."""
        return round(float(self.wins.sum() + self.ties.sum() / 2))


class CodedComparisons(msgspec.Struct, frozen=True, eq=False):
    """Comparisons with the numbers of their models."""

    models: NDArray[Any]
    """The models by their numbers; some may be in no comparison."""
    one: NDArray[np.integer]
    """The number of each first model; -1 where it is missing."""
    two: NDArray[np.integer]
    """The number of each second model."""
    outcomes: FloatArray
    """1 if first won, 0 if second did, 0.5 for a tie, NaN where it is missing."""
    weights: FloatArray | None
    """How much each counts for; None if each counts for one."""

    def at(self, used: NDArray[np.bool_]) -> CodedComparisons:
        """Return some of them."""
        columns = (None if each is None else each[used] for each in (self.one, self.two, self.outcomes, self.weights))
        return CodedComparisons(self.models, *columns)  # type: ignore[arg-type]


def count_wins(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, *, weights: ArrayLike | None = None
) -> WinMatrix:
    """Count comparisons given as three equally long lists; `outcome` is 1 if first won, 0 if second did, 0.5 for a tie.

    With `weights` each counts for as much as it says, a number above 0.

    >>> count_wins(["a", "a", "b"], ["b", "b", "a"], [1, 0.5, 1]).wins.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    return count_coded(code_comparisons(first, second, outcome, weights))


def code_comparisons(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, weights: ArrayLike | None = None
) -> CodedComparisons:
    """Give the models of comparisons numbers. Raises `UsageError` for lists that differ in length, or weights of 0."""
    models, one, two = _encode_both(first, second)
    outcomes = as_floats(outcome).ravel()
    require_same_length("first_models", one, "second_models", two)
    require_same_length("first_models", one, "outcomes", outcomes)
    return CodedComparisons(models, one, two, outcomes, require_weights(weights, outcomes))


def count_coded(coded: CodedComparisons, kinds: KindArray | None = None) -> WinMatrix:
    """Count comparisons; `kinds` is filled with the kind of each, unless some are missing."""
    given, k = len(coded.one), len(coded.models)
    if coded.models.dtype.kind not in "iu":  # Whole numbers are never missing.
        named = (coded.one >= 0) & (coded.two >= 0)
        if not named.all():
            coded, kinds = coded.at(named), None
    counted = _tally(coded, kinds)[:, :k, :k].transpose(1, 2, 0).astype(np.float64)
    there = ~np.isnan(coded.outcomes) if coded.weights is not None else None
    complete = round(float(counted.sum())) if there is None else int(there.sum())
    seen = (counted.sum(axis=(1, 2)) + counted.sum(axis=(0, 2))) > 0
    counted = counted[seen][:, seen]
    itself = np.arange(len(counted))
    met_itself = counted[itself, itself].sum() if there is None else (coded.one == coded.two)[there].sum()
    counted[itself, itself] = 0
    return WinMatrix(
        models=tuple(coded.models[seen].tolist()),
        wins=counted[:, :, 2] + counted[:, :, 0].T,
        ties=counted[:, :, 1] + counted[:, :, 1].T,
        missing=int(given - complete + met_itself),
    )


def kind_bits(models: int) -> int:
    """Return how many bits the number of a model takes in the kind of a comparison."""
    return max(models - 1, 1).bit_length()


def empty_kinds(coded: CodedComparisons) -> KindArray:
    """Return an array for the kind of each comparison: its outcome (0, 1 or 2 halves) and its two models in a number.

    The outcome stands before the first model, and that before the second, each in its own bits.
    """
    is_narrow = 2 * kind_bits(len(coded.models)) <= 14
    return np.empty(len(coded.one), dtype=np.uint16 if is_narrow else np.uint32)


def wins_from_scores(scores: ArrayLike, models: Sequence[Any], *, tie_margin: float = 0.0) -> WinMatrix:
    """Derive comparisons from a table of scores, samples × models: on each sample the higher score wins.

    Scores that differ by at most `tie_margin` tie. A sample counts for a pair only if both models have a score.
    """
    require_finite("tie_margin", tie_margin)
    if tie_margin < 0:
        raise UsageError("error.stats.tie_margin", found=f"{tie_margin:g}")
    table = as_floats(scores)
    if table.ndim != 2 or table.shape[1] != len(models):
        raise UsageError("error.stats.model_columns", models=len(models), shape=str(table.shape))
    wins, ties = np.zeros((len(models), len(models))), np.zeros((len(models), len(models)))
    missing = 0
    for i, j in itertools.combinations(range(len(models)), 2):
        difference = table[:, i] - table[:, j]
        # Scores such as 4.3 and 4.2 have no exact difference in binary.
        tied = np.abs(difference) <= tie_margin + 1e-12 * np.maximum(np.abs(table[:, i]), np.abs(table[:, j]))
        ties[i, j] = ties[j, i] = np.count_nonzero(tied)
        wins[i, j] = np.count_nonzero((difference > 0) & ~tied)
        wins[j, i] = np.count_nonzero((difference < 0) & ~tied)
        missing += int(np.isnan(difference).sum())
    return WinMatrix(models=tuple(models), wins=wins, ties=ties, missing=missing)


def require_weights(weights: ArrayLike | None, outcomes: NDArray[Any]) -> FloatArray | None:
    """Return what comparisons count for; raises `UsageError` unless each counts for more than 0."""
    if weights is None:
        return None
    weighed = as_floats(weights).ravel()
    require_same_length("outcomes", outcomes, "weights", weighed)
    if not (weighed > 0).all():
        raise UsageError("error.stats.weight_not_positive")
    return weighed


def require_win_matrix(outcomes: WinMatrix) -> None:
    """Raise `UsageError` unless both tables have a row and a column for each model, and counts of 0 or more."""
    require_count("missing", outcomes.missing)
    shape = (len(outcomes.models),) * 2
    for table in (as_floats(outcomes.wins), as_floats(outcomes.ties)):
        if table.shape != shape or not (table >= 0).all():
            raise UsageError("error.stats.win_matrix", models=shape[0])


def _tally(coded: CodedComparisons, kinds: KindArray | None) -> NDArray[Any]:
    """Count losses, ties and wins, in this order, of each pair; comparisons without an outcome are not counted."""
    bits = kind_bits(len(coded.models))
    # The last quarter stays empty, but for outcomes that are none.
    total = np.zeros(4 << 2 * bits, dtype=np.intp if coded.weights is None else np.float64)
    step = max(_CHUNK, len(total))
    for start in range(0, len(coded.one), step):
        rows = slice(start, start + step)
        first, second, outcomes = coded.one[rows], coded.two[rows], coded.outcomes[rows]
        weighed = None if coded.weights is None else coded.weights[rows]
        with np.errstate(invalid="ignore"):
            result = (outcomes * 2.0**_PLACES).astype(np.intp)
        if int(np.bitwise_or.reduce(result, initial=0)) & ~(3 << _PLACES - 1):
            known = ~np.isnan(outcomes)
            first, second, result, kinds = first[known], second[known], result[known], None
            weighed = None if weighed is None else weighed[known]
            if int(np.bitwise_or.reduce(result, initial=0)) & ~(3 << _PLACES - 1):
                raise UsageError("error.stats.outcomes")
        result >>= _PLACES - 1 - 2 * bits
        index = np.left_shift(first, bits, dtype=np.intp)
        index |= second
        index |= result
        total += np.bincount(index, weighed, minlength=len(total))
        if kinds is not None:
            kinds[rows] = index
    counted = total.reshape(4, 1 << bits, 1 << bits)
    if counted[3].any():
        raise UsageError("error.stats.outcomes")
    return counted[:3]


def _encode_both(first: ArrayLike, second: ArrayLike) -> tuple[NDArray[Any], NDArray[np.integer], NDArray[np.integer]]:
    """Give the models of both sides common numbers; whole numbers from 0 on, up to a small one, are taken as they are.

    Of such numbers some may be unused.
    """
    if all(isinstance(side, np.ndarray) and side.dtype.kind == "i" and side.size for side in (first, second)):
        left, right = np.ravel(first), np.ravel(second)
        # One pass instead of two: no number is above this, and it is negative if any is.
        bound = int(np.bitwise_or.reduce(left) | np.bitwise_or.reduce(right))
        if 0 <= bound < _NARROW:
            return np.arange(bound + 1), left.astype(np.intp, copy=False), right.astype(np.intp, copy=False)
    return code_lists(first, second) or encode_alike(first, second)
