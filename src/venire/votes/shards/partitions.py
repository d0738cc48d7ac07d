"""Rows of many shards partitioned by inference on disk, so that all rows of an inference meet in one partition.

Workers partition what they read, and the process that called them writes it down: workers need no common folder. A
shard is read as any table is; only which of its rows stand twice is left to their partition, where all rows that could
be the same vote have met.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
import polars as pl

from venire.errors import InputError
from venire.votes.reading.account import VoteAccount
from venire.votes.reading.duplicates import Duplicates
from venire.votes.reading.shards import Shard, read_shard
from venire.votes.reading.table import RefusedRow, VoteOptions, VoteTable, read_votes
from venire.words.said import say

SHARD = "shard"
"""The column that says which shard a row came from."""

_ROW = "row"
_HEAD = struct.Struct("<IQ")
_SAMPLE = ["", "a", "inference-1", "陪审"]


def partition(frame: pl.DataFrame, parts: int) -> list[bytes]:
    """Divide the rows of a frame into so many parts by a hash of their inference; one without rows may be empty."""
    if parts == 1:
        return [to_bytes(frame)]
    rows = frame.with_columns(__part=pl.col("inference_id").hash(seed=0) % parts)
    groups = rows.partition_by("__part", as_dict=True, include_key=False)
    groups.setdefault((0,), frame.clear())  # There is always a part, so that there are always scores, if only none.
    return [to_bytes(groups[(part,)]) if (part,) in groups else b"" for part in range(parts)]


def hashing_sign() -> int:
    """Return a number that differs where another version of Polars would partition differently."""
    return int(pl.Series(_SAMPLE).hash(seed=0).to_numpy().sum())


def to_bytes(frame: pl.DataFrame) -> bytes:
    """Return a frame in Arrow's format for files, compressed."""
    buffer = io.BytesIO()
    frame.write_ipc(buffer, compression="lz4")
    return buffer.getvalue()


def from_bytes(data: bytes) -> pl.DataFrame:
    """Return the frame of `to_bytes`."""
    return pl.read_ipc(io.BytesIO(data))


class PartFiles:
    """Parts in a folder, a file each, to which shards are added as they come."""

    def __init__(self, folder: Path, parts: int) -> None:
        folder.mkdir()
        self._paths = [folder / f"{part:06}" for part in range(parts)]

    def add(self, shard: int, parts: Sequence[bytes]) -> None:
        """Add what a shard has of each part."""
        for path, data in zip(self._paths, parts, strict=True):
            if data:
                with path.open("ab") as file:
                    file.write(_HEAD.pack(shard, len(data)))
                    file.write(data)

    def load(self, part: int) -> bytes:
        """Return all that was added to a part, for `read_part`."""
        return self._paths[part].read_bytes() if self._paths[part].exists() else b""

    def load_all(self) -> Iterator[tuple[str, bytes]]:
        """Yield the name and the content of every part that has any, one at a time; each is then removed."""
        for number, path in enumerate(self._paths):
            if path.exists():
                data = path.read_bytes()
                path.unlink()
                yield f"part {number + 1} of {len(self._paths)}", data


def read_part(data: bytes) -> pl.DataFrame:
    """Return the rows of a part, shard after shard in their order, with the column `shard`."""
    found: list[tuple[int, pl.DataFrame]] = []
    place = 0
    while place < len(data):
        shard, length = _HEAD.unpack_from(data, place)
        place += _HEAD.size
        found.append((shard, from_bytes(data[place : place + length])))
        place += length
    found.sort(key=lambda each: each[0])
    return pl.concat(
        (frame.with_columns(pl.lit(shard, pl.Int64).alias(SHARD)) for shard, frame in found), how="diagonal"
    )


class ReadingPlan(msgspec.Struct, frozen=True):
    """All that workers need to know of the reading, beside the shard."""

    options: VoteOptions
    """How votes are read."""
    prompt: str | None
    """The only prompt whose votes count; None if all do."""
    parts: int
    """Into how many parts inferences are divided."""
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
        return say("problem.found_in", found=found, source=source) if len(set(self.sources)) > 1 else found


