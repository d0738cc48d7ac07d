"""Votes as sums that can be merged: all that the decayed consensus needs of a batch, however its votes were split.

Shards of a large set of votes give the sums of their batches; batches of one item and one label are then added up, and
scored as `consensus.score_votes` scores the votes themselves. Windows of time and single moments name their
batches by the clock, so that they can be merged; batches of so many votes need all votes of an item, and cannot.
Squared deviations are merged by the update of Chan, Golub & LeVeque (1983), which loses no digits to a large mean.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from venire.errors import UsageError
from venire.votes.decay.batches import iterate_batches, microseconds
from venire.votes.decay.consensus import reduce_runs, weigh_times
from venire.votes.decay.items import ITEM, number_items

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from numpy.typing import NDArray

    from venire.votes.decay.batches import VoteBatches
    from venire.votes.decay.terms import Batching, Decay

    Array = NDArray[Any]

SHARD = "shard"
"""The column that says which shard a row of sums came from; the caller adds it before merging."""

_NUMBERS = {
    "label": pl.Int64(), "first": pl.Int64(), "last": pl.Int64(), "votes": pl.Int64(), "total": pl.Float64(),
    "squares": pl.Float64(), "low": pl.Float64(), "high": pl.Float64(),
}  # fmt: skip
_WEIGHTS = ("top", "weight", "weighted", "weight_squares")


def batch_sums(
    frame: pl.DataFrame, batching: Batching, *, by: Sequence[str] = ITEM, as_of: datetime | None = None
) -> pl.DataFrame:
    """Return one row for each batch of each item of a frame of votes, with the sums that merging needs.

    `label` names the batch, `first` and `last` are its moments in microseconds since 1970; then come the number of
    `votes`, their `total`, the `squares` of their deviations from the mean, `low`, `high`, and the sums of
    reputations over the largest, `top`, in columns that are there only if any is not 1. Rows that do not count, as
    nobody voted or it was after `as_of`, give batches of no votes: they tell `may_repeat` that someone was there.
    Raises `UsageError` for batches of so many votes.
    """
    require_mergeable(batching)
    parts = [_sums_of(part, batching) for part in iterate_batches(frame, batching, by=by, as_of=as_of)]
    silent = _silent(frame, batching, by, as_of)
    return pl.concat([*parts, silent] if silent.height else parts, how="diagonal")


def require_mergeable(batching: Batching) -> None:
    """Raise `UsageError` unless batches are named by the clock."""
    if batching.by == "count":
        raise UsageError("error.votes.decay.merge", count=batching.count)


def may_repeat(sums: pl.DataFrame, by: Sequence[str] = ITEM) -> bool:
    """Tell whether a vote of one shard may stand again in another: if votes on an inference overlap in time.

    Two votes are the same only if their moments are; of shards whose votes on an inference under a prompt lie apart in
    time, none can hold another's. The sums need the column `shard`. False means surely not.
    """
    if not sums.height or sums[SHARD].n_unique() < 2:
        return False
    # Someone's vote as a person and as a judge are the same vote: kinds are not told apart here.
    codes = number_items(sums, [name for name in by if name != "voter_kind"]).codes
    order = np.lexsort((sums[SHARD].to_numpy(), sums["label"].to_numpy(), codes))
    label, shard, first, last = (sums[name].to_numpy()[order] for name in ("label", SHARD, "first", "last"))
    codes = codes[order]
    same_batch = (codes[1:] == codes[:-1]) & (label[1:] == label[:-1])
    if not (same_batch & (shard[1:] != shard[:-1])).any():
        return False
    starts = np.flatnonzero(np.append(True, ~same_batch | (shard[1:] != shard[:-1])))
    codes, label = codes[starts], label[starts]
    first, last = reduce_runs(np.minimum, first, starts), reduce_runs(np.maximum, last, starts)
    # In the order of their beginnings, spans of which any two meet have neighbours that do.
    order = np.lexsort((first, label, codes))
    codes, label, first, last = codes[order], label[order], first[order], last[order]
    same_batch = (codes[1:] == codes[:-1]) & (label[1:] == label[:-1])
    return bool((same_batch & (first[1:] <= last[:-1])).any())


def score_sums(sums: pl.DataFrame, decay: Decay, *, by: Sequence[str] = ITEM) -> pl.DataFrame:
    """Merge the sums of any shards and return the state of every item, as `score_votes` does for their votes.

    Numbers are those of `score_votes` but for rounding. Rows are merged in the order of `shard` where there is such a
    column, so that the same shards give the same bits.
    """
    counted = _with_reputations(sums.filter(pl.col("votes") > 0))
    names, codes, _ = number_items(counted, by)
    label = counted["label"].to_numpy()
    shard = counted[SHARD].to_numpy() if SHARD in counted.columns else np.zeros(counted.height, dtype=np.int64)
    order = np.lexsort((shard, label, codes))
    codes, label = codes[order], label[order]
    columns = {name: counted[name].to_numpy()[order] for name in (*_NUMBERS, *_WEIGHTS) if name != "label"}
    begins = np.ones(len(codes), dtype=bool)
    begins[1:] = (codes[1:] != codes[:-1]) | (label[1:] != label[:-1])
    starts = np.flatnonzero(begins)
    batches = _merge(columns, starts)
    item_starts = np.searchsorted(codes[starts], np.arange(names.height + 1))
    return _states(names, batches, item_starts, decay)


def _sums_of(part: VoteBatches, batching: Batching) -> pl.DataFrame:
    starts, sizes = part.vote_starts[:-1], part.batch_votes
    names = part.items[np.repeat(np.arange(part.items.height), np.diff(part.batch_starts))]
    label = part.times // batching.window_microseconds if batching.by == "window" else part.times
    low, high = reduce_runs(np.minimum, part.votes, starts), reduce_runs(np.maximum, part.votes, starts)
    total = reduce_runs(np.add, part.votes, starts)
    deviations = part.votes - np.repeat(total / np.maximum(sizes, 1), sizes)
    squares = np.where(low == high, 0.0, reduce_runs(np.add, deviations * deviations, starts))
    first = part.first_times
    sums = names.with_columns(
        pl.Series("label", label), pl.Series("first", first), pl.Series("last", part.times),
        pl.Series("votes", sizes), pl.Series("total", total), pl.Series("squares", squares),
        pl.Series("low", low), pl.Series("high", high),
    )  # fmt: skip
    if part.reputations is None:
        return sums
    top = reduce_runs(np.maximum, part.reputations, starts)
    scaled = part.reputations / np.repeat(top, sizes)
    weighted = reduce_runs(np.add, scaled * part.votes, starts)
    return sums.with_columns(
        pl.Series("top", top),
        pl.Series("weight", reduce_runs(np.add, scaled, starts)),
        pl.Series("weighted", weighted),
        pl.Series("weight_squares", reduce_runs(np.add, scaled * scaled, starts)),
    )


def _silent(frame: pl.DataFrame, batching: Batching, by: Sequence[str], as_of: datetime | None) -> pl.DataFrame:
    away = frame["vote"].is_null()
    if as_of is not None:
        away |= frame["vote_time"].to_physical() > microseconds(as_of)
    rows = frame.filter(away)
    time = pl.col("vote_time").to_physical()
    label = time // batching.window_microseconds if batching.by == "window" else time
    spans = rows.group_by(*(pl.col(name).cast(pl.String) for name in by), label.alias("label")).agg(
        time.min().alias("first"), time.max().alias("last")
    )
    return spans.with_columns(pl.lit(0, kind).alias(name) for name, kind in _NUMBERS.items() if name not in spans)


def _with_reputations(sums: pl.DataFrame) -> pl.DataFrame:
    """Fill in the sums of reputations where all of a shard are 1."""
    plain = {
        "top": pl.lit(1.0),
        "weight": pl.col("votes"),
        "weighted": pl.col("total"),
        "weight_squares": pl.col("votes"),
    }
    return sums.with_columns(
        (pl.coalesce(name, value) if name in sums.columns else value).cast(pl.Float64).alias(name)
        for name, value in plain.items()
    )


def _merge(columns: dict[str, Array], starts: Array) -> dict[str, Array]:
    """Add up runs of rows, each of one batch."""
    sizes = np.diff(np.append(starts, len(columns["votes"])))
    merged = {name: reduce_runs(np.add, columns[name], starts) for name in ("votes", "total")}
    merged |= {"last": reduce_runs(np.maximum, columns["last"], starts)}
    merged |= {
        "low": reduce_runs(np.minimum, columns["low"], starts),
        "high": reduce_runs(np.maximum, columns["high"], starts),
    }
    merged["squares"] = _merged_squares(columns, merged, starts, sizes)
    top = reduce_runs(np.maximum, columns["top"], starts)
    scale = columns["top"] / np.repeat(top, sizes)
    for name, factor in (("weight", scale), ("weighted", scale), ("weight_squares", scale * scale)):
        merged[name] = reduce_runs(np.add, columns[name] * factor, starts)
    return merged


def _states(names: pl.DataFrame, batches: dict[str, Array], item_starts: Array, decay: Decay) -> pl.DataFrame:
    first, last = item_starts[:-1], item_starts[1:] - 1
    times = batches["last"].astype(np.int64)
    alphas, weights = weigh_times(times, item_starts, decay)
    items = {name: reduce_runs(np.add, batches[name], first) for name in ("votes", "total")}
    items |= {
        "low": reduce_runs(np.minimum, batches["low"], first),
        "high": reduce_runs(np.maximum, batches["high"], first),
    }
    squares = _merged_squares(batches, items, first, np.diff(item_starts))
    score = reduce_runs(np.add, weights * (batches["weighted"] / batches["weight"]), first)
    np.clip(score, items["low"], items["high"], out=score)
    variance, batch_variance = squares / items["votes"], batches["squares"][last] / batches["votes"][last]
    shares = batches["weight_squares"] / batches["weight"] ** 2
    critical = decay.critical_variance
    return names.with_columns(
        pl.Series("score", score),
        pl.Series("freshness", 1.0 - alphas[last]),
        pl.Series("batch_variance", batch_variance),
        pl.Series("variance", variance),
        pl.Series("ambiguous", (batch_variance > critical) | (variance > critical)),
        pl.Series("votes", items["votes"].astype(np.int64)),
        pl.Series("batches", np.diff(item_starts)),
        pl.Series("effective_votes", 1.0 / reduce_runs(np.add, weights**2 * shares, first)),
        pl.Series("last_update", times[last]).cast(pl.Datetime("us", "UTC")),
    )


def _merged_squares(
    parts: dict[str, Array],
    whole: dict[str, Array],
    starts: Array,
    sizes: Array,
) -> Array:
    """Return the squared deviations of wholes from their means; equal votes leave exactly 0."""
    away = parts["total"] / parts["votes"] - np.repeat(whole["total"] / whole["votes"], sizes)
    squares = reduce_runs(np.add, parts["squares"] + parts["votes"] * away * away, starts)
    squares[whole["low"] == whole["high"]] = 0.0
    return squares
