"""Rows of a CSV or TSV file, streamed, so that one bad row costs no other."""

from __future__ import annotations

import codecs
import csv
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from venire.errors import InputError
from venire.inputs.encoding import open_as_utf8, refuse_lone_surrogates
from venire.inputs.problems import OnProblem, tell
from venire.inputs.tables.jsonl import MAX_LINE_BYTES
from venire.inputs.tables.record import TableRow

_LONGEST_LINE = 16 * 2**20
"""The longest line that is loaded, so that a row which is too long costs no other; of a longer one nothing is."""
_END = "\ud800"
"""A last line that no file can hold; it is a row of its own unless a quotation mark was never closed."""


def read_csv(path: Path, delimiter: str, on_problem: OnProblem, encoding: str = "") -> Iterator[TableRow]:
    """Yield the rows below the header; an empty field is missing.

    Raises `InputError` where nothing after it can be read, `OSError` if the file cannot be opened.
    """
    # The limit is the csv module's own and holds for the whole process: it may only grow.
    csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_LINE))
    with open_as_utf8(path, encoding) as file:
        lines = _text_lines(file, path)
        first = next(lines)
        rows = csv.reader(itertools.chain([first], lines), delimiter=_separator(first, delimiter))
        try:
            header = next(rows, [])
            _check_header(header, path)
            yield from _csv_rows(rows, header, path, on_problem)
        except csv.Error as error:
            raise InputError("error.csv.malformed", where=f"{path}:{rows.line_num}", error=error) from error


def _separator(header: str, usual: str) -> str:
    """Return a semicolon if only that parts the header of a .csv file: so spreadsheets write it in Europe."""
    bare = re.sub('"[^"]*"', "", header)
    return ";" if usual == "," and "," not in bare and ";" in bare else usual


def _csv_rows(rows: Any, header: list[str], path: Path, on_problem: OnProblem) -> Iterator[TableRow]:
    begins, file = rows.line_num + 1, str(path)
    for fields in rows:
        number, begins = begins, rows.line_num + 1
        if not fields or fields == [_END]:
            continue
        where = f"{file}:{number}"
        _refuse_unclosed(fields, where)
        try:
            values = _csv_values(fields, header, where)
        except InputError as problem:
            tell(problem, on_problem)
            continue
        yield TableRow(number, values, where)


def _refuse_unclosed(fields: list[str], where: str) -> None:
    if _END in fields[-1]:
        raise InputError("error.csv.open_quote", where=where)


def _csv_values(fields: list[str], header: list[str], where: str) -> dict[str, object]:
    if len(fields) > len(header):
        raise InputError("error.csv.too_many_fields", where=where, found=len(fields), expected=len(header))
    whole = "".join(fields)  # Asked of the whole row first, which most rows pass.
    if len(whole) > MAX_LINE_BYTES or not whole.isascii():
        _check_fields(fields, header, where)
    if len(fields) == len(header) and "" not in fields:
        return dict(zip(header, fields, strict=True))
    return dict(itertools.zip_longest(header, [value or None for value in fields]))


def _check_fields(fields: list[str], header: list[str], where: str) -> None:
    for name, value in zip(header, fields, strict=False):
        if len(value) > MAX_LINE_BYTES:
            raise InputError("error.csv.long_field", where=where, column=name, length=len(value), most=MAX_LINE_BYTES)
        refuse_lone_surrogates(value, where, "problem.column", name=name)


def _text_lines(file: IO[bytes], path: Path) -> Iterator[str]:
    number = 0
    while data := file.readline(_LONGEST_LINE + 1):
        number += 1
        if number == 1:
            data = data.removeprefix(codecs.BOM_UTF8)
        if len(data) > _LONGEST_LINE:
            raise InputError("error.csv.long_line", where=f"{path}:{number}", most=_LONGEST_LINE)
        # A byte that is not UTF-8 becomes a lone surrogate here, so that only its row is refused.
        yield data.decode("utf-8", "surrogateescape")
    yield _END


def _check_header(header: list[str], path: Path) -> None:
    if header == [_END] or not any(name.strip() for name in header):
        raise InputError("error.csv.no_header", where=str(path))
    _refuse_unclosed(header, f"{path}:1")
    if len(header) == 1 and (separator := re.search(r"[,;\t|]", header[0])):
        raise InputError("error.csv.other_separator", where=f"{path}:1", column=header[0], separator=separator[0])
    repeated = sorted({name for name in header if header.count(name) > 1})
    if repeated:
        raise InputError("error.csv.duplicate_columns", where=f"{path}:1", columns=tuple(map(repr, repeated)))
