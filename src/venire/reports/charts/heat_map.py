"""A table of numbers as coloured squares: drift by prompt and question, and agreement between judges."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.charts.drawing import WIDTH, fit, label_space, link, rect, svg, text
from venire.reports.page.markup import cell_link

if TYPE_CHECKING:
    from venire.reports.report import ReportCell, Table
    from venire.reports.words import ReportWords

_ROW = 30.0
_HEAD = 26.0
# From low to high, through a light middle: told apart also by readers who do not see red and green.
_RAMP = ((178, 72, 40), (244, 178, 120), (247, 243, 236), (146, 197, 222), (33, 102, 172))


def heat_map(table: Table, title: str, words: ReportWords) -> Markup:
    """Draw a table as a heat map; colours run over the scale, or over what occurs where no scale is known."""
    cells = [cell for row in table.rows for cell in row.cells]
    known = [cell.value for cell in cells if cell.value is not None]
    if not known:
        return Markup()
    low, high = _ends(cells, known)
    names = [
        " · ".join(words.row_name(head, name) for head, name in zip(table.heads, row.names, strict=True))
        for row in table.rows
    ]
    left = label_space(names)
    width = min(110.0, (WIDTH - left) / max(len(table.columns), 1))
    drawn = [
        text(
            left + width * (place + 0.5),
            _HEAD / 2,
            fit(words.column(column), width - 4),
            anchor="middle",
            class_="tick",
        )
        for place, column in enumerate(table.columns)
    ]
    spoken = []
    for number, (name, row) in enumerate(zip(names, table.rows, strict=True)):
        y = _HEAD + _ROW * number
        drawn.append(text(left - 8, y + _ROW / 2, fit(name), anchor="end"))
        for place, cell in enumerate(row.cells):
            drawn.append(_square(cell, left + width * place, y, width, (low, high), words))
        spoken.append(f"{name}: {', '.join(words.value(cell) for cell in row.cells)}")
    return svg(_HEAD + _ROW * len(table.rows) + 4, title, "; ".join(spoken), *drawn)


def _ends(cells: list[ReportCell], known: list[float]) -> tuple[float, float]:
    if cells and all(cell.unit in ("coefficient", "word") for cell in cells):
        return -1.0, 1.0
    scales = {cell.scale for cell in cells if cell.scale}
    return next(iter(scales)) if len(scales) == 1 else (min(known), max(known))


def _square(
    cell: ReportCell, x: float, y: float, width: float, ends: tuple[float, float], words: ReportWords
) -> Markup:
    if cell.value is None:
        blank = words.value(cell) if cell.unit == "word" else "–"
        drawn = rect(x, y, width - 2, _ROW - 2, class_="blank")
        return drawn + text(x + width / 2 - 1, y + _ROW / 2 - 1, blank, anchor="middle")
    colour, ink = _colours((cell.value - ends[0]) / (ends[1] - ends[0]) if ends[1] > ends[0] else 0.5)
    hint = ". ".join(filter(None, (words.value(cell), words.band(cell), words.interval(cell), f"n = {_size(cell)}")))
    return link(
        cell_link(cell),
        rect(x, y, width - 2, _ROW - 2, fill=colour, hint=hint),
        text(x + width / 2 - 1, y + _ROW / 2 - 1, words.value(cell), anchor="middle", fill=ink),
    )


def _size(cell: ReportCell) -> int:
    return max(cell.n.values(), default=0)


def _colours(share: float) -> tuple[str, str]:
    """Return the colour of a share of the scale, and the ink that is read on it."""
    place = min(max(share, 0.0), 1.0) * (len(_RAMP) - 1)
    below = min(int(place), len(_RAMP) - 2)
    mixed = [
        round(one + (other - one) * (place - below)) for one, other in zip(_RAMP[below], _RAMP[below + 1], strict=True)
    ]
    luminance = 0.299 * mixed[0] + 0.587 * mixed[1] + 0.114 * mixed[2]
    return f"#{mixed[0]:02x}{mixed[1]:02x}{mixed[2]:02x}", "#111" if luminance > 140 else "#fff"
