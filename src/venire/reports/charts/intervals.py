"""Dots with their intervals: the leaderboard and the judges' severity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.charts.tracks import axis_row, band_and_dot, grid_marks, track_axis, track_row, tracks
from venire.reports.page.markup import tag

if TYPE_CHECKING:
    from collections.abc import Sequence

    from venire.reports.report import ReportCell
    from venire.reports.words import ReportWords


def interval_chart(
    rows: Sequence[tuple[str, ReportCell]],
    title: str,
    words: ReportWords,
    *,
    ends: tuple[float, float] | None = None,
    told_apart: Sequence[bool | None] = (),
    ranks: Sequence[str] = (),
) -> Markup:
    """Draw a dot and its interval for each row; rows whose number is not known say so.

    `told_apart` says of each row but the last whether it can be told apart from the next; None says nothing. `ranks`
    are the places that each row may have.
    """
    known = [cell for _, cell in rows if cell.value is not None]
    if not known:
        return Markup()
    numbers = [each for cell in known for each in (cell.value, cell.low, cell.high) if each is not None]
    axis = track_axis(*(ends or (1.08 * min(0.0, *numbers), 1.08 * max(0.0, *numbers))))
    drawn = []
    for place, (name, cell) in enumerate(rows):
        marks = [*grid_marks(axis), band_and_dot(axis, cell)]
        rank = ranks[place] if place < len(ranks) else ""
        drawn.append(track_row(name, cell, words.with_interval(cell), marks, rank=rank))
        if place < len(told_apart) and told_apart[place] is not None:
            state = "differs" if told_apart[place] else "open"
            drawn.append(tag("p", words(f"told.{state}"), class_=f"told {state}"))
    percent = words("number.percent") if all(cell.unit == "share" for cell in known) else ""
    return tracks(title, [*drawn, axis_row(axis, percent)])
