"""On which inferences good votes are the majority."""

from __future__ import annotations

import msgspec
import polars as pl

from venire.errors import UsageError
from venire.votes.analysis.ballots import cast_ballots


class MajorityGoodVotes(msgspec.Struct, frozen=True, eq=False):
    """The inferences, and on which of them more than a share of ballots is good."""

    frame: pl.DataFrame
    """One row for each inference: `inference_id`, `ballots`, `good`, `share`, `majority`."""
    count: int
    """On how many inferences good votes are the majority."""
    inferences: int
    """On how many inferences there are votes."""
    good_vote: str
    """Which votes are good, in words."""
    threshold: float
    """The share of good votes that has to be exceeded."""


def majority_good_votes(
    votes: pl.DataFrame, *, good_vote: bool | float = True, threshold: float = 0.5
) -> MajorityGoodVotes:
    """Tell on which inferences more than the share `threshold` of ballots is good.

    True makes votes above 0.5 good, False those below; a number makes exactly that vote good. The last vote of each
    voter on an inference counts, so that nobody has a majority alone.
    """
    if not 0 <= threshold <= 1:
        raise UsageError("error.votes.threshold", found=threshold)
    vote = pl.col("vote")
    if good_vote is True:
        good, words = vote > 0.5, "above 0.5"
    elif good_vote is False:
        good, words = vote < 0.5, "below 0.5"
    else:
        good, words = vote == float(good_vote), f"exactly {float(good_vote):g}"
    frame = (
        cast_ballots(votes)
        .group_by("inference_id", maintain_order=True)
        .agg(pl.len().cast(pl.Int64).alias("ballots"), good.sum().cast(pl.Int64).alias("good"))
        .with_columns((pl.col("good") / pl.col("ballots")).alias("share"))
        .with_columns((pl.col("share") > threshold).alias("majority"))
    )
    return MajorityGoodVotes(frame, int(frame["majority"].sum()), frame.height, words, threshold)
