"""Ballots: the last vote of each voter on each inference, which is what counting people needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

_BALLOT = ["inference_id", "voter_prompt_id", "voter_id"]


def as_names(values: Iterable[object]) -> list[str]:
    """Write names of voters or inferences as tables of votes have them; each once, in order.

    >>> as_names([101, "101", 7.0])
    ['101', '7']
    """
    words = (str(int(value)) if isinstance(value, float) and value.is_integer() else str(value) for value in values)
    return list(dict.fromkeys(words))


def cast_ballots(
    votes: pl.DataFrame,
    *,
    voters: Iterable[object] | None = None,
    inferences: Iterable[object] | None = None,
    prompts_apart: bool = False,
) -> pl.DataFrame:
    """Return the last vote of each voter on each inference, of the named voters and inferences only if any are named.

    Votes under different prompts are ballots of their own if `prompts_apart` says so. Where two votes of a voter have
    the same time, the later row is the last.
    """
    frame = votes.lazy().filter(pl.col("vote").is_not_null())
    frame = frame.with_columns(pl.col("inference_id", "voter_prompt_id", "voter_kind").cast(pl.String))
    if voters is not None:
        frame = frame.filter(pl.col("voter_id").is_in(as_names(voters)))
    if inferences is not None:
        frame = frame.filter(pl.col("inference_id").is_in(as_names(inferences)))
    key = _BALLOT if prompts_apart else ["inference_id", "voter_id"]
    return frame.sort("vote_time", maintain_order=True).unique(key, keep="last", maintain_order=True).collect()
