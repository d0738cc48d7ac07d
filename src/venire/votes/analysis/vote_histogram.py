"""When votes were cast: counts in buckets of fixed length, or of days, weeks, months and years of a zone."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec
import polars as pl

from venire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

CALENDAR = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q", "year": "1y"}
"""The buckets that follow a calendar, whose length differs with the clocks and months of a zone."""

_MOST_BUCKETS = 1_000_000


class VoteHistogram(msgspec.Struct, frozen=True, eq=False):
    """How many votes fall into each bucket of time."""

    frame: pl.DataFrame
    """One row for each bucket in order, empty ones too: `start` (in the zone), `votes`, `voters`, `mean`; and before
    them what the histogram was divided by."""
    bucket: str
    """The length of a bucket, such as `60 minutes` or `day`."""
    zone: str
    """The zone in which calendar buckets begin and starts are given."""
    votes: int
    """How many votes there are in all."""


def vote_histogram(
    votes: pl.DataFrame, *, bucket: str = "60 minutes", zone: str = "UTC", by: Sequence[str] = ()
) -> VoteHistogram:
    """Count votes in buckets of time.

    A bucket is a number of minutes, such as `60 minutes`, counted from the beginning of 1970 in UTC; or a `day`,
    `week`, `month`, `quarter` or `year` of the zone, where a day may have 23 or 25 hours. Raises `UsageError` for any
    other bucket, and for one so short that there would be more than a million.
    """
    length = _length(bucket)
    cast = votes.filter(pl.col("vote").is_not_null()).with_columns(pl.col(name).cast(pl.String) for name in by)
    moment = pl.col("vote_time")
    try:
        start = moment.dt.convert_time_zone(zone).dt.truncate(length) if bucket in CALENDAR else _fixed(bucket)
        counted = (
            cast.lazy()
            .group_by(*by, start.alias("start"))
            .agg(
                pl.len().cast(pl.Int64).alias("votes"),
                pl.col("voter_id").n_unique().cast(pl.Int64).alias("voters"),
                pl.col("vote").mean().alias("mean"),
            )
            .sort(*by, "start")
            .collect()
        )
        frame = _with_empty_buckets(counted, bucket, length, by).with_columns(
            pl.col("start").dt.convert_time_zone(zone)
        )
    except pl.exceptions.ComputeError as error:
        raise UsageError("error.votes.zone", found=zone, problem=str(error)) from None
    return VoteHistogram(frame, bucket, zone, cast.height)


def minutes(number: float) -> str:
    """Name a bucket of so many minutes."""
    return f"{number:g} minutes"


def _length(bucket: str) -> str:
    if bucket in CALENDAR:
        return CALENDAR[bucket]
    if not _is_minutes(bucket) or not _microseconds(bucket):
        raise UsageError("error.votes.bucket", found=bucket)
    return f"{_microseconds(bucket)}us"


def _is_minutes(bucket: str) -> bool:
    return re.fullmatch(r"\d+(\.\d+)? minutes", bucket) is not None


def _microseconds(bucket: str) -> int:
    return round(float(bucket.removesuffix(" minutes")) * 60_000_000)


def _fixed(bucket: str) -> pl.Expr:
    length = _microseconds(bucket)
    return (pl.col("vote_time").to_physical() // length * length).cast(pl.Datetime("us", "UTC"))


def _with_empty_buckets(counted: pl.DataFrame, bucket: str, length: str, by: Sequence[str]) -> pl.DataFrame:
    if not counted.height:
        return counted
    first, last = counted["start"].min(), counted["start"].max()
    if _count(first, last, bucket) > _MOST_BUCKETS:  # type: ignore[arg-type]
        raise UsageError("error.votes.many_buckets", bucket=bucket, limit=_MOST_BUCKETS)
    starts = pl.DataFrame({"start": pl.datetime_range(first, last, length, eager=True)})  # type: ignore[arg-type]
    if by:
        starts = counted.select(by).unique(maintain_order=True).join(starts, how="cross")
    return (
        starts.with_columns(pl.col("start").cast(counted.schema["start"]))
        .join(counted, on=[*by, "start"], how="left", maintain_order="left")
        .with_columns(pl.col("votes", "voters").fill_null(0))
    )


def _count(first: datetime, last: datetime, bucket: str) -> float:
    if bucket in CALENDAR:
        return (last - first).days
    return (last.astimezone(UTC) - first.astimezone(UTC)).total_seconds() * 1e6 / _microseconds(bucket)
