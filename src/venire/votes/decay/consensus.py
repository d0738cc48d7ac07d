"""The consensus of votes that age: S_t = α·S_{t−1} + (1−α)·⟨v_t⟩ with α = e^(−λΔt), for all items at once.

GrandJury (arXiv:2508.02926), section 3. The first batch has no past: S_0 = ⟨v_0⟩. Unrolled, the product of the α
between a batch k and the last batch n telescopes, so that every batch has its weight in closed form:

    w_0 = e^(−λ(t_n−t_0)),   w_k = e^(−λ(t_n−t_k)) · (1 − e^(−λ(t_k−t_{k−1}))),   Σ w = 1,   S_n = Σ w_k ⟨v_k⟩

A larger Δt gives the newest batch more weight, not less.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import polars as pl

from venire.votes.decay.batches import VoteBatches, count_votes, sort_batches
from venire.votes.decay.items import ITEM
from venire.votes.decay.terms import Decay
from venire.votes.decay.windows import are_dense, score_windows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    FloatArray = NDArray[np.float64]


class Consensus(msgspec.Struct, frozen=True, eq=False):
    """The state of every item that has a vote."""

    frame: pl.DataFrame
    """One row for each item: its names, then `score`, `freshness`, `batch_variance`, `variance`, `ambiguous`, `votes`,
    `batches`, `effective_votes`, `last_update`. See `score_votes`."""
    decay: Decay
    """The terms."""
    as_of: datetime | None
    """The moment up to which votes count; None if all do."""


class BatchMeans(msgspec.Struct, frozen=True, eq=False):
    """What each batch says, whatever its weight."""

    means: FloatArray
    """The mean vote of each batch, weighted by reputation: ⟨v_t⟩."""
    shares: FloatArray
    """The sum of squared shares of single votes in the batch: one over their number if reputations are equal."""
    alphas: FloatArray
    """The factor by which the batch shrank all that was before it; 0 for an item's first batch."""
    weights: FloatArray
    """The weight of the batch in the item's score; those of an item sum to 1."""


def score_votes(
    frame: pl.DataFrame, decay: Decay | None = None, *, as_of: datetime | None = None, by: Sequence[str] = ITEM
) -> Consensus:
    """Score all items of a frame of votes; the order of its rows does not matter.

    `freshness` is 1 − α of the last batch: the share of the score that it contributes. `batch_variance` is the
    population variance of the votes of the last batch, `variance` that of all votes on the item; it is ambiguous if
    either is above the critical one. `effective_votes` is 1/Σw² over single votes (Kish 1965). Items without a vote
    up to `as_of` have no row.
    """
    terms = decay or Decay()
    counted = count_votes(frame, by=by, as_of=as_of)
    if are_dense(counted, terms):
        return Consensus(score_windows(counted, terms), terms, as_of)
    parts = sort_batches(counted, terms.batching)
    return Consensus(pl.concat(score_batches(part, terms) for part in parts), terms, as_of)


def score_batches(batches: VoteBatches, decay: Decay) -> pl.DataFrame:
    """Return the state of every item; see `score_votes`."""
    means = weigh_batches(batches, decay)
    first, last = batches.batch_starts[:-1], batches.batch_starts[1:] - 1
    votes_first = batches.vote_starts[first]
    lowest = reduce_runs(np.minimum, batches.votes, votes_first)
    highest = reduce_runs(np.maximum, batches.votes, votes_first)
    score = reduce_runs(np.add, means.weights * means.means, first)
    # Weights sum to 1 but for rounding, which must not carry a score beyond all votes.
    np.clip(score, lowest, highest, out=score)
    variance = _variances(batches.votes, votes_first, batches.item_votes)
    latest, sizes = _latest_votes(batches, last)
    batch_variance = _variances(batches.votes[latest], np.cumsum(sizes) - sizes, sizes)
    concentration = reduce_runs(np.add, means.weights**2 * means.shares, first)
    critical = decay.critical_variance
    return batches.items.with_columns(
        pl.Series("score", score),
        pl.Series("freshness", 1.0 - means.alphas[last]),
        pl.Series("batch_variance", batch_variance),
        pl.Series("variance", variance),
        pl.Series("ambiguous", (batch_variance > critical) | (variance > critical)),
        pl.Series("votes", batches.item_votes),
        pl.Series("batches", np.diff(batches.batch_starts)),
        pl.Series("effective_votes", 1.0 / concentration),
        pl.Series("last_update", batches.times[last]).cast(pl.Datetime("us", "UTC")),
    )


