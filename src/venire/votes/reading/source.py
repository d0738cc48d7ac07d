"""Votes from wherever they are: a ledger, or any table."""

from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl

from venire.errors import UsageError
from venire.inputs.folder import ending_of
from venire.inputs.tables.rows import TABLE_ENDINGS
from venire.ledger.location import open_ledger
from venire.votes.entries import LedgerVotes, read_ledger_votes
from venire.votes.reading.table import VoteOptions, VoteTable, read_votes
from venire.words.said import say


class VoteSource(msgspec.Struct, frozen=True, eq=False):
    """Votes, and where they came from."""

    frame: pl.DataFrame
    """The votes."""
    table: VoteTable | None = None
    """The account of the table that they were read from; None for a ledger."""
    ledger: LedgerVotes | None = None
    """What else the ledger knows; None for a table."""
    labels: bool = False
    """Whether votes are classes; then the numbers in the frame only stand for them."""


def open_vote_source(location: str, options: VoteOptions | None = None, *, prompt: str | None = None) -> VoteSource:
    """Read the votes of a table or a ledger; a path that ends like a table is one.

    `prompt` leaves only the votes under one voter prompt; raises `UsageError` with those there are if there are none.
    """
    chosen = options or VoteOptions()
    if ending_of(Path(location)) in TABLE_ENDINGS:
        table = read_votes(location, chosen)
        return VoteSource(_under(table.frame, prompt), table=table, labels=table.classes is not None)
    ledger = open_ledger(location, read_only=True)
    try:
        found = read_ledger_votes(ledger, chosen.duplicates)
    finally:
        ledger.close()
    return VoteSource(_under(found.frame, prompt), ledger=found, labels=bool(chosen.labels))


def _under(frame: pl.DataFrame, prompt: str | None) -> pl.DataFrame:
    if prompt is None:
        return frame
    chosen = frame.filter(pl.col("voter_prompt_id").cast(pl.String) == prompt)
    if not chosen.height:
        known = frame["voter_prompt_id"].cast(pl.String).unique().sort().to_list()
        raise UsageError("error.votes.none_under", prompt=prompt, known=tuple(map(repr, known)) or say("problem.none"))
    return chosen
