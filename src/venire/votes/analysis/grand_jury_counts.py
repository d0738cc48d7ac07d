"""What the server of the `grandjury` package counts, after the outputs that its maintainers' notebooks print.

Every row counts, those of one voter on one inference too. A row whose vote is null was shown and not answered: it
counts wherever voters or rows are counted, and is left out where votes are compared.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import polars as pl

from venire.errors import UsageError
from venire.votes.analysis.ballots import as_names


def rows_by_bucket(votes: pl.DataFrame, duration_minutes: float, *, by_inference: bool = False) -> pl.DataFrame:
    """Count rows by time: `bucket`, in the form `YYYY-MM-DD HH:MM:SS`, and `rows`; empty buckets are left out.

    Buckets lie on the grid that begins with 1970. Raises `UsageError` for a bucket shorter than a second.
    """
    length = round(duration_minutes * 60_000_000)
    if length < 1_000_000:
        raise UsageError("error.votes.short_bucket", found=duration_minutes)
    start = (pl.col("vote_time").to_physical() // length * length).cast(pl.Datetime("us"))
    by = ["inference_id"] if by_inference else []
    counted = votes.group_by(*by, start.alias("bucket")).agg(pl.len().alias("rows")).sort(*by, "bucket")
    return counted.with_columns(pl.col("bucket").dt.to_string("%Y-%m-%d %H:%M:%S"))


def share_of_voters(votes: pl.DataFrame, voters: Iterable[object]) -> float | None:
    """Return how many of the listed voters have a row, as a share; None if nobody is listed."""
    names = as_names(voters)
    return votes["voter_id"].filter(votes["voter_id"].is_in(names)).n_unique() / len(names) if names else None


def shares_by_inference(
    votes: pl.DataFrame, voters: Iterable[object], inferences: Iterable[str]
) -> dict[str, float | None]:
    """Return the same for each of the named inferences."""
    names = as_names(voters)
    listed = votes.filter(pl.col("voter_id").is_in(names))
    seen = dict(listed.group_by("inference_id").agg(pl.col("voter_id").n_unique()).iter_rows())
    return {inference: seen.get(inference, 0) / len(names) if names else None for inference in inferences}


def majority_count(votes: pl.DataFrame, good: Collection[float], threshold: float) -> int:
    """Return on how many inferences the share of votes that are good exceeds the threshold."""
    if not 0 <= threshold <= 1:
        raise UsageError("error.votes.threshold", found=threshold)
    answered = votes.filter(pl.col("vote").is_not_null())
    shares = answered.group_by("inference_id").agg(pl.col("vote").is_in(list(good)).mean().alias("share"))
    return int((shares["share"] > threshold).sum())


def rows_by_inference(votes: pl.DataFrame, inferences: Iterable[object] | None = None) -> dict[str, int]:
    """Count the rows of each inference, the largest number first; named inferences without a row have 0."""
    counted = dict(votes.group_by("inference_id", maintain_order=True).len().iter_rows())
    names = list(counted) if inferences is None else as_names(inferences)
    return dict(sorted(((name, counted.get(name, 0)) for name in names), key=lambda each: -each[1]))
