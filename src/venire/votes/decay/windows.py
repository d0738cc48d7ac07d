"""Scores of votes that come in the order of time, window after window, without sorting them by item.

Where most windows have votes on most items, a table of all items is brought forward from window to window by
S_t = α·S_{t−1} + (1−α)·⟨v_t⟩, and Σw² likewise. It takes a third of the time of sorting, and no memory for the votes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from venire.votes.decay.items import all_count_one

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from venire.votes.decay.batches import CountedVotes
    from venire.votes.decay.terms import Decay

    FloatArray = NDArray[np.float64]

_MANY = 1 << 16
"""From how many votes on it is worth the while."""
_CELLS_A_VOTE = 4
"""Up to how many cells of items × windows there may be for each vote."""


def are_dense(counted: CountedVotes, decay: Decay) -> bool:
    """Tell whether many equal votes come in the order of time, in windows of which each has votes on many items."""
    frame = counted.frame
    if decay.batching.by != "window" or frame.height < _MANY or not all_count_one(frame):
        return False
    times = frame["vote_time"].to_physical()
    if not times.is_sorted():
        return False
    width = decay.batching.window_microseconds
    windows = times[-1] // width - times[0] // width + 1
    return bool(windows * len(counted.items.counts) <= _CELLS_A_VOTE * frame.height)


class WindowScores:
    """The state of all items after the windows that were added."""

    def __init__(self, items: int, decay: Decay) -> None:
        self._rate = decay.rate_per_second / 1e6
        self.last = np.zeros(items, dtype=np.int64)
        self.lowest, self.highest = np.full(items, np.inf), np.full(items, -np.inf)
        self.score, self.alpha, self.concentration = np.zeros(items), np.zeros(items), np.zeros(items)
        self.total = np.zeros(items)
        self.batches = np.zeros(items, dtype=np.int64)

    def add(self, codes: NDArray[np.int64], times: NDArray[np.int64], votes: FloatArray) -> None:
        """Add a window: the item, the time and the vote of each of its rows, in the order of time."""
        items = len(self.last)
        sizes = np.bincount(codes, minlength=items)
        totals = np.bincount(codes, votes, minlength=items)
        here = np.flatnonzero(sizes)
        before = self.last[here]
        self.last[codes] = times  # Of several votes on an item the last one stays.
        exponents = -self._rate * (self.last[here] - before)
        exponents[self.batches[here] == 0] = -np.inf  # An item's first batch has no past: nothing of it remains.
        alpha, fresh = np.exp(exponents), -np.expm1(exponents)
        self.score[here] = alpha * self.score[here] + fresh * (totals[here] / sizes[here])
        self.concentration[here] = alpha * alpha * self.concentration[here] + fresh * fresh / sizes[here]
        self.alpha[here] = alpha
        self.batches[here] += 1
        self.total += totals
        np.minimum.at(self.lowest, codes, votes)
        np.maximum.at(self.highest, codes, votes)


def score_windows(counted: CountedVotes, decay: Decay) -> pl.DataFrame:
    """Return the state of every item, as `score_votes` does, of votes that `are_dense`."""
    frame, _, items = counted
    width = decay.batching.window_microseconds
    state = WindowScores(len(items.counts), decay)
    for codes, times, votes in _windows(frame, items.codes, width):
        state.add(codes, times, votes)
    variance, batch_variance = _variances(counted, state, width)
    critical = decay.critical_variance
    return items.names.with_columns(
        pl.Series("score", np.clip(state.score, state.lowest, state.highest)),
        pl.Series("freshness", 1.0 - state.alpha),
        pl.Series("batch_variance", batch_variance),
        pl.Series("variance", variance),
        pl.Series("ambiguous", (batch_variance > critical) | (variance > critical)),
        pl.Series("votes", items.counts),
        pl.Series("batches", state.batches),
        pl.Series("effective_votes", 1.0 / state.concentration),
        pl.Series("last_update", state.last).cast(pl.Datetime("us", "UTC")),
    )


def _variances(counted: CountedVotes, state: WindowScores, width: int) -> tuple[FloatArray, FloatArray]:
    """Return the variance of all votes on each item, and of those of its last batch, in a second pass."""
    frame, _, items = counted
    means, latest = state.total / items.counts, state.last // width
    squares, batch_variance = np.zeros(len(means)), np.zeros(len(means))
    for codes, times, votes in _windows(frame, items.codes, width):
        squares += _squared_deviations(codes, votes, means)
        last = np.flatnonzero(latest[codes] == times[0] // width)
        own, places = np.unique(codes[last], return_inverse=True)
        batch_variance[own] = _batch_variances(places, votes[last])
    squares[state.lowest == state.highest] = 0.0
    return squares / items.counts, batch_variance


def _batch_variances(places: NDArray[np.int64], votes: FloatArray) -> FloatArray:
    sizes = np.bincount(places)
    squares = _squared_deviations(places, votes, np.bincount(places, votes) / sizes)
    lowest, highest = np.full(len(sizes), np.inf), np.full(len(sizes), -np.inf)
    np.minimum.at(lowest, places, votes)
    np.maximum.at(highest, places, votes)
    squares[lowest == highest] = 0.0
    return np.asarray(squares / sizes)


def _squared_deviations(codes: NDArray[np.int64], votes: FloatArray, means: FloatArray) -> FloatArray:
    """Return the sum of squared deviations of votes from the mean of their item."""
    away = votes - means[codes]
    away *= away
    return np.asarray(np.bincount(codes, away, minlength=len(means)), dtype=np.float64)


def _windows(
    frame: pl.DataFrame, codes: NDArray[np.uint32], width: int
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], FloatArray]]:
    """Yield the item, the time and the vote of the rows of each window."""
    times, votes = frame["vote_time"].to_physical(), frame["vote"]
    edges = np.arange(times[0] // width + 1, times[-1] // width + 1) * width
    ends = [*times.search_sorted(pl.Series(edges, dtype=pl.Int64), side="left").to_list(), frame.height]
    begin = 0
    for end in ends:
        if end > begin:
            rows = end - begin
            own = codes[begin:end].astype(np.int64)
            yield own, times.slice(begin, rows).to_numpy(), votes.slice(begin, rows).to_numpy()
        begin = end
