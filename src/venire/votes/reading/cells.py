"""Whatever a user brings as votes, as one frame of cells that are not read yet.

Files are parsed by Polars, a column at a time. Only where it finds damage is the file read row by row, so that each
damaged row can be named and the others go on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from venire.errors import InputError, UsageError
from venire.inputs.folder import ending_of
from venire.inputs.problems import unreadable
from venire.inputs.tables.jsonl import read_lines
from venire.inputs.tables.rows import JSON_LINES_ENDINGS, TABLE_ENDINGS, read_rows
from venire.votes.reading.columns import known_names
from venire.words.said import say

_LINES_LOOKED_AT = 1000


class RawVotes(msgspec.Struct, frozen=True, eq=False):
    """A table as it came."""

    frame: pl.LazyFrame
    """The cells."""
    where: str
    """The file, or what kind of value it was."""
    numbers: pl.Series | None = None
    """The number of each row from 1 on, where some rows are missing from the frame; None if none are."""
    damaged: tuple[tuple[int, str], ...] = ()
    """The rows that could not be read at all: number and reason."""


def open_votes(source: object, mapping: Mapping[str, str] | None = None) -> RawVotes:
    """Open a file, a data frame of any library that narwhals knows, records, or what was opened in another way."""
    if isinstance(source, RawVotes):
        return source
    if isinstance(source, (str, Path)):
        return _open_file(Path(source), mapping)
    if isinstance(source, Mapping):
        return _from_records([source])
    if isinstance(source, pl.DataFrame):
        return RawVotes(source.lazy(), "data frame")
    if isinstance(source, pl.LazyFrame):
        return RawVotes(source, "data frame")
    if isinstance(source, (list, tuple)):
        return _from_records(source)
    import narwhals as nw

    found: Any = nw.from_native(source, pass_through=True)
    if isinstance(found, nw.LazyFrame):
        found = found.collect()
    if not isinstance(found, nw.DataFrame):
        raise InputError("error.votes.not_votes", found=type(source).__name__)
    return RawVotes(_polars_of(found).lazy(), "data frame")


def _polars_of(frame: Any) -> pl.DataFrame:
    """Turn a frame of another library into Polars; columns of mixed kinds go cell by cell."""
    try:
        return frame.to_polars()  # type: ignore[no-any-return]
    except (ImportError, TypeError, ValueError, pl.exceptions.PolarsError):
        return pl.DataFrame([_series(name, frame[name].to_list()) for name in frame.columns])


def _open_file(path: Path, mapping: Mapping[str, str] | None) -> RawVotes:
    ending = ending_of(path)
    if ending not in TABLE_ENDINGS:
        raise UsageError("error.table.ending", endings=" ".join(TABLE_ENDINGS), found=path.name)
    try:
        with path.open("rb"):
            pass
    except OSError as error:
        raise unreadable(error, str(path)) from error
    try:
        if ending == ".parquet":
            frame = pl.scan_parquet(path, glob=False)
            frame.collect_schema()
            return RawVotes(frame, str(path))
        if ending in JSON_LINES_ENDINGS:
            return RawVotes(_parse_json_lines(path, mapping).lazy(), str(path))
        if ending != ".json":
            return RawVotes(_parse_csv(path, "," if ending == ".csv" else "\t").lazy(), str(path))
    except pl.exceptions.PolarsError as error:
        if ending == ".parquet":
            raise InputError("error.table.not_parquet", where=str(path), error=error) from error
    return _row_by_row(path)


def _parse_csv(path: Path, separator: str) -> pl.DataFrame:
    frame = pl.read_csv(path, separator=separator, infer_schema=False, glob=False)
    if any("_duplicated_" in name for name in frame.columns):
        raise pl.exceptions.DuplicateError("a column stands twice")
    if len(frame.columns) == 1:
        raise pl.exceptions.ComputeError("another separator, which reading row by row finds or names")
    return frame


def _parse_json_lines(path: Path, mapping: Mapping[str, str] | None) -> pl.DataFrame:
    seen: dict[str, None] = {}
    for line in islice(read_lines(path), _LINES_LOOKED_AT):
        try:
            record = json.loads(line.data or b"")
        except ValueError as error:
            raise pl.exceptions.ComputeError(str(error)) from error
        if not isinstance(record, dict):
            raise pl.exceptions.ComputeError("a line is not an object")
        seen.update(dict.fromkeys(record))
    if not seen:
        return pl.DataFrame()
    names = dict.fromkeys([*seen, *known_names(mapping)])
    _refuse_doubled_keys(path, seen)
    with path.open("rb") as file:  # Of a path, Polars would take brackets and stars for a pattern.
        frame = pl.read_ndjson(file, schema=dict.fromkeys(names, pl.String()))
    # A field that no line has would hide a synonym of it.
    return frame.select(name for name in frame.columns if name in seen or frame[name].null_count() < frame.height)


def _refuse_doubled_keys(path: Path, names: Iterable[str]) -> None:
    """Raise if a line has a key twice, of which Polars would silently take the first."""
    lines = pl.scan_csv(
        path, separator="\x01", quote_char=None, has_header=False, schema={"line": pl.String()}, glob=False
    )
    counts = [pl.col("line").str.count_matches(f'"{re.escape(name)}"\\s*:').max().alias(name) for name in names]
    most = lines.select(counts).collect(engine="streaming")
    if any((count or 0) > 1 for count in most.row(0)):
        raise pl.exceptions.DuplicateError("a key stands twice in a line")


def _row_by_row(path: Path) -> RawVotes:
    damaged: list[tuple[int, str]] = []
    records: list[dict[str, object]] = []
    numbers: list[int] = []

    def note(problem: InputError) -> None:
        damaged.append((len(records) + len(damaged) + 1, problem.message))

    for row in read_rows(path, on_problem=note):
        numbers.append(len(records) + len(damaged) + 1)
        records.append(row.values)
    if not records and damaged:
        raise InputError(damaged[0][1], where=str(path))
    frame = _columns_of(records)
    return RawVotes(frame.lazy(), str(path), pl.Series(numbers, dtype=pl.Int64), tuple(damaged))


def _from_records(records: Iterable[Any]) -> RawVotes:
    damaged: list[tuple[int, str]] = []
    sound: list[Mapping[str, object]] = []
    numbers: list[int] = []
    for number, record in enumerate(records, start=1):
        if isinstance(record, Mapping):
            numbers.append(number)
            sound.append(record)
        elif isinstance(record, msgspec.Struct):
            numbers.append(number)
            sound.append(msgspec.structs.asdict(record))
        else:
            damaged.append((number, say("problem.not_a_record", found=type(record).__name__)))
    return RawVotes(_columns_of(sound).lazy(), "records", pl.Series(numbers, dtype=pl.Int64), tuple(damaged))


def _columns_of(records: list[Any]) -> pl.DataFrame:
    names = dict.fromkeys(str(name) for record in records for name in record)
    return pl.DataFrame([_series(name, [record.get(name) for record in records]) for name in names])


def _series(name: str, values: list[object]) -> pl.Series:
    """Make a column; where kinds are mixed, each cell is written as text, so that none is turned into null."""
    try:
        series = pl.Series(name, values, strict=True)
    except (TypeError, ValueError, OverflowError, pl.exceptions.PolarsError):
        return pl.Series(name, [_word(value) for value in values], dtype=pl.String)
    if series.dtype.is_nested() or series.dtype == pl.Object:
        return pl.Series(name, [_word(value) for value in values], dtype=pl.String)
    return series


def _word(value: object) -> str | None:
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, bool):
        return "true" if value else "false"
    isoformat = getattr(value, "isoformat", None)
    return str(isoformat()) if callable(isoformat) else str(value)
