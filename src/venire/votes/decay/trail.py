"""What a score is made of: every vote with its batch, its α and its weight."""

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
