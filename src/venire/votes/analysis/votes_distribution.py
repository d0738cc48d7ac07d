"""How many votes each inference has, and how they are spread from 0 to 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import polars as pl

from venire.votes.analysis.ballots import as_names

if TYPE_CHECKING:
    from collections.abc import Iterable

BINS = 10
"""Into how many equal parts the range from 0 to 1 is cut; 1 itself belongs to the last."""


class VotesDistribution(msgspec.Struct, frozen=True, eq=False):
    """The votes on each inference, and on all of them."""

    frame: pl.DataFrame
    """One row for each inference: `inference_id`, `votes`, `voters`, `mean`, `variance` (of the population), `lowest`,
    `median`, `highest`, and `bins`, the number of votes in each tenth from 0 to 1."""
    bins: tuple[int, ...]
    """The number of all votes in each tenth from 0 to 1."""
    votes: int
    """How many votes there are."""


def votes_distribution(votes: pl.DataFrame, inferences: Iterable[object] | None = None) -> VotesDistribution:
    """Count the votes on each inference; named inferences without a vote have a row too. Every vote counts."""
    cast = votes.lazy().filter(pl.col("vote").is_not_null()).with_columns(pl.col("inference_id").cast(pl.String))
    names = as_names(inferences) if inferences is not None else None
    if names is not None:
        cast = cast.filter(pl.col("inference_id").is_in(names))
    vote = pl.col("vote")
    tenth = (vote * BINS + 1e-9).floor().clip(0, BINS - 1)  # 0.3 × 10 is a little less than 3.
    counted = cast.group_by("inference_id", maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("votes"),
        pl.col("voter_id").n_unique().cast(pl.Int64).alias("voters"),
        vote.mean().alias("mean"),
        vote.var(ddof=0).alias("variance"),
        vote.min().alias("lowest"),
        vote.median().alias("median"),
        vote.max().alias("highest"),
        pl.concat_list((tenth == number).sum().cast(pl.Int64) for number in range(BINS)).alias("bins"),
    )
    frame = counted.collect()
    if names is not None:
        wanted = pl.DataFrame({"inference_id": pl.Series(names, dtype=pl.String)})
        frame = wanted.join(frame, on="inference_id", how="left", maintain_order="left").with_columns(
            pl.col("votes", "voters").fill_null(0), pl.col("bins").fill_null([0] * BINS)
        )
    return VotesDistribution(frame, _totals(frame), int(frame["votes"].sum()))


def _totals(frame: pl.DataFrame) -> tuple[int, ...]:
    return tuple(int(frame["bins"].list.get(number).sum()) for number in range(BINS)) if frame.height else (0,) * BINS
