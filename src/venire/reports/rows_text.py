"""The rows behind a number, and what it rests on, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from venire.reports.report import Rows
    from venire.reports.wording import Words

_SHOWN = 6


def rows_text(rows: Rows, words: Words) -> str:
    """Say in words which rows are meant."""
    if rows.sequences is not None:
        return words("rows.entries", count=len(rows.sequences))
    conditions = [f"{words.head(name)} = {_values(values)}" for name, values in rows.where.items()]
    if rows.dimension:
        conditions.append(words.name(rows.dimension))
    return "; ".join([words(f"rows.{rows.among}"), *conditions])


def counts_text(counts: Mapping[str, int]) -> str:
    """Write what a number rests on, such as `units 40, raters 3`."""
    return ", ".join(f"{name} {count}" for name, count in counts.items())


def _values(values: tuple[str, ...]) -> str:
    shown = " | ".join(values[:_SHOWN])
    return f"{shown} … ({len(values)})" if len(values) > _SHOWN else shown
