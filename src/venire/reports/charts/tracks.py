"""Rows of a name, a track and a number: drawn in shares of the width, so that they hold on a phone as on a wall."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.charts.drawing import Axis
from venire.reports.page.markup import cell_link, join, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from venire.reports.report import ReportCell

HUNDRED = (0.0, 100.0)
"""Where a track begins and ends, in percent of its width."""


def track_axis(low: float, high: float) -> Axis:
    """Return the map from numbers to places on a track."""
    return Axis(low, high, *HUNDRED)


def tracks(title: str, rows: Iterable[Markup], *, more: str = "") -> Markup:
    """Put rows below one another; every row says its number in words, so the chart needs no other text."""
    return tag("div", *rows, class_=f"tracks {more}".strip(), role="group", aria_label=title)


def track_row(
    name: str, cell: ReportCell, spoken: str, marks: Iterable[Markup], *, series: int | None = None, rank: str = ""
) -> Markup:
    """Draw one row; the track leads to the source of its number, if it has one. Before the name stands its rank."""
    key = Markup() if series is None else tag("span", "", class_=f"key series{series}", aria_hidden="true")
    drawn = tag("svg", *marks, class_="track", aria_hidden="true", focusable="false")
    has_source = cell.value is not None and cell.id
    shown = tag("a", drawn, href=cell_link(cell), aria_label=f"{name}: {spoken}") if has_source else drawn
    place = tag("span", rank, class_="rank") if rank else Markup()
    named = tag("span", key, place, name, class_="name", title=name)
    return tag("div", named, shown, tag("span", spoken, class_="figure"), class_="row")


def grid_marks(axis: Axis) -> list[Markup]:
    """Return the lines of an axis behind a row."""
    return [
        mark("line", x1=axis(tick), x2=axis(tick), y1=0, y2=100, class_="zero" if tick == 0 > axis.low else "grid")
        for tick in axis.ticks()
    ]


def axis_row(axis: Axis, percent: str = "") -> Markup:
    """Return the row of an axis' numbers; shares are written with the sign for percent, if it is given."""
    numbers = [
        tag("text", _number(tick, percent), x=f"{axis(tick):.2f}%", y="11", text_anchor=_anchor(axis(tick)))
        for tick in axis.ticks()
    ]
    drawn = tag("svg", *numbers, class_="track axis", aria_hidden="true", focusable="false")
    return tag("div", tag("span", class_="name"), drawn, tag("span", class_="figure"), class_="row axis")


def _number(tick: float, percent: str) -> str:
    return (f"{100 * tick:g}{percent}" if percent else f"{tick:g}").replace("-", "−")


def _anchor(place: float) -> str:
    return "start" if place < 1 else "end" if place > 99 else "middle"


def mark(name: str, *, class_: str, hint: str = "", **places: float) -> Markup:
    """Draw a mark whose places are percents of the track; `r` is in pixels."""
    written = {key: f"{value:g}" if key == "r" else f"{value:.2f}%" for key, value in places.items()}
    return tag(name, *([tag("title", hint)] if hint else []), class_=class_, **written)


def band_and_dot(axis: Axis, cell: ReportCell) -> Markup:
    """Draw a number as a dot on the band of its interval."""
    if cell.value is None:
        return Markup()
    dot = mark("circle", cx=axis(cell.value), cy=50, r=5, class_="dot")
    if cell.low is None or cell.high is None:
        return dot
    low, high = axis(cell.low), axis(cell.high)
    return join(mark("rect", x=low, width=max(high - low, 0.4), y=28, height=44, class_="band"), dot)
