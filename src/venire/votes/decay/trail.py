"""What a score is made of: every vote with its batch, its α and its weight; and how scores came to be over time."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from venire.votes.decay.batches import make_batches
from venire.votes.decay.consensus import vote_weights, weigh_batches
from venire.votes.decay.items import ITEM
from venire.votes.decay.terms import Decay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.votes.decay.consensus import FloatArray

_MOMENT = pl.Datetime("us", "UTC")


def trail(
    frame: pl.DataFrame, decay: Decay | None = None, *, as_of: datetime | None = None, by: Sequence[str] = ITEM
) -> pl.DataFrame:
    """Return every vote that counts, in order of item and time, with all that decided its weight.

    Beside the columns of the frame there are `batch` (from 1 on in each item), `batch_time`, `alpha` (the factor by
    which the batch shrank its past; 0 for the first), `batch_weight` and `weight`. The weights of an item sum to 1,
    and Σ weight·vote is its score.
    """
    terms = decay or Decay()
    batches = make_batches(frame, terms.batching, by=by, as_of=as_of)
    means = weigh_batches(batches, terms)
    sizes = batches.batch_votes
    count = np.diff(batches.batch_starts)
    place = np.arange(len(batches.times)) - np.repeat(batches.batch_starts[:-1], count) + 1

    def for_each_vote(name: str, values: object) -> pl.Series:
        return pl.Series(name, np.repeat(values, sizes))  # type: ignore[call-overload]

    return frame[batches.rows].with_columns(
        for_each_vote("batch", place),
        for_each_vote("batch_time", batches.times).cast(_MOMENT),
        for_each_vote("alpha", means.alphas),
        for_each_vote("batch_weight", means.weights),
        pl.Series("weight", vote_weights(batches, means)),
    )


def trajectories(
    frame: pl.DataFrame, decay: Decay | None = None, *, as_of: datetime | None = None, by: Sequence[str] = ITEM
) -> pl.DataFrame:
    """Return the state of every item after each of its batches: a row for each batch, in order of item and time.

    Beside the names of the item there are `time`, `batch`, `votes` (of the batch), `batch_mean`, `freshness` and
    `score`; the last row of an item has the score that `score_votes` gives.
    """
    terms = decay or Decay()
    batches = make_batches(frame, terms.batching, by=by, as_of=as_of)
    means = weigh_batches(batches, terms)
    count = np.diff(batches.batch_starts)
    owner = np.repeat(np.arange(len(count)), count)
    return batches.items[owner].with_columns(
        pl.Series("time", batches.times).cast(_MOMENT),
        pl.Series("batch", np.arange(len(owner)) - batches.batch_starts[owner] + 1),
        pl.Series("votes", batches.batch_votes),
        pl.Series("batch_mean", means.means),
        pl.Series("freshness", 1.0 - means.alphas),
        pl.Series("score", run_recurrence(means.alphas, means.means)),
    )


def run_recurrence(alphas: FloatArray, means: FloatArray) -> FloatArray:
    """Return S_k = α_k·S_{k−1} + (1−α_k)·m_k for all k, where α = 0 begins anew.

    Each step is the map x ↦ a·x + b, and maps compose associatively: composing each with the one before it, then with
    the two before that, and so on (Hillis & Steele 1986) needs log₂ n passes over whole arrays.
    """
    factor, offset = alphas.copy(), (1.0 - alphas) * means
    reach = 1
    while reach < len(factor) and factor[reach:].any():
        offset[reach:] += factor[reach:] * offset[:-reach]
        factor[reach:] = factor[reach:] * factor[:-reach]
        reach *= 2
    return offset
