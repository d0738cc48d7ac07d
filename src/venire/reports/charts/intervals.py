"""Dots with their intervals: the leaderboard and the judges' severity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.charts.drawing import WIDTH, Axis, circle, fit, label_space, line, link, svg, text
from venire.reports.page.markup import cell_link, join

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.reports.report import ReportCell
    from venire.reports.words import ReportWords

_ROW = 28.0
_NUMBERS = 150.0


def interval_chart(
    rows: Sequence[tuple[str, ReportCell]], title: str, words: ReportWords, *, ends: tuple[float, float] | None = None
) -> Markup:
    """Draw a dot and its interval for each row; rows whose number is not known say so."""
    known = [cell for _, cell in rows if cell.value is not None]
    if not known:
        return Markup()
    numbers = [each for cell in known for each in (cell.value, cell.low, cell.high) if each is not None]
    low, high = ends or (1.08 * min(0.0, *numbers), 1.08 * max(0.0, *numbers))
    left = label_space([name for name, _ in rows])
    axis = Axis(low, high, left, WIDTH - _NUMBERS)
    height = _ROW * len(rows) + 30
    drawn = [
        join(line(axis(tick), 4, axis(tick), height - 24, "zero" if tick == 0 and low < 0 else "grid"),
             text(axis(tick), height - 12, f"{tick:g}".replace("-", "−"), anchor="middle", class_="tick"))
        for tick in axis.ticks()
    ]  # fmt: skip
    spoken = []
    for place, (name, cell) in enumerate(rows):
        y = _ROW * place + _ROW / 2 + 4
        shown, interval = words.value(cell), words.interval(cell)
        shown = words("number.with_interval", value=shown, interval=interval) if interval else shown
        spoken.append(f"{name}: {shown}")
        drawn.append(text(left - 8, y, fit(name), anchor="end"))
        drawn.append(text(WIDTH - _NUMBERS + 12, y, shown, class_="small"))
        if cell.value is None:
            continue
        marks = []
        if cell.low is not None and cell.high is not None:
            marks.append(line(axis(cell.low), y, axis(cell.high), y, "whisker"))
            marks += [line(axis(end), y - 4, axis(end), y + 4, "whisker") for end in (cell.low, cell.high)]
        drawn.append(link(cell_link(cell), *marks, circle(axis(cell.value), y, 5, "dot")))
    return svg(height, title, "; ".join(spoken), *drawn)
