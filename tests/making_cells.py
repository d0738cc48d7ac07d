"""Cells and tables of a report for the tests of what is drawn and printed of them."""

from __future__ import annotations

from typing import Any

from venire.reports.report import Column, ReportCell, Row, Table


def cell(value: float | None = None, **fields: Any) -> ReportCell:
    """Return a score, unless another unit is named."""
    return ReportCell(**{"id": f"t.{value}", "unit": "score", "value": value, **fields})


def table(columns: str, **rows: list[ReportCell]) -> Table:
    """Return a table of models; its columns are named by words."""
    named = tuple(Row((name,), tuple(cells)) for name, cells in rows.items())
    return Table("t", ("target_model",), tuple(Column(name, name) for name in columns.split()), named)


def elements(drawing: str) -> str:
    """Return a drawing with an element a line, to be read and compared."""
    return str.replace(drawing, "><", ">\n<") + "\n"  # Markup would escape what is put in.
