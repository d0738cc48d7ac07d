"""Signs of vote stuffing: voters who vote again and again, and voters who all vote exactly alike."""

from __future__ import annotations

import msgspec
import polars as pl

from venire.stats.observations import require_count
from venire.votes.analysis.ballots import cast_ballots


class DuplicateBallots(msgspec.Struct, frozen=True, eq=False):
    """Votes and voters that look like copies. They are reasons to look, no proofs."""

    repeated: pl.DataFrame
    """One row for each voter who voted more than once on an inference under one prompt: `voter_id`, `inference_id`,
    `voter_prompt_id`, `votes`, `changed` (whether the votes differ), `first` and `last`."""
    identical: pl.DataFrame
    """One row for each group of voters with the same vote on the same inferences: `voters`, `count`, `ballots`."""
    least_ballots: int
    """How many inferences a voter must have voted on to be compared."""


def duplicate_ballots(votes: pl.DataFrame, *, least_ballots: int = 5) -> DuplicateBallots:
    """Find repeated votes, and voters whose whole ballots are identical.

    Voters are compared by all of their last votes. Those with fewer than `least_ballots`, and groups who gave one and
    the same vote to everything, are left out: such ballots are alike by chance.
    """
    require_count("least_ballots", least_ballots)
    cast = votes.lazy().filter(pl.col("vote").is_not_null())
    names = ["voter_id", "inference_id", "voter_prompt_id"]
    repeated = (
        cast.with_columns(pl.col("inference_id", "voter_prompt_id").cast(pl.String))
        .group_by(names)
        .agg(
            pl.len().cast(pl.Int64).alias("votes"),
            (pl.col("vote").min() != pl.col("vote").max()).alias("changed"),
            pl.col("vote_time").min().alias("first"),
            pl.col("vote_time").max().alias("last"),
        )
        .filter(pl.col("votes") > 1)
        .sort(pl.col("votes"), *names, descending=[True, False, False, False])
        .collect()
    )
    ballot = pl.struct("inference_id", "voter_prompt_id", "vote")
    identical = (
        cast_ballots(votes, prompts_apart=True)
        .lazy()
        .sort("inference_id", "voter_prompt_id")
        .group_by("voter_id")
        .agg(
            ballot.alias("ballot"),
            pl.len().cast(pl.Int64).alias("ballots"),
            (pl.col("vote").min() != pl.col("vote").max()).alias("varied"),
        )
        .filter(pl.col("ballots") >= least_ballots, pl.col("varied"))
        .sort("voter_id")
        .group_by("ballot", maintain_order=True)
        .agg(pl.col("voter_id").alias("voters"), pl.len().cast(pl.Int64).alias("count"), pl.col("ballots").first())
        .filter(pl.col("count") > 1)
        .sort("count", "ballots", descending=True, maintain_order=True)
        .select("voters", "count", "ballots")
        .collect()
    )
    return DuplicateBallots(repeated, identical, least_ballots)
