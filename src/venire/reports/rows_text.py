"""The rows behind a number in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from venire.reports.report import Rows
    from venire.reports.wording import Words

_SHOWN = 6
_DIGEST = 64


def rows_text(rows: Rows, words: Words) -> str:
    """Say in words which rows are meant."""
    if rows.sequences is not None:
        return words("rows.entries", count=len(rows.sequences))
    conditions = [f"{words.head(name)} = {_values(values)}" for name, values in rows.where.items()]
    if rows.dimension:
        conditions.append(words.name(rows.dimension))
    return words("semicolon").join([words(f"rows.{rows.among}"), *conditions])


def _values(values: tuple[str, ...]) -> str:
    shown = " | ".join(value if len(value) < _DIGEST else f"{value[:12]}…" for value in values[:_SHOWN])
    return f"{shown} … ({len(values)})" if len(values) > _SHOWN else shown
