"""One record of a table; JSON is decoded strictly, so that nothing in it is lost or guessed."""

from __future__ import annotations

import ast
import datetime
import decimal
import json
import math
import re
from collections.abc import Callable
from typing import Any

import msgspec

from venire.errors import InputError
from venire.inputs.encoding import decode_utf8, refuse_lone_surrogates
from venire.words.said import say

_MOST_LEVELS = 6
_PLAIN = frozenset({str, int, bool, type(None)})  # integers beyond 64 bits come as floats, which are not among them


class TableRow(msgspec.Struct, frozen=True):
    """One record of a table."""

    number: int
    """The line at which the row begins, or its place in the array or Parquet file, counted from 1."""
    values: dict[str, object]
    """The value of each column; None where it is missing."""
    where: str
    """The file and the row, for a reader."""
    start: int = 0
    """For a line of JSON Lines, the offset in the file at which it begins."""


MayNest = Callable[[str], bool]
"""Tells whether a column may hold lists and objects."""


def never(_: str) -> bool:
    """Let no column hold lists or objects."""
    return False


def fold_column(name: str) -> str:
    """Return how a column is compared with others: in lower case, with one kind of gap."""
    return re.sub(r"[\s_-]+", "_", name.strip()).casefold()


def decode_record(data: bytes, where: str, may_nest: MayNest = never) -> dict[str, object]:
    """Decode one JSON object strictly: no duplicate keys, no NaN; raise `InputError` that says what is wrong."""
    record = _decode_plain(data, may_nest)
    return as_record(decode_json(data, where), where, may_nest) if record is None else record


def _decode_plain(data: bytes, may_nest: MayNest) -> dict[str, object] | None:
    """Decode an object of texts and whole numbers by a faster way; None for anything that needs a closer look."""
    if b"\\" in data and b"\\u" in data:  # One sign alone is found ten times sooner, and most lines have none.
        return None
    try:
        record = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if type(record) is not dict:
        return None
    nested = [name for name, value in record.items() if type(value) not in _PLAIN]
    if nested and not all(map(may_nest, nested)):
        return None
    # A key that stood twice is one colon less than the data has; those in texts stand there as they are.
    if nested:
        count = _count_colons(record)
    else:
        texts = [*record, *(each for each in record.values() if type(each) is str)]
        count = len(record) + sum([each.count(":") for each in texts if ":" in each])
    return record if count == data.count(b":") else None


def _count_colons(value: Any, depth: int = 0) -> float:
    """Return how many colons JSON has for a value of texts, whole numbers and few levels; NaN for anything else."""
    kind = type(value)
    if kind is str:
        count: int = value.count(":")
        return count
    if kind in _PLAIN:
        return 0
    if depth > _MOST_LEVELS:
        return math.nan
    if kind is list:
        return math.fsum([_count_colons(item, depth + 1) for item in value])
    if kind is dict:
        inside = [_count_colons(item, depth + 1) for item in value.values()]
        return len(value) + "".join(value).count(":") + math.fsum(inside)
    return math.nan


def as_record(item: object, where: str, may_nest: MayNest = never) -> dict[str, object]:
    """Return the item if it is a JSON object of sound texts, flat but where it may nest; raise `InputError` if not."""
    if not isinstance(item, dict):
        raise InputError("error.json.not_object", where=where, found=kind_of(item))
    nested = [name for name, value in item.items() if isinstance(value, (dict, list))]
    refuse_nested([name for name in nested if not may_nest(name)], where)
    for name, value in item.items():
        refuse_lone_surrogates(name, where, "problem.column_name")
        if isinstance(value, str):
            refuse_lone_surrogates(value, where, "problem.column", name=name)
    return item


def decode_json(data: bytes, where: str) -> object:
    """Decode JSON without duplicate keys, NaN or infinities; raise `InputError` that says what is wrong."""
    text = decode_utf8(data, where)
    try:
        return json.loads(
            text,
            object_pairs_hook=_unique_keys,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_short,
        )
    except json.JSONDecodeError as error:
        raise InputError(
            "error.json.malformed", where=where, reason=error.msg, line=error.lineno, column=error.colno
        ) from None
    except ValueError as error:
        raise InputError("error.json.not_strict", where=where, reason=error.args[0]) from None
    except RecursionError:
        raise InputError("error.json.too_deep", where=where) from None


def as_list(text: str) -> list[Any] | None:
    """Return the list that a cell holds, as JSON or as Python writes one; None if it holds something else.

    >>> as_list('["a", "b"]'), as_list("['a', 'b']"), as_list("[1] a note")
    (['a', 'b'], ['a', 'b'], None)
    """
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        value = _python_value(text)
    return value if isinstance(value, list) else None


def python_list(text: str) -> list[Any] | None:
    """Return the list that a text holds as Python and not as JSON, as in tables that come from data frames; or None."""
    try:
        msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return as_list(text)
    return None


def _python_value(text: str) -> object:
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return None


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    record = dict(pairs)
    if len(record) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(say("problem.duplicate_key", key=next(name for name in names if names.count(name) > 1)))
    return record


def _refuse_constant(name: str) -> object:
    raise ValueError(say("problem.not_a_number", found=name))


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(say("problem.beyond_double", found=digits[:24]))
    return value


def _short(digits: str) -> int:
    if len(digits) > 300:  # int() refuses very long ones in words of its own
        raise ValueError(say("problem.too_many_digits", digits=len(digits)))
    return int(digits)


def kind_of(value: object) -> str:
    """Name the kind of a JSON value for a reader."""
    kinds = {dict: "object", list: "array", str: "text", bool: "boolean", type(None): "null"}
    return say(f"problem.json_{kinds.get(type(value), 'number')}")


def refuse_nested(names: list[str], where: str) -> None:
    """Raise `InputError` if any columns hold lists or objects: a sample is flat."""
    if names:
        raise InputError("error.table.nested", where=where, columns=tuple(map(repr, names)))


def cell_text(row: TableRow, name: str) -> str:
    """Write a cell as text; a whole number has no decimal point, and what is missing is empty."""
    value = row.values[name]
    if isinstance(value, str):
        return value
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, (int, float, decimal.Decimal)):
        return str(value)
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return str(value)
    if isinstance(value, (list, dict)):
        refuse_nested([name], row.where)
    raise InputError("error.table.bad_kind", where=row.where, column=name, kind=type(value).__name__)
