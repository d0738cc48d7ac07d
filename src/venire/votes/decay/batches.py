"""Votes as sorted arrays: by item, by time, cut into batches. The common ground of everything that decays."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import polars as pl

from venire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from venire.votes.decay.terms import Batching

ITEM = ("inference_id", "voter_prompt_id", "voter_kind")
"""What makes an item: votes that differ in any of these are not averaged, unless someone asks for it."""


class VoteBatches(msgspec.Struct, frozen=True, eq=False):
    """All votes of all items, sorted by item and time, in batches."""

    items: pl.DataFrame
    """The names of the items, one row each."""
    votes: NDArray[np.float64]
    """The votes."""
    reputations: NDArray[np.float64] | None
    """The weights of votes within their batches; None if all are 1."""
    rows: NDArray[np.int64]
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
    votes_at_once: int | None = 1 << 20,
) -> Iterator[VoteBatches]:
    """Yield what `make_batches` returns in parts of whole items, of about so many votes each; None is one part.

    There is always at least one part. Parts keep the arrays that arithmetic makes small beside the frame.
    """
    if "inference_id" not in by or not set(by) <= set(ITEM):
        raise UsageError("error.votes.decay.items", known=ITEM[1:], found=tuple(by))
    rows = _chosen(frame, as_of)
    if rows is not None:
        frame = frame[rows]
    names, codes = item_codes(frame, by)
    counts = np.bincount(codes, minlength=names.height) if frame.height else np.zeros(0, dtype=np.int64)
    ends = np.cumsum(counts)
    times, votes = frame["vote_time"].to_physical().to_numpy(), frame["vote"].to_numpy()
    weights = frame["reputation"]
    reputations = None if not frame.height or weights.min() == weights.max() == 1.0 else weights.to_numpy()
    order = _order(codes, times)
    del codes
    start = item = 0
    while True:
        wanted = len(order) if votes_at_once is None else start + votes_at_once
        stop_item = min(int(np.searchsorted(ends, wanted, side="right")) + 1, names.height)
        stop = int(ends[stop_item - 1]) if stop_item else 0
        part = order[start:stop]
        yield _part(
            names[item:stop_item],
            np.repeat(np.arange(stop_item - item), counts[item:stop_item]),
            times[part],
            votes[part],
            None if reputations is None else reputations[part],
            np.asarray(part if rows is None else rows.to_numpy()[part], dtype=np.int64),
            batching,
        )
        start, item = stop, stop_item
        if item >= names.height:
            return


def _part(
    names: pl.DataFrame,
    codes: NDArray[np.int64],
    times: NDArray[np.int64],
    votes: NDArray[np.float64],
    reputations: NDArray[np.float64] | None,
    rows: NDArray[np.int64],
    batching: Batching,
) -> VoteBatches:
    starts = _batch_starts(codes, times, batching)
    bounds = np.append(starts, len(codes))
    return VoteBatches(
        items=names,
        votes=votes,
        reputations=reputations,
        rows=rows,
        vote_starts=bounds,
        batch_starts=np.searchsorted(codes[starts], np.arange(names.height + 1)),
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


def item_codes(frame: pl.DataFrame, by: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """Give items numbers from 0 on; return their names and the number of each row."""
    codes = np.zeros(frame.height, dtype=np.int64)
    sizes: list[int] = []
    values: list[pl.Series] = []
    for name in by:
        column = frame[name]
        if not frame.height or _is_constant(column):
            values.append(column.head(1).cast(pl.String))
            sizes.append(1)
            continue
        named = column if isinstance(column.dtype, pl.Categorical) else column.cast(_fresh_categories())
        size = int(named.to_physical().max()) + 1  # type: ignore[arg-type]
        codes *= size
        codes += named.to_physical().to_numpy()
        values.append(pl.Series(name, np.arange(size, dtype=np.uint32)).cat.to(named.dtype).cast(pl.String))
        sizes.append(size)
    present = _distinct(codes, int(np.prod(sizes, dtype=object)))
    parts = np.unravel_index(present, sizes) if len(present) else [present] * len(sizes)
    names = {name: value[part] for name, value, part in zip(by, values, parts, strict=True)}
    return pl.DataFrame(names), _renumber(codes, present)


def _is_constant(column: pl.Series) -> bool:
    physical = column.to_physical() if isinstance(column.dtype, pl.Categorical) else column
    return bool((physical == physical[0]).all())


def _fresh_categories() -> Any:
    return pl.Categorical(pl.Categories.random())


def _distinct(codes: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    if size <= max(4 * len(codes), 1024):
        return np.flatnonzero(np.bincount(codes, minlength=size))
    return np.unique(codes)


def _renumber(codes: NDArray[np.int64], present: NDArray[np.int64]) -> NDArray[np.int64]:
    if not len(present) or len(present) == int(present[-1]) + 1:
        return codes
    return np.searchsorted(present, codes)


def _order(codes: NDArray[np.int64], times: NDArray[np.int64]) -> NDArray[Any]:
    """Return the order by item and time; what is in `codes` is used up."""
    if not len(codes):
        return np.zeros(0, dtype=np.int64)
    if bool((times[1:] >= times[:-1]).all()) and len(codes) < 2**31:
        return _counting_order(codes)
    first, last = int(times.min()), int(times.max())
    bits = (last - first).bit_length()
    if bits + int(codes.max()).bit_length() > 62:
        return np.lexsort((times, codes))
    # One number holds item and time: sorting it is three times as fast as sorting by two.
    codes <<= bits
    codes += times
    codes -= first
    return np.argsort(codes)


def _counting_order(codes: NDArray[np.int64]) -> NDArray[Any]:
    """Return the order by item in which rows of one item keep theirs: a counting sort, as SciPy transposes tables."""
    from scipy.sparse import csc_array

    rows = len(codes)
    single = (np.ones(rows, dtype=np.int8), codes.astype(np.int32), np.arange(rows + 1, dtype=np.int32))
    order: NDArray[Any] = csc_array(single, shape=(int(codes.max()) + 1, rows)).tocsr().indices
    return order


def _batch_starts(codes: NDArray[np.int64], times: NDArray[np.int64], batching: Batching) -> NDArray[np.int64]:
    if not len(codes):
        return np.zeros(0, dtype=np.int64)
    begins = np.empty(len(codes), dtype=bool)
    begins[0] = True
    np.not_equal(codes[1:], codes[:-1], out=begins[1:])
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
