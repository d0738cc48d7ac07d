"""The report as files for machines: JSON with everything, and each table as CSV or Parquet with the same numbers."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import msgspec

from venire.errors import InputError
from venire.reports.report import Report
from venire.reports.words import ReportWords
from venire.words.said import as_text, coded, said_again

if TYPE_CHECKING:
    from venire.reports.report import ReportCell, Table


# Spreadsheets fold full-width signs and pass over blanks, also those that nobody sees, before they look for a formula.
_BEFORE = r"[\s\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\x00-\x1f]*"
_FORMULA = re.compile(_BEFORE + r"[=+\-@\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]|[\t\r\n]")


def encode_report(report: Report, language: str) -> bytes:
    """Encode a report as JSON, with its summary in words; `decode_report` reads it again."""
    words = ReportWords(language, report.names)
    section = report.section("summary")
    sentences = [words.sentence(note) for note in section.notes] if section else []
    said: dict[str, Any] = {}

    def as_text_and_code(value: Any) -> object:
        said[str(as_text(value))] = coded(value)
        return as_text(value)

    content: dict[str, Any] = {"report": 1, "summary": sentences}
    content |= msgspec.to_builtins(report, enc_hook=as_text_and_code)
    content["said"] = said  # English texts of this report, and what to say them from in another language.
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def decode_report(data: bytes, where: str) -> Report:
    """Decode a report, its sentences to be said in any language; raises `InputError` for anything else."""
    try:
        report = msgspec.json.decode(data, type=Report)
        said = msgspec.json.decode(data, type=_SaidTexts).said
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError("error.report.not_a_report", where=where, problem=str(error)) from None
    texts = {text: said_again(text, made_from) for text, made_from in said.items()}
    sections = tuple(
        msgspec.structs.replace(section, tables=tuple(_with_texts(table, texts) for table in section.tables))
        for section in report.sections
    )
    return msgspec.structs.replace(report, sections=sections)


class _SaidTexts(msgspec.Struct):
    said: dict[str, Any] = {}


def _with_texts(table: Table, texts: dict[str, str]) -> Table:
    def again(cell: ReportCell) -> ReportCell:
        told = {name: texts.get(text := getattr(cell, name), text) for name in ("text", "method", "reason", "note")}
        return msgspec.structs.replace(cell, **told)

    rows = (msgspec.structs.replace(row, cells=tuple(map(again, row.cells))) for row in table.rows)
    return msgspec.structs.replace(table, rows=tuple(rows))


def table_rows(table: Table) -> list[dict[str, Any]]:
    """Return a table in long form: a row for each cell."""
    rows = []
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            rows.append(
                {
                    "cell": cell.id,
                    **{f"name.{head}": name for head, name in zip(table.heads, row.names, strict=True)},
                    "column": column.id,
                    "value": cell.value,
                    "low": cell.low,
                    "high": cell.high,
                    "level": cell.level,
                    "text": cell.text or cell.word,
                    "reason": cell.reason,
                    "note": cell.note,
                    "method": cell.method,
                    "n": msgspec.json.encode(cell.n).decode(),
                    "rows": msgspec.json.encode(cell.rows).decode(),
                }
            )
    return rows


def write_tables(report: Report, folder: Path, kind: Literal["csv", "parquet"]) -> list[Path]:
    """Write each table into a folder, named after the table, and return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for table in report.tables():
        # A table's id may hold the name of a factor of the data, which is never a file name.
        name = "".join(
            letter if letter.isascii() and (letter.isalnum() or letter in "-_") else "_" for letter in table.id
        )
        path = folder / f"{name}.{kind}"
        count = 1
        while path in written:
            count += 1
            path = folder / f"{name}_{count}.{kind}"
        path.write_bytes(_csv(table) if kind == "csv" else _parquet(table))
        written.append(path)
    return written


def guard(value: Any) -> Any:
    """Return a text that a spreadsheet will not take for a formula; numbers stay as they are.

    >>> guard("=1+1"), guard("\u3000\uff1d1"), guard(-1.5)
    ("'=1+1", "'\u3000\uff1d1", -1.5)
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def _csv(table: Table) -> bytes:
    rows = table_rows(table)
    if not rows:
        return b""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, fieldnames=[guard(name) for name in rows[0]], lineterminator="\r\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({guard(name): guard(value) for name, value in row.items()})
    return text.getvalue().encode("utf-8-sig")


def _parquet(table: Table) -> bytes:
    import polars as pl

    rows = table_rows(table)
    numbers = ("value", "low", "high", "level")
    kinds = {name: pl.Float64() if name in numbers else pl.String() for name in (rows[0] if rows else {"cell": ""})}
    buffer = io.BytesIO()
    pl.DataFrame(rows, schema=kinds).write_parquet(buffer, statistics=False)
    return buffer.getvalue()
