"""Votes that stand twice: the same voter, output, prompt and moment."""

from __future__ import annotations

from enum import StrEnum

import polars as pl

_KEY = ["voter_id", "inference_id", "voter_prompt_id", "vote_time"]


class Duplicates(StrEnum):
    """What is done with votes that stand twice."""

    LATEST = "latest"
    """The last row counts."""
    FIRST = "first"
    """The first row counts."""
    ALL = "all"
    """All of them count."""
    ERROR = "error"
    """None is read: the table is refused."""


def find_duplicates(votes: pl.DataFrame) -> pl.Series:
    """Return the row numbers, from 0 on, of all votes that stand more than once.

    Only votes of one moment can be the same, so most rows of a table with fine times are never compared.
    """
    times = votes["vote_time"].to_physical()
    if times.is_sorted():
        same = times.eq_missing(times.shift(1))  # No time at all is a moment like any other.
        tied = same | same.shift(-1, fill_value=False)
    else:
        tied = times.is_duplicated()
    places = tied.arg_true()
    if not len(places):
        return places
    among = votes.select(_KEY)[places]
    return places.filter(among.is_duplicated())


def surplus(votes: pl.DataFrame, places: pl.Series, policy: Duplicates) -> pl.Series:
    """Return those of the given rows that the policy leaves out."""
    if policy is Duplicates.ALL:
        return places.clear()
    among = votes.select(_KEY)[places].with_columns(__place=places)
    kept = among.unique(_KEY, keep="last" if policy is Duplicates.LATEST else "first", maintain_order=True)["__place"]
    return places.filter(~places.is_in(kept.implode()))
