"""Votes for tests: rows and frames as the readers give them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import polars as pl

from venire.votes.reading.table import read_votes

START = datetime(2025, 1, 1, tzinfo=UTC)
"""When voting begins."""


def vote_row(vote, *, day=0.0, voter="x", item="a", prompt="", reputation=1.0, kind="person"):
    """Return one row as a user would bring it."""
    return {
        "inference_id": item,
        "vote": vote,
        "voter_id": voter,
        "vote_time": START + timedelta(days=day),
        "voter_prompt_id": prompt,
        "reputation": reputation,
        "voter_kind": kind,
    }


def vote_frame(rows: Sequence[dict]) -> pl.DataFrame:
    """Return the frame of all votes in rows; those that stand twice all count."""
    from venire.votes.reading.duplicates import Duplicates
    from venire.votes.reading.table import VoteOptions

    return read_votes(list(rows), VoteOptions(duplicates=Duplicates.ALL)).frame
