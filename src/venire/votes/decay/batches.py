"""Votes as sorted arrays: by item, by time, cut into batches. The common ground of everything that decays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import numpy as np
import polars as pl

from venire.errors import UsageError
from venire.votes.decay.items import ITEM, NumberedItems, all_count_one, number_items

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from venire.votes.decay.terms import Batching


class VoteBatches(msgspec.Struct, frozen=True, eq=False):
    """All votes of all items, sorted by item and time, in batches."""

    items: pl.DataFrame
    """The names of the items, one row each."""
    votes: NDArray[np.float64]
    """The votes."""
    reputations: NDArray[np.float64] | None
    """The weights of votes within their batches; None if all are 1."""
    rows: NDArray[Any]
    """Where each vote stands in the frame it came from."""
    vote_starts: NDArray[np.int64]
    """Where the votes of each batch begin; one more at the end than there are batches."""
    batch_starts: NDArray[np.int64]
    """Where the batches of each item begin; one more at the end than there are items."""
    times: NDArray[np.int64]
    """When each batch was complete, in microseconds since 1970."""
    first_times: NDArray[np.int64]
    """When each batch was begun."""

    @property
    def item_votes(self) -> NDArray[np.int64]:
        """How many votes each item has."""
        return np.diff(self.vote_starts[self.batch_starts])

    @property
    def batch_votes(self) -> NDArray[np.int64]:
        """How many votes each batch has."""
        return np.diff(self.vote_starts)


_AT_ONCE = 1 << 18
"""How many votes are looked at together, so that what is made of them stays in the cache."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def make_batches(
    frame: pl.DataFrame, batching: Batching, *, by: Sequence[str] = ITEM, as_of: datetime | None = None
) -> VoteBatches:
    """Sort the votes of a frame into batches; rows without a vote are left out, and votes after `as_of` too.

    `by` says what makes an item. Raises `UsageError` if it does not name the inference or `as_of` has no zone.
    """
    return next(iterate_batches(frame, batching, by=by, as_of=as_of, votes_at_once=None))


def iterate_batches(
    frame: pl.DataFrame,
    batching: Batching,
    *,
    by: Sequence[str] = ITEM,
    as_of: datetime | None = None,
    votes_at_once: int | None = _AT_ONCE,
) -> Iterator[VoteBatches]:
    """Yield what `make_batches` returns in parts of whole items, of about so many votes each; None is one part.

    There is always at least one part. Parts keep the arrays that arithmetic makes small beside the frame.
    """
    return sort_batches(count_votes(frame, by=by, as_of=as_of), batching, votes_at_once=votes_at_once)


class CountedVotes(NamedTuple):
    """The votes of a frame that count, and their items."""

    frame: pl.DataFrame
    """The rows that count."""
    rows: pl.Series | None
    """Where they stand in the frame that was given; None if all of it counts."""
    items: NumberedItems
    """The items they are on."""


def count_votes(frame: pl.DataFrame, *, by: Sequence[str] = ITEM, as_of: datetime | None = None) -> CountedVotes:
    """Leave out rows without a vote and votes after `as_of`, and number the items; raises as `make_batches` does."""
    if "inference_id" not in by or not set(by) <= set(ITEM):
        raise UsageError("error.votes.decay.items", known=ITEM[1:], found=tuple(by))
    rows = _chosen(frame, as_of)
    counted = frame if rows is None else frame[rows]
    return CountedVotes(counted, rows, number_items(counted, by))


def sort_batches(
    counted: CountedVotes, batching: Batching, *, votes_at_once: int | None = _AT_ONCE
) -> Iterator[VoteBatches]:
    """Yield what `iterate_batches` does of votes that are counted already."""
    frame, rows, (names, codes, counts) = counted
    ends = np.cumsum(counts)
    times, votes = frame["vote_time"].to_physical().to_numpy(), frame["vote"].to_numpy()
    reputations = None if all_count_one(frame) else frame["reputation"].to_numpy()
    order = _order(codes, times)
    start = item = 0
    while True:
        wanted = len(order) if votes_at_once is None else start + votes_at_once
        stop_item = min(int(np.searchsorted(ends, wanted, side="right")) + 1, names.height)
        stop = int(ends[stop_item - 1]) if stop_item else 0
        part = order[start:stop]
        yield _part(
            names[item:stop_item],
            ends[item:stop_item] - start,
            np.take(times, part),
            np.take(votes, part),
            None if reputations is None else np.take(reputations, part),
            part if rows is None else rows.to_numpy()[part],
            batching,
        )
        start, item = stop, stop_item
        if item >= names.height:
            return