def weigh_batches(batches: VoteBatches, decay: Decay) -> BatchMeans:
    """Return the mean, the α and the weight of every batch."""
    starts, sizes = batches.vote_starts[:-1], batches.batch_votes
    if batches.reputations is None:
        means = reduce_runs(np.add, batches.votes, starts) / sizes
        shares = 1.0 / sizes
    else:
        # Scaled by the largest of the batch, so that neither tiny nor huge reputations leave the range of doubles.
        scaled = batches.reputations / np.repeat(reduce_runs(np.maximum, batches.reputations, starts), sizes)
        totals = reduce_runs(np.add, scaled, starts)
        means = reduce_runs(np.add, scaled * batches.votes, starts) / totals
        shares = reduce_runs(np.add, scaled**2, starts) / totals**2
    alphas, weights = weigh_times(batches.times, batches.batch_starts, decay)
    return BatchMeans(means, shares, alphas, weights)


def weigh_times(
    times: NDArray[np.int64], batch_starts: NDArray[np.int64], decay: Decay
) -> tuple[FloatArray, FloatArray]:
    """Return the α and the weight of every batch, from when each was complete and where the items begin."""
    first, last = batch_starts[:-1], batch_starts[1:] - 1
    rate = decay.rate_per_second / 1e6
    exponents = -rate * np.diff(times, prepend=times[:1])
    exponents[first] = -np.inf  # An item's first batch has no past: nothing of it remains.
    ends = np.repeat(times[last], np.diff(batch_starts))
    weights = np.exp(-rate * (ends - times))
    weights *= -np.expm1(exponents)
    return np.exp(exponents), weights


def vote_weights(batches: VoteBatches, means: BatchMeans) -> FloatArray:
    """Return the weight of every single vote in the score of its item; those of an item sum to 1."""
    starts, sizes = batches.vote_starts[:-1], batches.batch_votes
    if batches.reputations is None:
        return np.repeat(means.weights / sizes, sizes)
    scaled = batches.reputations / np.repeat(reduce_runs(np.maximum, batches.reputations, starts), sizes)
    return np.asarray(scaled * np.repeat(means.weights / reduce_runs(np.add, scaled, starts), sizes))


def reduce_runs(operation: np.ufunc, values: NDArray[Any], starts: NDArray[np.int64]) -> NDArray[Any]:
    """Return what an operation makes of each run of values, given where the runs begin."""
    if not len(starts):
        return np.zeros(0, dtype=values.dtype)
    result: NDArray[Any] = operation.reduceat(values, starts)
    return result


def _variances(votes: FloatArray, starts: NDArray[np.int64], sizes: NDArray[np.int64]) -> FloatArray:
    """Return population variances in two passes, which equal votes leave at exactly 0."""
    deviations = votes - np.repeat(reduce_runs(np.add, votes, starts) / sizes, sizes)
    deviations *= deviations
    variance = reduce_runs(np.add, deviations, starts) / sizes
    variance[reduce_runs(np.minimum, votes, starts) == reduce_runs(np.maximum, votes, starts)] = 0.0
    return variance


def _latest_votes(batches: VoteBatches, last: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the votes of each item's last batch stand, and how many there are."""
    sizes = batches.batch_votes[last]
    ends = np.cumsum(sizes)
    offsets = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - sizes, sizes)
    return np.repeat(batches.vote_starts[last], sizes) + offsets, sizes
