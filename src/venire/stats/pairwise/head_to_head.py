"""Two models by the comparisons in which they met: who won how often, with an interval clustered by question."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.stats.comparison.win_matrix import require_weights
from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_share import effective_share_interval
from venire.stats.uncertainty.intervals import require_level
from venire.words.said import say

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray


class HeadToHead(msgspec.Struct, frozen=True, kw_only=True):
    """How one model did against another where they met."""

    model: Any
    """The model that the counts and the share are of."""
    other: Any
    """The model that it met."""
    won: float
    """How many comparisons it won; with weights, what they count for."""
    tied: float
    """How many were ties."""
    lost: float
    """How many it lost."""
    share: Estimate
    """Its share of the points: 1 for a win, ½ for a tie."""
    ties: Estimate
    """The share of ties among these comparisons."""
    p_value: float | None
    """The exact p value of an even match: a sign test over questions; None if no question leans to one side."""


def head_to_head(
    first: ArrayLike,
    second: ArrayLike,
    outcome: ArrayLike,
    model: Any,
    other: Any,
    *,
    clusters: ArrayLike | None = None,
    weights: ArrayLike | None = None,
    level: float = 0.95,
) -> HeadToHead:
    """Hold one model against another by the comparisons of just these two, in whichever order they were shown.

    `outcome` is 1 if first won, 0 if second did, 0.5 for a tie; `clusters` names the question of each comparison.

    >>> found = head_to_head(["a", "b", "a"], ["b", "a", "c"], [1, 0.5, 0], "a", "b")
    >>> found.won, found.tied, found.lost, found.share.value
    (1.0, 1.0, 0.0, 0.75)
    """
    require_level(level)
    points = as_floats(outcome).ravel()
    left, right = np.asarray(first).ravel(), np.asarray(second).ravel()
    for name, column in (("first_models", left), ("second_models", right)):
        require_same_length("outcomes", points, name, column)
    groups = np.arange(len(points)) if clusters is None else encode(clusters)[1]
    require_same_length("outcomes", points, "clusters", groups)
    weighed = require_weights(weights, points)
    is_forward = (left == model) & (right == other)
    used = (is_forward | ((left == other) & (right == model))) & ~np.isnan(points) & (groups >= 0)
    points = np.where(is_forward, points, 1 - points)[used]
    groups = encode(groups[used])[1]
    worth = np.ones(len(points)) if weighed is None else weighed[used]
    return HeadToHead(
        model=model,
        other=other,
        won=float(worth[points > 0.5].sum()),
        tied=float(worth[points == 0.5].sum()),
        lost=float(worth[points < 0.5].sum()),
        share=weighted_share(points, groups, worth, level),
        ties=weighted_share((points == 0.5).astype(np.float64), groups, worth, level),
        p_value=sign_test((points - 0.5) * worth, groups),
    )


def weighted_share(points: FloatArray, clusters: IntArray, weights: FloatArray, level: float) -> Estimate:
    """Give a weighted mean of points from 0 to 1 with Korn and Graubard's interval, by clusters numbered from 0.

    The error is that of a ratio: Σ_g (Σ_{i∈g} wᵢ(xᵢ − x̄))² · G/(G−1), over (Σw)².
    """
    method = say("method.points_share_clustered")
    count, groups = len(points), int(clusters.max(initial=-1)) + 1
    n = {"comparisons": count, "clusters": groups}
    if not count:
        return Estimate.unknown(method, say("reason.never_met"), n=n)
    share = min(max(float(weights @ points / weights.sum()), 0.0), 1.0)
    if groups < 2:
        return Estimate(value=share, method=method, n=n, reason=say("reason.one_cluster"))
    sums = np.bincount(clusters, weights=weights * (points - share)) / weights.sum()
    error = math.sqrt(float(sums @ sums) * groups / (groups - 1))
    low, high = effective_share_interval(share, error, groups, groups - 1, level)
    return Estimate(value=share, low=low, high=high, level=level, standard_error=error, method=method, n=n)


def sign_test(leanings: FloatArray, clusters: IntArray) -> float | None:
    """Return the two-sided exact p value of no leaning: a sign test over clusters (Dixon & Mood 1946).

    A cluster counts once, by what its leanings sum to; where none leans to one side it is not known.
    """
    from scipy.stats import binomtest

    summed = np.round(np.bincount(np.unique(clusters, return_inverse=True)[1], weights=leanings), 9)
    above, below = int((summed > 0).sum()), int((summed < 0).sum())
    return float(binomtest(above, above + below).pvalue) if above + below else None
