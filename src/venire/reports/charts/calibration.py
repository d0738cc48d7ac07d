"""Calibration against people: what people gave on average where the panel gave so much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.charts.drawing import Axis, circle, line, link, svg, text
from venire.reports.page.markup import cell_link, join, tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.reports.report import ReportCell
    from venire.reports.words import ReportWords

_SIDE = 330.0
_EDGE = 46.0


def _band(points: Sequence[tuple[ReportCell, ReportCell]], across: Axis, up: Axis) -> Markup:
    """Shade what the intervals of neighbouring groups enclose."""
    ends = [
        (across(x.value or 0.0), up(y.low), up(y.high)) for x, y in points if y.low is not None and y.high is not None
    ]
    if len(ends) < 2:
        return Markup()
    corners = [*((x, low) for x, low, _ in ends), *((x, high) for x, _, high in reversed(ends))]
    return tag("polygon", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in corners), class_="enclosed")


def calibration_chart(
    points: Sequence[tuple[ReportCell, ReportCell]], title: str, words: ReportWords, labels: tuple[str, str]
) -> Markup:
    """Draw the panel's mean against the people's mean of each group; on the diagonal they agree."""
    known = [(x, y) for x, y in points if x.value is not None and y.value is not None]
    if not known:
        return Markup()
    ends = [each for pair in known for cell in pair for each in (cell.value, cell.low, cell.high) if each is not None]
    low, high = known[0][0].scale or (min(ends), max(ends))
    across, up = Axis(low, high, _EDGE, _SIDE), Axis(low, high, _SIDE - _EDGE, 12)
    drawn = [line(across(low), up(low), across(high), up(high), "diagonal")]
    drawn += [
        join(line(across(tick), up(low), across(tick), up(high), "grid"),
             line(across(low), up(tick), across(high), up(tick), "grid"),
             text(across(tick), up(low) + 12, f"{tick:g}", anchor="middle", class_="tick"),
             text(across(low) - 8, up(tick), f"{tick:g}", anchor="end", class_="tick"))
        for tick in across.ticks()
    ]  # fmt: skip
    drawn.append(_band(known, across, up))
    for x, y in known:
        marks = []
        if y.low is not None and y.high is not None:
            marks.append(line(across(x.value or 0), up(y.low), across(x.value or 0), up(y.high), "whisker"))
        name = f"{labels[0]} {words.value(x)}, {labels[1]} {words.with_interval(y)}"
        drawn.append(link(cell_link(y), name, *marks, circle(across(x.value or 0), up(y.value or 0), 5, "dot")))
    drawn.append(text((_SIDE + _EDGE) / 2, _SIDE - 8, labels[0], anchor="middle", class_="small"))
    drawn.append(text(_SIDE + 12, 24, f"↑ {labels[1]}", class_="small"))
    spoken = "; ".join(f"{words.value(x)}: {words.value(y)}" for x, y in known)
    return svg(_SIDE, title, spoken, *drawn, width=520.0)
