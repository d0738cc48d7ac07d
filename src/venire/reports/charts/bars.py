"""Bars: dimensions by model, broken rules, cost, and latency from the median to the slow end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.charts.drawing import (
    WIDTH,
    Axis,
    circle,
    fit,
    label_space,
    line,
    link,
    rect,
    svg,
    text,
    text_width,
)
from venire.reports.page.markup import cell_link, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.reports.report import ReportCell, Table
    from venire.reports.words import ReportWords

_ROW = 24.0
_NUMBERS = 90.0
SERIES = 8
"""How many series have a colour of their own."""


def dimension_bars(table: Table, title: str, words: ReportWords) -> Markup:
    """Draw a group of bars for each dimension with a bar for each model, as shares of the dimension's scale."""
    models = [words.row_name(table.heads[0], row.names[0]) for row in table.rows]
    if not models or len(models) > SERIES:
        return Markup()
    names = [words.column(column) for column in table.columns]
    left = label_space(names)
    drawn, y = _legend(models, left), 34.0
    axis = Axis(0, 1, left, WIDTH - _NUMBERS)
    spoken = []
    for place, name in enumerate(names):
        cells = [row.cells[place] for row in table.rows]
        thick = 14.0
        drawn.append(text(left - 8, y + thick * len(cells) / 2, fit(name), anchor="end"))
        for number, cell in enumerate(cells):
            if cell.value is not None and cell.scale is not None:
                share = (cell.value - cell.scale[0]) / (cell.scale[1] - cell.scale[0])
                top = y + thick * number
                drawn.append(
                    link(
                        cell_link(cell),
                        rect(left, top, WIDTH - _NUMBERS - left, thick - 3, class_="track"),
                        rect(
                            left,
                            top,
                            axis(share) - left,
                            thick - 3,
                            class_=f"series{number}",
                            hint=f"{models[number]}: {words.value(cell)}",
                        ),
                        text(WIDTH - _NUMBERS + 8, top + thick / 2 - 1, words.value(cell), class_="tiny"),
                    )
                )
        spoken.append(
            f"{name}: " + ", ".join(f"{model} {words.value(cell)}" for model, cell in zip(models, cells, strict=True))
        )
        y += thick * len(cells) + 12
    return svg(y, title, "; ".join(spoken), *drawn)


def bar_chart(rows: Sequence[tuple[str, ReportCell]], title: str, words: ReportWords) -> Markup:
    """Draw one bar for each row, from 0."""
    known = [cell.value for _, cell in rows if cell.value is not None]
    if not known or max(known) <= 0:
        return Markup()
    left = label_space([name for name, _ in rows])
    axis = Axis(0, max(known), left, WIDTH - _NUMBERS)
    drawn = []
    for place, (name, cell) in enumerate(rows):
        y = _ROW * place
        drawn.append(text(left - 8, y + _ROW / 2, fit(name), anchor="end"))
        if cell.value is not None:
            drawn.append(link(cell_link(cell), rect(left, y + 4, axis(cell.value) - left, _ROW - 8, class_="series0")))
        drawn.append(text(max(axis(cell.value or 0), left) + 8, y + _ROW / 2, words.value(cell), class_="small"))
    spoken = "; ".join(f"{name}: {words.value(cell)}" for name, cell in rows)
    return svg(_ROW * len(rows) + 4, title, spoken, *drawn)


def range_chart(rows: Sequence[tuple[str, ReportCell, ReportCell]], title: str, words: ReportWords) -> Markup:
    """Draw a line from one number to a larger one for each row, such as from the median to the 95 % quantile."""
    known = [cell.value for _, *cells in rows for cell in cells if cell.value is not None]
    if not known or max(known) <= 0:
        return Markup()
    left = label_space([name for name, *_ in rows])
    axis = Axis(0, max(known), left, WIDTH - _NUMBERS - 20)
    drawn = []
    for place, (name, first, second) in enumerate(rows):
        y = _ROW * place + _ROW / 2
        drawn.append(text(left - 8, y, fit(name), anchor="end"))
        if first.value is None or second.value is None:
            continue
        drawn.append(
            link(
                cell_link(second),
                line(axis(first.value), y, axis(second.value), y, "whisker"),
                circle(axis(first.value), y, 5, "dot"),
                circle(axis(second.value), y, 4, "ring"),
            )
        )
        shown = f"{words.value(first)} – {words.value(second)}"
        drawn.append(text(axis(second.value) + 12, y, shown, class_="small"))
    spoken = "; ".join(f"{name}: {words.value(first)}, {words.value(second)}" for name, first, second in rows)
    return svg(_ROW * len(rows) + 4, title, spoken, *drawn)


def _legend(names: Sequence[str], left: float) -> list[Markup]:
    drawn, x = [], left
    for number, name in enumerate(names):
        drawn.append(
            join(rect(x, 6, 12, 12, class_=f"series{number}"), text(x + 18, 12, fit(name, 150), class_="small"))
        )
        x += 18 + min(text_width(name), 150) + 18
    return drawn
