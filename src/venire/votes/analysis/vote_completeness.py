"""How much of the voting is done: which share of voters voted on which share of inferences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import polars as pl

from venire.errors import UsageError
from venire.votes.analysis.ballots import as_names, cast_ballots

if TYPE_CHECKING:
    from collections.abc import Iterable


class VoteCompleteness(msgspec.Struct, frozen=True, eq=False):
    """Shares of ballots that were cast; voters and inferences that nobody expected are counted apart."""

    by_inference: pl.DataFrame
    """One row for each expected inference: `inference_id`, `voted`, `expected`, `completeness`."""
    by_voter: pl.DataFrame
    """One row for each expected voter: `voter_id`, `voted`, `expected`, `completeness`."""
    overall: float | None
    """The share of all ballots that were cast; None if none were expected."""
    voted: int
    """How many expected ballots were cast."""
    expected: int
    """How many ballots there would be if everyone voted on everything."""
    unexpected_voters: int
    """How many voters voted who are not in the list; their votes are not counted."""


def vote_completeness(
    votes: pl.DataFrame, voters: Iterable[object] | None = None, inferences: Iterable[object] | None = None
) -> VoteCompleteness:
    """Tell how complete the voting is. Without a list, everyone and everything in the table is expected.

    Several votes of a voter on an inference are one ballot. Rows that say that someone did not vote make the voter and
    the inference expected, but are no ballots.
    """
    if isinstance(voters, str) or isinstance(inferences, str):
        raise UsageError("error.votes.lists")
    voter_names = as_names(voters if voters is not None else votes["voter_id"].unique(maintain_order=True))
    seen = votes["inference_id"].unique(maintain_order=True).cast(pl.String)
    inference_names = as_names(inferences if inferences is not None else seen)
    ballots = cast_ballots(votes, voters=voter_names, inferences=inference_names)
    strangers = votes.filter(pl.col("vote").is_not_null(), ~pl.col("voter_id").is_in(voter_names))[
        "voter_id"
    ].n_unique()
    expected = len(voter_names) * len(inference_names)
    return VoteCompleteness(
        by_inference=_share(ballots, "inference_id", inference_names, len(voter_names)),
        by_voter=_share(ballots, "voter_id", voter_names, len(inference_names)),
        overall=ballots.height / expected if expected else None,
        voted=ballots.height,
        expected=expected,
        unexpected_voters=strangers,
    )


def _share(ballots: pl.DataFrame, name: str, names: list[str], expected: int) -> pl.DataFrame:
    counted = ballots.group_by(name).agg(pl.len().cast(pl.Int64).alias("voted"))
    return (
        pl.DataFrame({name: pl.Series(names, dtype=pl.String)})
        .join(counted, on=name, how="left", maintain_order="left")
        .with_columns(pl.col("voted").fill_null(0), pl.lit(expected, pl.Int64).alias("expected"))
        .with_columns((pl.col("voted") / expected if expected else pl.lit(None, pl.Float64)).alias("completeness"))
    )