class PartitionedShard(msgspec.Struct, frozen=True):
    """What a worker returns of a shard."""

    number: int
    """Which shard it is."""
    parts: list[bytes]
    """What it has of each part, as `partition` gives it."""
    account: VoteAccount
    """What became of its rows."""
    span: tuple[int, int] | None
    """Its first and last moment in microseconds since 1970; None without votes."""
    prompts: frozenset[str]
    """The prompts in it, if only one is wanted."""
    sign: int
    """How the worker hashes; see `hashing_sign`."""


def partition_rows(plan: ReadingPlan, task: tuple[int, Shard]) -> PartitionedShard:
    """Read a shard and partition its rows, those that stand twice too."""
    number, shard = task
    everything = msgspec.structs.replace(plan.options, duplicates=Duplicates.ALL)
    table = read_shard(shard, everything, lambda: plan.now)
    places = table.places if table.places is not None else pl.int_range(table.frame.height, eager=True)
    names = [name for name, kind in table.frame.schema.items() if isinstance(kind, pl.Categorical)]
    numbers = (places.cast(pl.Int64) + shard.begin + 1).alias(_ROW)
    rows = table.frame.with_columns(pl.col(names).cast(pl.String), numbers)
    account = msgspec.structs.replace(VoteAccount.of(table), votes=0, no_vote=0, duplicated=0)
    return partitioned_shard(plan, number, table, rows, account)


def partitioned_shard(
    plan: ReadingPlan, number: int, table: VoteTable, rows: pl.DataFrame, account: VoteAccount
) -> PartitionedShard:
    """Partition what was made of the votes of a shard, which must have the column `inference_id`."""
    times = table.frame["vote_time"].to_physical()
    span = (int(times.min()), int(times.max())) if times.count() else None  # type: ignore[arg-type]
    prompts = table.frame["voter_prompt_id"].cast(pl.String).unique().to_list() if plan.prompt is not None else []
    examples = tuple(
        msgspec.structs.replace(each, found=plan.naming(each.found, table.where)) for each in account.examples
    )
    told = msgspec.structs.replace(account, examples=examples)
    return PartitionedShard(number, partition(rows, plan.parts), told, span, frozenset(prompts), hashing_sign())


def part_votes(plan: ReadingPlan, data: bytes) -> tuple[pl.DataFrame, VoteAccount]:
    """Return the votes of a part that count, and the account of its rows as far as shards could not tell it.

    Raises `InputError` if votes stand twice where none may.
    """
    rows = read_part(data)  # Shards are in their order, and so are the rows of each.
    policy = plan.options.duplicates
    # Refused after reading, not while, so that the row can be told with its file.
    kept = Duplicates.FIRST if policy is Duplicates.ERROR else policy
    terms = plan.options
    again = VoteOptions(duplicates=kept, times_needed=terms.times_needed, labels=terms.labels)
    table = read_votes(rows.drop(SHARD, _ROW), again, now=lambda: plan.now)
    if policy is Duplicates.ERROR and table.duplicated:
        shard, row = rows.select(SHARD, _ROW).row(table.examples[0].row - 1)
        raise InputError("error.shards.duplicates", where=plan.sources[shard], count=table.duplicated, row=row)
    examples = tuple(_placed(plan, rows, each) for each in table.examples)
    account = msgspec.structs.replace(VoteAccount.of(table), rows=0, examples=examples)
    return plan.under_prompt(table.frame), account


def _placed(plan: ReadingPlan, rows: pl.DataFrame, example: RefusedRow) -> RefusedRow:
    """Say where a row of a part stood in the files."""
    shard, row = rows.select(SHARD, _ROW).row(example.row - 1)
    return RefusedRow(row, example.reason, plan.naming(example.found, plan.sources[shard]))
