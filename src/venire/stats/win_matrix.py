"""Who beat whom how often: counted from pairwise judgements, or derived from scores."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.stats.observations import as_floats, encode, require_same_length

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import IntArray


_NARROW = 512
_OUTCOMES = "expected outcomes 1 (first won), 0.5 (tie) or 0 (second won), found other numbers"


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


def count_wins(first: ArrayLike, second: ArrayLike, outcome: ArrayLike) -> WinMatrix:
    """Count comparisons given as three equally long lists; `outcome` is 1 if first won, 0 if second did, 0.5 for a tie.

    >>> count_wins(["a", "a", "b"], ["b", "b", "a"], [1, 0.5, 1]).wins.tolist()
    [[0.0, 1.0], [1.0, 0.0]]
    """
    left, right, results = np.asarray(first).ravel(), np.asarray(second).ravel(), np.asarray(outcome).ravel()
    require_same_length("first models", left, "second models", right)
    require_same_length("first models", left, "outcomes", results)
    models, one, two = _encode_both(left, right)
    k = len(models)
    kinds = _outcome_codes(results)
    index = one * (3 * k)
    index += 3 * two
    index += kinds
    if _any_negative(one, two, kinds):
        index = index[(one >= 0) & (two >= 0) & (kinds >= 0)]
    counted = np.bincount(index, minlength=3 * k * k).reshape(k, k, 3).astype(np.float64)
    seen = (counted.sum(axis=(1, 2)) + counted.sum(axis=(0, 2))) > 0
    counted = counted[seen][:, seen]
    itself = np.arange(len(counted))
    met_itself = counted[itself, itself].sum()
    counted[itself, itself] = 0
    return WinMatrix(
        models=tuple(models[seen].tolist()),
        wins=counted[:, :, 2] + counted[:, :, 0].T,
        ties=counted[:, :, 1] + counted[:, :, 1].T,
        missing=int(len(left) - len(index) + met_itself),
    )


def wins_from_scores(scores: ArrayLike, models: Sequence[Any], *, tie_margin: float = 0.0) -> WinMatrix:
    """Derive comparisons from a table of scores, samples × models: on each sample the higher score wins.

    Scores that differ by at most `tie_margin` tie. A sample counts for a pair only if both models have a score.
    """
    table = as_floats(scores)
    if table.ndim != 2 or table.shape[1] != len(models):
        raise UsageError(
            f"expected a table of scores with a column for each of {len(models)} models, found shape {table.shape}",
            hint="pass samples as rows and models as columns",
        )
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


def _outcome_codes(results: NDArray[Any]) -> NDArray[np.int8]:
    """Return 2 where first won, 1 for a tie, 0 where second won, −1 where the outcome is missing."""
    doubled = 2 * as_floats(results)
    missing = np.isnan(doubled) if np.isnan(doubled.sum()) else None
    if missing is not None:
        doubled[missing] = 0.0
    if len(doubled) and not (doubled.min() >= 0 and doubled.max() <= 2):
        raise UsageError(_OUTCOMES)
    kinds = doubled.astype(np.int8)
    if not (kinds == doubled).all():
        raise UsageError(_OUTCOMES)
    if missing is not None:
        kinds[missing] = -1
    return kinds


def _any_negative(*arrays: NDArray[Any]) -> bool:
    return any(len(array) > 0 and array.min() < 0 for array in arrays)


def _encode_both(left: NDArray[Any], right: NDArray[Any]) -> tuple[NDArray[Any], IntArray, IntArray]:
    """Give the models of both sides common numbers; a narrow range of whole numbers is taken as it is."""
    if len(left) and left.dtype.kind == right.dtype.kind == "i":
        lowest, highest = int(min(left.min(), right.min())), int(max(left.max(), right.max()))
        if highest - lowest < _NARROW:
            one, two = left.astype(np.intp, copy=False), right.astype(np.intp, copy=False)
            return np.arange(lowest, highest + 1), one - lowest if lowest else one, two - lowest if lowest else two
    models, codes = encode(np.concatenate([left, right]))
    return models, codes[: len(left)], codes[len(left) :]
