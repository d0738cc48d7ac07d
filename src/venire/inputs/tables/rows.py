"""Rows of a table in CSV, TSV, Parquet, JSON or JSON Lines, one at a time, with the place of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from venire.errors import InputError, TableError, UsageError
from venire.inputs.encoding import open_as_utf8
from venire.inputs.folder import ending_of
from venire.inputs.problems import OnProblem, tell, unreadable
from venire.inputs.tables.delimited import read_csv
from venire.inputs.tables.jsonl import read_lines, too_long
from venire.inputs.tables.record import (
    MayNest,
    TableRow,
    as_record,
    decode_json,
    decode_record,
    kind_of,
    never,
    refuse_nested,
)

JSON_LINES_ENDINGS = (".jsonl", ".ndjson")
"""The endings of JSON Lines files."""

TABLE_ENDINGS = (".csv", ".json", ".jsonl", ".ndjson", ".parquet", ".tab", ".tsv")
"""The endings of files that are read as tables."""

MAX_JSON_BYTES = 256 * 2**20
"""The largest JSON array that is read: it has to be held in memory as a whole."""

_PARQUET_BATCH_ROWS = 512


def read_rows(
    path: Path, *, on_problem: OnProblem = None, encoding: str = "", may_nest: MayNest = never
) -> Iterator[TableRow]:
    """Yield the rows of a table; the file's ending says what it is, and `may_nest` which columns may hold lists.

    Rows stream; but a JSON array is held in memory as a whole, and of a Parquet file a few of its row groups are. Rows
    that cannot be read are problems, and so is a file that cannot be read at all; it yields nothing then. A text is
    UTF-8 unless a byte order mark or `encoding` says otherwise; raises `TableError` if it looks like something else.
    """
    readers: dict[str, Callable[..., Iterator[TableRow]]] = {
        ".csv": partial(read_csv, delimiter=","),
        ".tab": partial(read_csv, delimiter="\t"),
        ".tsv": partial(read_csv, delimiter="\t"),
        ".json": partial(_read_json_array, may_nest=may_nest),
        ".jsonl": partial(_read_json_lines, may_nest=may_nest),
        ".ndjson": partial(_read_json_lines, may_nest=may_nest),
        ".parquet": partial(_read_parquet, may_nest=may_nest),
    }
    reader = readers.get(ending_of(path))
    if reader is None:
        raise UsageError("error.table.ending", endings=" ".join(TABLE_ENDINGS), found=path.name)
    try:
        yield from reader(path, on_problem=on_problem, encoding=encoding)
    except OSError as error:
        tell(unreadable(error, str(path)), on_problem)
    except TableError:
        raise
    except InputError as problem:
        if on_problem is None:
            raise
        on_problem(problem)


def _read_json_lines(path: Path, on_problem: OnProblem, encoding: str, may_nest: MayNest) -> Iterator[TableRow]:
    for line in read_lines(path, opened=partial(open_as_utf8, encoding=encoding)):
        where = f"{path}:{line.number}"
        if line.data is None:
            tell(too_long(line, where), on_problem)
            continue
        try:
            row = TableRow(line.number, decode_record(line.data, where, may_nest), where, line.start)
        except InputError as problem:
            tell(problem, on_problem)
            continue
        yield row


def _read_json_array(path: Path, on_problem: OnProblem, encoding: str, may_nest: MayNest) -> Iterator[TableRow]:
    size = path.stat().st_size
    if size > MAX_JSON_BYTES:
        raise InputError("error.json.too_large", where=str(path), size=size, most=MAX_JSON_BYTES)
    with open_as_utf8(path, encoding) as file:
        items = decode_json(file.read(), str(path))
    if not isinstance(items, list):
        raise InputError("error.json.not_array", where=str(path), found=kind_of(items))
    for number, item in enumerate(items, start=1):
        where = f"{path}, item {number}"
        try:
            row = TableRow(number, as_record(item, where, may_nest), where)
        except InputError as problem:
            tell(problem, on_problem)
            continue
        yield row


def _read_parquet(path: Path, on_problem: OnProblem, encoding: str, may_nest: MayNest) -> Iterator[TableRow]:
    import polars  # slow to import, wanted only where there is Parquet

    del on_problem, encoding  # A Parquet file is whole or damaged: it has no bad rows, and says its encoding itself.
    with path.open("rb"):  # An unreadable file is told as such, before Polars words it in its own way.
        pass
    try:
        frame = polars.scan_parquet(path, glob=False)
        nested = [name for name, kind in frame.collect_schema().items() if kind.is_nested() and not may_nest(name)]
        refuse_nested(nested, str(path))
        number = 0
        for batch in frame.collect_batches(chunk_size=_PARQUET_BATCH_ROWS, lazy=True):
            for values in batch.iter_rows(named=True):
                number += 1
                yield TableRow(number, values, f"{path}, row {number}")
    except polars.exceptions.PolarsError as error:
        raise InputError("error.table.not_parquet", where=str(path), error=error) from error
