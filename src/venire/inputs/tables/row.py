"""One record of a table, and what its values may not be."""

from __future__ import annotations

import msgspec

from venire.errors import InputError


class Row(msgspec.Struct, frozen=True):
    """One record of a table."""

    number: int
    """The line at which the row begins, or its place in the array or Parquet file, counted from 1."""
    values: dict[str, object]
    """The value of each column; None where it is missing."""
    where: str
    """The file and the row, for a reader."""
    start: int = 0
    """For a line of JSON Lines, the offset in the file at which it begins."""


def refuse_nested(names: list[str], where: str) -> None:
    """Raise `InputError` if any columns hold lists or objects: a sample is flat."""
    if names:
        raise InputError(
            f"columns hold lists or objects, expected text or numbers: {', '.join(map(repr, names))}",
            where=where,
            hint="Leave them out, or give each part a column of its own.",
        )
