"""Ranges of ranks: which places each model may have, given the errors of all models together.

All differences that ranges rest on hold at once: they use the largest of all studentised errors, whose quantile is
found by drawing from their joint distribution. A model's best rank is one more than the number of models that are
surely better, its worst rank leaves out those that are surely worse (Mogstad, Romano, Shaikh & Wilhelm 2024, Inference
for Ranks with Applications to Mobility across Neighborhoods, Rev. Econ. Stud. 91, 476–518).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from venire.stats.observations import as_floats, encode, require_same_length
from venire.stats.uncertainty.intervals import require_level
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import ArrayLike

    from venire.stats.observations import FloatArray, IntArray

DRAWS = 10_000
"""How many draws the quantiles of the largest error rest on."""
SEED = 20260101
"""The seed of these draws, so that a ranking can be made again."""


class RankRange(msgspec.Struct, frozen=True, kw_only=True):
    """The places that a model may have among all."""

    rank: int
    """Its place by its mean, from 1; equal means share the better place."""
    best: int | None
    """The best rank that the scores leave open; None if errors are not known."""
    worst: int | None
    """The worst rank that they leave open."""
    method: str
    """How the range was made."""
    reason: str = ""
    """Why there is no range; empty if there is one."""


def rank_scores(
    scores: ArrayLike, models: ArrayLike, clusters: ArrayLike, *, level: float = 0.95
) -> dict[Any, RankRange]:
    """Return the range of ranks of each model, the best first, from a list of scores with their models and questions.

    Errors are clustered by question, so that models that answered the same ones are compared on them. Models whose
    difference does not vary are not told apart. A model with a single question has no range and may stand anywhere.

    >>> found = rank_scores([1, 2, 3, 9, 8, 9, 1, 3, 2], [*"aaabbbccc"], [1, 2, 3, 1, 2, 3, 1, 2, 3])
    >>> [(name, each.best, each.worst) for name, each in found.items()]
    [('b', 1, 1), ('a', 2, 3), ('c', 2, 3)]
    """
    require_level(level)
    values, (names, owner), (_, codes) = as_floats(scores).ravel(), encode(models), encode(clusters)
    require_same_length("values", values, "values_to_pair_them_with", owner)
    require_same_length("values", values, "clusters", codes)
    there = ~np.isnan(values) & (owner >= 0) & (codes >= 0)
    values, owner, codes = values[there], owner[there], codes[there]
    kept, owner = np.unique(owner, return_inverse=True)
    if not len(kept):
        return {}
    counts = np.bincount(owner)
    means: FloatArray = np.bincount(owner, weights=values) / counts
    covariance, groups = _covariance(values - means[owner], owner, codes, counts)
    loose = groups < 2
    covariance[loose] = covariance[:, loose] = np.nan
    best, worst, _ = rank_ranges(means, covariance, int(min(groups[~loose], default=2)) - 1, level)
    method, missing = say("method.rank_ranges", draws=DRAWS), say("reason.rank_of_one_question")
    found = {}
    for place in sorted(range(len(kept)), key=lambda each: (-means[each], each)):
        ends = (None, None) if loose[place] else (int(best[place]), int(worst[place]))
        found[names[kept[place]]] = RankRange(
            rank=1 + int((means > means[place]).sum()), best=ends[0], worst=ends[1], method=method,
            reason=missing if loose[place] else "",
        )  # fmt: skip
    return found


def rank_told_apart(models: Sequence[str], told_apart: Collection[tuple[str, str]]) -> dict[str, RankRange]:
    """Return the range of ranks of each model from the comparisons of every two: who is surely better than whom.

    The models come best first. The ranges hold at once with the confidence with which all these comparisons do.

    >>> found = rank_told_apart(["a", "b", "c"], [("a", "c")])
    >>> [(name, each.best, each.worst) for name, each in found.items()]
    [('a', 1, 2), ('b', 1, 3), ('c', 2, 3)]
    """
    better = {name: {first for first, second in told_apart if second == name} for name in models}
    worse = {name: {second for first, second in told_apart if first == name} for name in models}
    method = say("method.ranks_told_apart")
    return {
        name: RankRange(rank=place, best=1 + len(better[name]), worst=len(models) - len(worse[name]), method=method)
        for place, name in enumerate(models, start=1)
    }


def rank_ranges(
    strengths: FloatArray, covariance: FloatArray, degrees: int | None, level: float
) -> tuple[IntArray, IntArray, float | None]:
    """Return the best and worst rank of each model, and how many errors wide all intervals of strengths must be.

    `degrees` are those of Student's t, None for a normal distribution. A model whose covariance is NaN may stand
    anywhere; the last is None, and no rank is known, where that of every model is.
    """
    k = len(strengths)
    firm = np.flatnonzero(~np.isnan(np.diag(covariance)))
    if len(firm) < k:
        best, worst = np.ones(k, dtype=np.intp), np.full(k, k)
        if not len(firm):
            return best, worst, None
        best[firm], some, alone = rank_ranges(strengths[firm], covariance[np.ix_(firm, firm)], degrees, level)
        worst[firm] = some + k - len(firm)
        return best, worst, alone
    draws = _draws(covariance, degrees)
    errors = np.sqrt(np.maximum(np.diag(covariance), 1e-300))
    alone = float(np.quantile((np.abs(draws) / errors).max(axis=1), level))
    spread = np.diag(covariance)[:, None] + np.diag(covariance) - 2 * covariance
    # A difference without an error that could be measured tells nobody apart.
    known = spread > 1e-12 * (np.diag(covariance)[:, None] + np.diag(covariance) + 1e-300)
    pair_errors = np.sqrt(np.where(known, spread, np.inf))
    largest = np.zeros(len(draws))
    for i in range(k - 1):
        apart = np.abs(draws[:, i : i + 1] - draws[:, i + 1 :]) / pair_errors[i, i + 1 :]
        np.maximum(largest, apart.max(axis=1), out=largest)
    margin = float(np.quantile(largest, level)) * pair_errors if known.any() else pair_errors
    stronger = (strengths[None, :] - strengths[:, None]) > margin
    np.fill_diagonal(stronger, val=False)
    return 1 + stronger.sum(axis=1), k - stronger.sum(axis=0), alone


def _covariance(
    deviations: FloatArray, owner: IntArray, codes: IntArray, counts: IntArray
) -> tuple[FloatArray, IntArray]:
    """Return the covariance of the models' means, clustered by question, and how many questions each model has."""
    questions, place = np.unique(codes, return_inverse=True)
    size = (len(questions), len(counts))
    flat = place.reshape(-1) * size[1] + owner
    sums = np.bincount(flat, weights=deviations, minlength=size[0] * size[1]).reshape(size) / counts
    groups = (np.bincount(flat, minlength=size[0] * size[1]).reshape(size) > 0).sum(axis=0)
    sums *= np.sqrt(groups / np.maximum(groups - 1, 1))
    return sums.T @ sums, groups


def _draws(covariance: FloatArray, degrees: int | None) -> FloatArray:
    """Draw errors of all strengths from their joint distribution, Student's t where clusters are few."""
    generator = np.random.default_rng(SEED)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws: FloatArray = generator.standard_normal((DRAWS, len(covariance))) @ root.T
    if degrees:
        draws *= np.sqrt(degrees / generator.chisquare(degrees, DRAWS))[:, None]
    return draws
