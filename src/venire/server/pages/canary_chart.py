"""A chart of the evidence that judges have changed, run by run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from venire.reports.charts.drawing import Axis
from venire.reports.charts.tracks import mark
from venire.reports.page.markup import tag
from venire.reports.words import ReportWords, e_text
from venire.server.court.views import CanaryCurve
from venire.server.pages.plot import Curve, field_axis, height_lines, plot

SHOWN = 8
"""How many curves are drawn: as many as there are colours."""
LABELLED = 6
"""How many runs at most are named below: so many fit on a phone."""


def canary_chart(curves: Sequence[CanaryCurve], words: ReportWords) -> Markup:
    """Draw the evidence on a logarithmic scale with the alarm as a line, and a legend below; empty without a curve."""
    drawn = curves[:SHOWN]
    if not drawn:
        return Markup()
    numbers = sorted({number for curve in drawn for number, _, _ in curve.points})
    values = [math.log10(e_value) for curve in drawn for _, _, e_value in curve.points]
    across = field_axis(numbers[0], numbers[-1])
    up = field_axis(min(-1.0, *values), max(2.0, *values), upwards=True)
    step = max(1, math.ceil(len(numbers) / LABELLED))
    return plot(
        words("pages.canaries.chart"),
        [_curve(curve, across, up, words) for curve in drawn],
        [*height_lines((up(power), f"{10**power:g}") for power in up.ticks(4)), *_alarm(up, drawn[0].alarm, words)],
        [(across(number), words("pages.canaries.run", number=number)) for number in numbers[::step]],
    )


def _curve(curve: CanaryCurve, across: Axis, up: Axis, words: ReportWords) -> Curve:
    points = [(across(number), up(math.log10(e_value))) for number, _, e_value in curve.points]
    return Curve(_label(curve, words), points, dotted=True)


def _alarm(up: Axis, alarm: float, words: ReportWords) -> list[Markup]:
    height = up(math.log10(alarm))
    label = words("pages.canaries.alarm_at", e=e_text(alarm))
    return [
        mark("line", x1=0, x2=100, y1=height, y2=height, class_="alarm-line"),
        tag("text", label, x="4", y=f"{height:.2f}%", dy="-6"),
    ]


def _label(curve: CanaryCurve, words: ReportWords) -> str:
    state = words("canaries.state.changed") if curve.has_changed else ""
    return " · ".join(part for part in (curve.judge, f"e = {e_text(curve.points[-1][2])}", state) if part)