def _part(
    names: pl.DataFrame,
    ends: NDArray[np.int64],
    times: NDArray[np.int64],
    votes: NDArray[np.float64],
    reputations: NDArray[np.float64] | None,
    rows: NDArray[Any],
    batching: Batching,
) -> VoteBatches:
    item_starts = np.append(0, ends[:-1]) if len(ends) else ends
    starts = _batch_starts(item_starts, times, batching)
    bounds = np.append(starts, len(times))
    return VoteBatches(
        items=names,
        votes=votes,
        reputations=reputations,
        rows=rows,
        vote_starts=bounds,
        batch_starts=np.searchsorted(starts, np.append(item_starts, len(times))),
        times=times[bounds[1:] - 1],
        first_times=times[starts],
    )


def microseconds(moment: datetime) -> int:
    """Return a moment as microseconds since 1970. Raises `UsageError` if it has no zone."""
    if moment.tzinfo is None:
        raise UsageError("error.votes.decay.zone", found=moment.isoformat())
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _chosen(frame: pl.DataFrame, as_of: datetime | None) -> pl.Series | None:
    """Return which rows count, or None if all do."""
    keep: pl.Series | None = None
    if frame["vote"].null_count():
        keep = frame["vote"].is_not_null()
    if as_of is not None:
        before = frame["vote_time"].to_physical() <= microseconds(as_of)
        keep = before if keep is None else keep & before
    return None if keep is None or keep.all() else keep.arg_true()


def _order(codes: NDArray[Any], times: NDArray[np.int64]) -> NDArray[Any]:
    """Return the order by item and time."""
    if not len(codes):
        return np.zeros(0, dtype=np.int64)
    if bool((times[1:] >= times[:-1]).all()):
        order = np.arange(len(codes))
        bits = (len(codes) - 1).bit_length()
        if _join(codes, order, bits):
            # One number holds item and place: sorting numbers is five times as fast as sorting places by them.
            order.sort()
            order &= (1 << bits) - 1
            return order
    keys = times - times.min()
    return np.argsort(keys) if _join(codes, keys, int(keys.max()).bit_length()) else np.lexsort((times, codes))


def _join(codes: NDArray[Any], keys: NDArray[np.int64], bits: int) -> bool:
    """Put codes above the given bits of whole numbers, and tell whether there is room for it."""
    if bits + int(codes.max()).bit_length() > 62:
        return False
    for begin in range(0, len(codes), _AT_ONCE):
        keys[begin : begin + _AT_ONCE] += codes[begin : begin + _AT_ONCE].astype(np.int64) << bits
    return True


def _batch_starts(item_starts: NDArray[np.int64], times: NDArray[np.int64], batching: Batching) -> NDArray[np.int64]:
    if not len(times):
        return np.zeros(0, dtype=np.int64)
    begins = np.zeros(len(times), dtype=bool)
    begins[item_starts] = True
    if batching.by == "window":
        labels = times // batching.window_microseconds
    elif batching.by == "count":
        labels = _votes_before(begins, times) // batching.count
    else:
        labels = times
    begins[1:] |= labels[1:] != labels[:-1]
    return np.flatnonzero(begins)


def _votes_before(new_item: NDArray[np.bool_], times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many votes of the item are older than each vote; votes of one moment share the number."""
    new_moment = new_item.copy()
    new_moment[1:] |= times[1:] != times[:-1]
    places = np.arange(len(times))
    moment = np.maximum.accumulate(np.where(new_moment, places, 0))
    item = np.maximum.accumulate(np.where(new_item, places, 0))
    return moment - item
