"""Votes of many shards dealt by inference: what a worker reads of a shard, and what it finds in a part.

A shard is read as any table is; only which of its rows stand twice is left to their part, where all rows that could be
the same vote have met.
"""

from __future__ import annotations

from datetime import datetime

import msgspec
import polars as pl

from venire.errors import InputError
from venire.votes.reading.account import VoteAccount
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.shards import Shard, read_shard
from venire.votes.reading.table import RefusedRow, VoteOptions, VoteTable, read_votes
from venire.votes.shards.partitions import SHARD, deal, hashing_sign, read_part

_ROW = "row"


class ReadingPlan(msgspec.Struct, frozen=True):
    """All that workers need to know of the reading, beside the shard."""

    options: VoteOptions
    """How votes are read."""
    prompt: str | None
    """The only prompt whose votes count; None if all do."""
    parts: int
    """Into how many parts inferences are dealt."""
    now: datetime
    """The moment after which votes lie in the future; the same for all."""
    sources: tuple[str, ...]
    """The file of each shard."""

    def under_prompt(self, votes: pl.DataFrame) -> pl.DataFrame:
        """Return the votes that count as to their prompt."""
        if self.prompt is None:
            return votes
        return votes.filter(pl.col("voter_prompt_id").cast(pl.String) == self.prompt)

    def naming(self, found: str, source: str) -> str:
        """Say what was found, and where if there are several files."""
        return f"{found} in {source}" if len(set(self.sources)) > 1 else found


class DealtShard(msgspec.Struct, frozen=True):
    """What a worker returns of a shard."""

    number: int
    """Which shard it is."""
    parts: list[bytes]
    """What it has of each part, as `deal` gives it."""
    account: VoteAccount
    """What became of its rows."""
    span: tuple[int, int] | None
    """Its first and last moment in microseconds since 1970; None without votes."""
    prompts: frozenset[str]
    """The prompts in it, if only one is wanted."""
    sign: int
    """How the worker hashes; see `hashing_sign`."""


def deal_rows(plan: ReadingPlan, task: tuple[int, Shard]) -> DealtShard:
    """Read a shard and deal its rows, those that stand twice too."""
    number, shard = task
    everything = msgspec.structs.replace(plan.options, duplicates=Duplicates.ALL)
    table = read_shard(shard, everything, lambda: plan.now)
    places = table.places if table.places is not None else pl.int_range(table.frame.height, eager=True)
    names = [name for name, kind in table.frame.schema.items() if isinstance(kind, pl.Categorical)]
    numbers = (places.cast(pl.Int64) + shard.begin + 1).alias(_ROW)
    rows = table.frame.with_columns(pl.col(names).cast(pl.String), numbers)
    account = msgspec.structs.replace(VoteAccount.of(table), votes=0, no_vote=0, duplicated=0)
    return dealt_shard(plan, number, table, rows, account)


def dealt_shard(
    plan: ReadingPlan, number: int, table: VoteTable, rows: pl.DataFrame, account: VoteAccount
) -> DealtShard:
    """Deal what was made of the votes of a shard, which must have the column `inference_id`."""
    times = table.frame["vote_time"].to_physical()
    span = (int(times.min()), int(times.max())) if times.count() else None  # type: ignore[arg-type]
    prompts = table.frame["voter_prompt_id"].cast(pl.String).unique().to_list() if plan.prompt is not None else []
    examples = tuple(
        msgspec.structs.replace(each, found=plan.naming(each.found, table.where)) for each in account.examples
    )
    told = msgspec.structs.replace(account, examples=examples)
    return DealtShard(number, deal(rows, plan.parts), told, span, frozenset(prompts), hashing_sign())


def part_votes(plan: ReadingPlan, data: bytes) -> tuple[pl.DataFrame, VoteAccount]:
    """Return the votes of a part that count, and the account of its rows as far as shards could not tell it.

    Raises `InputError` if votes stand twice where none may.
    """
    dealt = read_part(data)  # Shards are in their order, and so are the rows of each.
    policy = plan.options.duplicates
    # Refused after reading, not while, so that the row can be told with its file.
    kept = Duplicates.FIRST if policy is Duplicates.ERROR else policy
    terms = plan.options
    again = VoteOptions(duplicates=kept, times_needed=terms.times_needed, labels=terms.labels)
    table = read_votes(dealt.drop(SHARD, _ROW), again, now=lambda: plan.now)
    if policy is Duplicates.ERROR and table.duplicated:
        shard, row = dealt.select(SHARD, _ROW).row(table.examples[0].row - 1)
        raise InputError(
            f"{table.duplicated:,} rows are votes that stand twice, one of them again as row {row}",
            where=plan.sources[shard],
            hint="Repair the files, or choose which ones count: --duplicates latest|first|all",
        )
    examples = tuple(_placed(plan, dealt, each) for each in table.examples)
    account = msgspec.structs.replace(VoteAccount.of(table), rows=0, examples=examples)
    return plan.under_prompt(table.frame), account


def _placed(plan: ReadingPlan, dealt: pl.DataFrame, example: RefusedRow) -> RefusedRow:
    """Say where a row of a part stood in the files."""
    shard, row = dealt.select(SHARD, _ROW).row(example.row - 1)
    return RefusedRow(row, example.reason, plan.naming(example.found, plan.sources[shard]))
