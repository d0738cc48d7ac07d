"""A table of numbers as coloured squares: drift by prompt and question, and agreement between judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from venire.reports.page.markup import cell_link, tag
from venire.reports.report import Row, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.reports.report import ReportCell
    from venire.reports.words import ReportWords

SHADES = 20
"""How many steps the colours have between the lowest and the highest; the style sheet knows them as h0 to h20."""

STANDING = 8
"""From how many columns on their names stand upright."""

BARE = 16
"""From how many columns on squares are shown without their numbers, which are told on hover and in the table."""

TALL = 24
"""From how many rows on a table scrolls in a window of its own, so that what follows stays near."""


def heat_map(table: Table, title: str, words: ReportWords) -> Markup:
    """Draw a table as a heat map; colours run over the scale, or over what occurs where no scale is known."""
    cells = [cell for row in table.rows for cell in row.cells]
    known = [cell.value for cell in cells if cell.value is not None]
    if not known:
        return Markup()
    ends = _ends(cells, known)
    bare = len(table.columns) > BARE
    columns = [words.column(column) for column in table.columns]
    head = tag("tr", *(tag("th", words.head(each), scope="col") for each in table.heads),
               *(tag("th", tag("span", name), scope="col") for name in columns))  # fmt: skip
    body = [
        tag(
            "tr",
            *(tag("th", words.row_name(head, name), scope="row", title=name)
              for head, name in zip(table.heads, row.names, strict=True)),
            *(_square(cell, f"{' · '.join(row.names)}, {name}", ends, words, bare=bare)
              for name, cell in zip(columns, row.cells, strict=True)),
        )
        for row in table.rows
    ]  # fmt: skip
    look = " ".join(filter(None, ("heat", "standing" if len(columns) > STANDING else "", "bare" if bare else "")))
    drawn = tag("table", tag("thead", head), tag("tbody", *body), class_=look)
    return tag(
        "div",
        drawn,
        class_="scroll tall" if len(table.rows) > TALL else "scroll",
        role="region",
        tabindex="0",
        aria_label=title,
    )


def by_similarity(table: Table) -> Table:
    """Order a table of each with each so that those who are alike stand together; others stay as they are."""
    names = [row.names[0] for row in table.rows]
    if len(names) < 4 or names != [column.name for column in table.columns]:
        return table
    values = np.array([[1.0 if cell.value is None else cell.value for cell in row.cells] for row in table.rows])
    # The second-smallest eigenvector of the graph's Laplacian puts strongly joined nodes next to each other.
    joined = (values + values.T) / 2 - values.min()
    order = [int(place) for place in np.argsort(np.linalg.eigh(np.diag(joined.sum(axis=1)) - joined)[1][:, 1])]
    if order[0] > order[-1]:
        order.reverse()
    rows = tuple(Row(table.rows[at].names, _picked(table.rows[at].cells, order)) for at in order)
    return Table(table.id, table.heads, tuple(table.columns[at] for at in order), rows)


def _picked(cells: Sequence[ReportCell], order: list[int]) -> tuple[ReportCell, ...]:
    return tuple(cells[at] for at in order)


def _ends(cells: list[ReportCell], known: list[float]) -> tuple[float, float]:
    if cells and all(cell.unit in ("coefficient", "word") for cell in cells):
        return -1.0, 1.0
    scales = {cell.scale for cell in cells if cell.scale}
    return next(iter(scales)) if len(scales) == 1 else (min(known), max(known))


def _square(cell: ReportCell, about: str, ends: tuple[float, float], words: ReportWords, *, bare: bool) -> Markup:
    if cell.value is None:
        return tag("td", words.value(cell) if cell.unit == "word" else "–", class_="blank")
    share = (cell.value - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.5
    shade = round(min(max(share, 0.0), 1.0) * SHADES)
    hint = ". ".join(filter(None, (words.value(cell), words.band(cell), words.interval(cell), f"n = {_size(cell)}")))
    shown = tag("a", "" if bare else words.value(cell), href=cell_link(cell), title=hint,
                aria_label=f"{about}: {hint}" if bare else None)  # fmt: skip
    return tag("td", shown, class_=f"h{shade}")


def _size(cell: ReportCell) -> int:
    return max(cell.n.values(), default=0)
