"""Elo ratings: strengths updated one comparison after another (Elo 1978)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.observations import as_floats, encode, require_finite, require_same_length
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


class EloRatings(msgspec.Struct, frozen=True, kw_only=True):
    """Ratings after all comparisons; they depend on the order of the comparisons and have no interval."""

    ratings: dict[Any, float]
    """The rating of each model."""
    k: float
    """The most points that one comparison can move."""
    initial: float
    """The rating that each model started with."""
    n: dict[str, int]
    """What the ratings rest on, counted by name."""
    method: str = say("method.elo")
    """The formula."""


def expected_score(rating: float, opponent: float) -> float:
    """Return the expected share of points against an opponent.

    >>> round(expected_score(1613, 1477), 2)
    0.69
    """
    require_finite("rating", rating)
    require_finite("opponent", opponent)
    return float(1 / (1 + 10 ** ((opponent - rating) / 400)))


def elo(
    first: ArrayLike, second: ArrayLike, outcome: ArrayLike, *, k: float = 32.0, initial: float = 1000.0
) -> EloRatings:
    """Rate models from comparisons in order; `outcome` is 1 if first won, 0 if second did, 0.5 for a tie.

    For a ranking whose error matters use Bradley–Terry, which does not depend on the order.
    """
    require_finite("k", k)
    if k <= 0:
        raise UsageError("error.stats.elo_k", found=f"{k:g}")
    require_finite("initial", initial)
    left, right = np.asarray(first).ravel(), np.asarray(second).ravel()
    results = as_floats(outcome).ravel()
    require_same_length("first_models", left, "second_models", right)
    require_same_length("first_models", left, "outcomes", results)
    models, codes = encode(np.concatenate([left, right]))
    one, two = codes[: len(left)], codes[len(left) :]
    there = (one >= 0) & (two >= 0) & (one != two) & ~np.isnan(results)
    ratings = [initial] * len(models)
    for i, j, result in zip(one[there].tolist(), two[there].tolist(), results[there].tolist(), strict=True):
        change = k * (result - expected_score(ratings[i], ratings[j]))
        ratings[i] += change
        ratings[j] -= change
    n = {"models": len(models), "comparisons": int(there.sum()), "missing": int(len(there) - there.sum())}
    return EloRatings(ratings=dict(zip(models.tolist(), ratings, strict=True)), k=k, initial=initial, n=n)
