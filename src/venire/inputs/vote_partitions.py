"""Votes that do not fit into memory, as parts that do: all votes on an inference are in one part.

DuckDB, an optional dependency, deals the rows of Parquet files into parts on disk, by a hash of the inference. Each
part is then read as any other table is, so that nothing is read or refused differently because a file is large.
"""

from __future__ import annotations

import importlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import polars as pl

from venire.errors import InputError, UsageError
from venire.inputs.folder import ending_of
from venire.inputs.vote_columns import assign_columns
from venire.inputs.votes import VoteOptions, VoteTable, read_votes

if TYPE_CHECKING:
    from collections.abc import Mapping

VOTES_IN_A_PART = 2_000_000
"""How many votes a part has, unless one inference has more."""

_ROW, _FILE = "__row", "__file"


def read_in_parts(
    paths: Sequence[Path],
    options: VoteOptions | None = None,
    *,
    memory_megabytes: int = 600,
    votes_in_a_part: int = VOTES_IN_A_PART,
    folder: Path | None = None,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> Iterator[VoteTable]:
    """Yield the votes of Parquet files part by part; `folder` is where the parts lie meanwhile.

    DuckDB itself uses at most `memory_megabytes`. Refused rows are numbered as in their own file. Raises `UsageError`
    if DuckDB is not installed or a file is not Parquet, `InputError` if one cannot be read.
    """
    duckdb = _import_duckdb()
    chosen = options or VoteOptions()
    odd = [path for path in paths if ending_of(path) != ".parquet"]
    if odd or not paths:
        raise UsageError(
            f"expected Parquet files, found {odd[0].name if odd else 'none'}",
            hint="Only Parquet is read out of core; write it e.g. with polars.scan_csv(…).sink_parquet(…).",
        )
    moment = now()
    with tempfile.TemporaryDirectory(prefix="venire-votes-", dir=folder) as scratch:
        connection = duckdb.connect(
            config={
                "memory_limit": f"{memory_megabytes}MB",
                "temp_directory": f"{scratch}/spill",
                "preserve_insertion_order": "false",
            }
        )
        try:
            parts = _deal(connection, [str(path) for path in paths], Path(scratch) / "parts", chosen, votes_in_a_part)
        except duckdb.Error as error:
            raise InputError(f"cannot be dealt into parts: {error}", where=str(paths[0])) from error
        finally:
            connection.close()
        mapping = {**chosen.columns, **parts.columns}
        for part in parts.folders:
            yield _read_part(part, msgspec.structs.replace(chosen, columns=mapping), moment, ", ".join(parts.names))


class _Parts(msgspec.Struct, frozen=True):
    folders: list[Path]
    columns: dict[str, str]
    names: list[str]


def _deal(connection: Any, paths: list[str], target: Path, options: VoteOptions, votes_in_a_part: int) -> _Parts:
    files = ", ".join("'" + path.replace("'", "''") + "'" for path in paths)
    # A name on each of millions of rows is dear; one file needs none.
    named = f"filename = '{_FILE}', " if len(paths) > 1 else ""
    source = f"read_parquet([{files}], {named}file_row_number = true)"
    described = connection.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()  # noqa: S608 — paths are quoted
    names = [str(column[0]) for column in described if column[0] not in {_FILE, "file_row_number"}]
    fields = assign_columns(names, options.columns, paths[0])
    counted = connection.execute(f"SELECT sum(num_rows) FROM parquet_file_metadata([{files}])").fetchall()  # noqa: S608
    count = max(1, -(-int(counted[0][0] or 0) // votes_in_a_part))
    columns = ", ".join(_quoted(name) for name in fields.values())
    part = f"coalesce(hash({_quoted(fields['inference_id'])}::VARCHAR) % {count}, 0) AS __part"
    origin = f"file_row_number + 1 AS {_ROW}" + (f", {_FILE}" if named else "")
    query = f"SELECT {columns}, {origin}, {part} FROM {source}"  # noqa: S608
    connection.execute(
        f"COPY ({query}) TO '{target}' (FORMAT parquet, COMPRESSION snappy, PARTITION_BY (__part))"
    ).fetchall()
    return _Parts(sorted(target.iterdir()), fields, [Path(path).name for path in paths])


def _read_part(folder: Path, options: VoteOptions, moment: datetime, where: str) -> VoteTable:
    rows = pl.scan_parquet(folder / "*.parquet", hive_partitioning=False).collect()
    origin = [name for name in (_FILE, _ROW) if name in rows.columns]
    rows = rows.sort(origin)  # The order of the files decides which of two duplicates is the latest.
    table = read_votes(rows.drop(origin), options, now=lambda: moment)
    examples = []
    for each in table.examples:
        place = dict(zip(origin, rows.select(origin).row(each.row - 1), strict=True))
        found = f"{each.found} in {place[_FILE]}" if _FILE in place else each.found
        examples.append(msgspec.structs.replace(each, row=place[_ROW], found=found))
    return msgspec.structs.replace(table, examples=tuple(examples), where=where)


def add_up(tables: Iterator[VoteTable] | Sequence[VoteTable]) -> Mapping[str, int]:
    """Return how many rows of each fate the parts have: `rows`, `votes`, `no vote`, `blank`, `duplicated`, reasons."""
    sums: dict[str, int] = {}
    for table in tables:
        own = {"rows": table.rows, "votes": table.votes, "no vote": table.no_vote, "blank": table.blank}
        own |= {"duplicated": table.duplicated, **{reason.value: count for reason, count in table.refused.items()}}
        for name, count in own.items():
            sums[name] = sums.get(name, 0) + count
    return sums


def _quoted(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _import_duckdb() -> Any:
    try:
        return importlib.import_module("duckdb")
    except ImportError as error:
        raise UsageError(
            "votes that do not fit into memory are dealt into parts by DuckDB, which is not installed",
            hint="Install it: pip install 'venire[duckdb]'",
        ) from error
