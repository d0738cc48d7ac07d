"""Bars: dimensions by model, broken rules, cost, and latency from the median to the slow end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.charts.tracks import mark, track_axis, track_row, tracks
from venire.reports.page.markup import tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.reports.report import ReportCell, Table
    from venire.reports.words import ReportWords

SERIES = 8
"""How many series have a colour of their own."""


def dimension_bars(table: Table, title: str, words: ReportWords) -> Markup:
    """Draw a group of bars for each dimension with a bar for each model, as shares of the dimension's scale."""
    models = [words.row_name(table.heads[0], row.names[0]) for row in table.rows]
    if not models or len(models) > SERIES:
        return Markup()
    groups = []
    for place, column in enumerate(table.columns):
        cells = [row.cells[place] for row in table.rows]
        rows = [
            track_row(model, cell, words.value(cell), _share_bar(cell, number), series=number)
            for number, (model, cell) in enumerate(zip(models, cells, strict=True))
        ]
        name = words.column(column)
        groups.append(tag("div", tag("p", name, class_="group"), tracks(name, rows, more="bars")))
    return tag("div", *groups, class_="groups", role="group", aria_label=title)


def _share_bar(cell: ReportCell, number: int) -> list[Markup]:
    marks = [mark("rect", x=0, width=100, y=22, height=56, class_="empty")]
    if cell.value is not None and cell.scale is not None:
        share = track_axis(*cell.scale)(cell.value)
        marks.append(mark("rect", x=0, width=share, y=22, height=56, class_=f"series{number}"))
    return marks


def bar_chart(rows: Sequence[tuple[str, ReportCell]], title: str, words: ReportWords) -> Markup:
    """Draw one bar for each row, from 0."""
    known = [cell.value for _, cell in rows if cell.value is not None]
    if not known or max(known) <= 0:
        return Markup()
    axis = track_axis(0, max(known))
    drawn = [
        track_row(
            name, cell, words.value(cell),
            [mark("rect", x=0, width=axis(cell.value or 0.0), y=22, height=56, class_="series0")],
        )
        for name, cell in rows
    ]  # fmt: skip
    return tracks(title, drawn, more="bars")


def range_chart(rows: Sequence[tuple[str, ReportCell, ReportCell]], title: str, words: ReportWords) -> Markup:
    """Draw a line from one number to a larger one for each row, such as from the median to the 95 % quantile."""
    known = [cell.value for _, *cells in rows for cell in cells if cell.value is not None]
    if not known or max(known) <= 0:
        return Markup()
    axis = track_axis(0, max(known))
    drawn = []
    for name, first, second in rows:
        marks = []
        if first.value is not None and second.value is not None:
            near, far = axis(first.value), axis(second.value)
            marks = [
                mark("line", x1=near, x2=far, y1=50, y2=50, class_="whisker"),
                mark("circle", cx=near, cy=50, r=5, class_="dot"),
                mark("circle", cx=far, cy=50, r=4, class_="ring"),
            ]
        drawn.append(track_row(name, second, f"{words.value(first)} – {words.value(second)}", marks))
    return tracks(title, drawn)
