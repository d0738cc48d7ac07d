"""Votes in many Parquet files, or in large ones, as shards that are read one by one.

A shard is a file, or so many rows of one. Each is read as any other table is, so that nothing is read or refused
differently because there are many; only votes that stand twice in different shards are not seen here.
"""

from __future__ import annotations

import glob
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec
import polars as pl

from venire.errors import InputError, UsageError
from venire.inputs.folder import ending_of
from venire.inputs.problems import unreadable
from venire.votes.reading.cells import RawVotes
from venire.votes.reading.columns import assign_columns
from venire.votes.reading.table import VoteOptions, VoteTable, read_votes

ROWS_IN_A_SHARD = 2_000_000
"""How many rows a shard has at most; larger files are several shards."""

_REMOTE = ("s3://", "s3a://", "gs://", "az://", "abfss://", "https://", "http://")


class Shard(msgspec.Struct, frozen=True):
    """Rows of a Parquet file that are read at once."""

    source: str
    """The file, or its address."""
    begin: int
    """How many rows of the file come before."""
    rows: int
    """How many rows there are."""

    def __str__(self) -> str:
        return self.source if not self.begin else f"{self.source}, rows from {self.begin + 1:,} on"


def is_remote(source: str) -> bool:
    """Tell whether a source is an address in an object store, which Polars reads with the keys of the environment."""
    return source.startswith(_REMOTE)


def names_several(source: str) -> bool:
    """Tell whether a source is a folder or a pattern of Parquet files, or lies in an object store."""
    return is_remote(source) or Path(source).is_dir() or (ending_of(Path(source)) == ".parquet" and _is_pattern(source))


def find_sources(patterns: Sequence[str]) -> list[str]:
    """Return the files that patterns such as `votes/*.parquet` match, each pattern's in the order of their names.

    A folder stands for the Parquet files in it. Paths are made absolute, addresses such as `s3://…` are left alone.
    Raises `UsageError` if a pattern matches nothing, a file is named twice or is not Parquet.
    """
    found: list[str] = []
    for pattern in patterns:
        matching = _matching(pattern)
        if not matching:
            raise UsageError("error.shards.no_match", pattern=pattern)
        found += matching
    for source in found:
        if ending_of(Path(source)) != ".parquet":
            raise UsageError("error.shards.not_parquet", found=source)
    twice = [source for source, times in Counter(map(_identity, found)).items() if times > 1]
    if twice:
        raise UsageError("error.shards.named_twice", name=twice[0])
    return found


def find_shards(
    sources: Sequence[str], options: VoteOptions | None = None, *, rows_in_a_shard: int = ROWS_IN_A_SHARD
) -> list[Shard]:
    """Return the shards of Parquet files in their order, from what the files say of themselves.

    Raises `InputError` for a file that cannot be read, or whose columns hold other fields than those of the first.
    """
    chosen = options or VoteOptions()
    shards: list[Shard] = []
    wanted: tuple[str, dict[str, str]] | None = None
    for source in sources:
        names, rows = _describe(source)
        fields = assign_columns(names, chosen.columns, source, chosen.required)
        first, known = wanted = wanted or (source, fields)
        if fields != known:
            raise InputError(
                "error.shards.other_columns", where=source, first=first, expected=_listed(known), found=_listed(fields)
            )
        starts = range(0, rows, rows_in_a_shard) or range(1)
        shards += [Shard(source, begin, min(rows_in_a_shard, rows - begin)) for begin in starts]
    return shards


def read_shard(shard: Shard, options: VoteOptions | None, now: Callable[[], datetime]) -> VoteTable:
    """Read the votes of a shard; rows are numbered as in their file. Raises as `read_votes` does."""
    if not is_remote(shard.source) and not Path(shard.source).exists():
        raise InputError("error.shards.gone", where=shard.source)
    frame = _scan(shard.source).slice(shard.begin, shard.rows)
    numbers = pl.int_range(shard.begin + 1, shard.begin + shard.rows + 1, eager=True) if shard.begin else None
    try:
        return read_votes(RawVotes(frame, shard.source, numbers), options, now=now)
    except OSError as error:  # Of an object store; what is wrong with a file of this machine was told above.
        raise _not_parquet(error, shard.source) from error


def _matching(pattern: str) -> list[str]:
    if is_remote(pattern):
        return _listed_remotely(pattern) if _is_wild(pattern) else [pattern]
    if _is_pattern(pattern):
        return sorted(map(_absolute, glob.glob(pattern, recursive=True)))  # noqa: PTH207 — patterns may be absolute
    if Path(pattern).is_dir():
        return sorted(map(_absolute, Path(pattern).glob("*.parquet")))
    return [_absolute(pattern)]


def _is_wild(source: str) -> bool:
    return any(character in source for character in "*?[")


def _is_pattern(source: str) -> bool:
    """Tell whether a path is a pattern, and not the name of a file that happens to look like one."""
    return _is_wild(source) and not Path(source).exists()


def _absolute(path: str | Path) -> str:
    """Name a file so that it is found from any working folder: workers of a cluster have their own."""
    return str(Path(path).absolute())


def _listed_remotely(pattern: str) -> list[str]:
    """Let Polars, which knows object stores, say which objects a pattern matches; only their ends are read."""
    try:
        paths = pl.scan_parquet(pattern, include_file_paths="__path").select(pl.col("__path").unique())
        return sorted(paths.collect(engine="streaming")["__path"].to_list())
    except (OSError, pl.exceptions.PolarsError) as error:
        if "expanded paths were empty" in str(error):
            return []
        raise _not_parquet(error, pattern) from error


def _identity(source: str) -> str:
    return source if is_remote(source) else str(Path(source).resolve())


def _describe(source: str) -> tuple[list[str], int]:
    frame = _scan(source)
    try:
        return frame.collect_schema().names(), int(frame.select(pl.len()).collect().item())
    except (OSError, pl.exceptions.PolarsError) as error:
        raise _not_parquet(error, source) from error


def _scan(source: str) -> pl.LazyFrame:
    if not is_remote(source):
        try:
            with Path(source).open("rb"):  # Says what is wrong with a path more plainly than Polars does.
                pass
        except OSError as error:
            raise unreadable(error, source) from error
    return pl.scan_parquet(source, glob=False)


def _not_parquet(error: Exception, source: str) -> InputError:
    reason = str(error).splitlines()[0]
    if not is_remote(source):
        return InputError("error.table.not_parquet", where=source, error=reason)
    return InputError("error.shards.unreadable", where=source, reason=reason)


def _listed(fields: dict[str, str]) -> str:
    return ", ".join(name if name == field else f"{field} in {name!r}" for field, name in fields.items())
