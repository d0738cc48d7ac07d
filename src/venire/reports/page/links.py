"""Where the page keeps the source of a cell and the record of a judgement."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from venire.reports.report import Cell


def cell_anchor(cell: Cell) -> str:
    """Return the id of the element that tells a cell's source."""
    return f"cell-{cell.id}"


def cell_link(cell: Cell) -> str:
    """Return the link to a cell's source."""
    return "#" + quote(cell_anchor(cell))


def line_anchor(place: int) -> str:
    """Return the id of the element that shows a judgement, by its place in the list."""
    return f"judgement-{place}"
