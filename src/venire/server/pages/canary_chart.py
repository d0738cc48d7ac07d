"""A chart of the evidence that judges have changed, run by run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from markupsafe import Markup

from venire.reports.charts.drawing import WIDTH, Axis, circle, fit, line, svg, text
from venire.reports.page.markup import tag
from venire.reports.words import ReportWords, e_text
from venire.server.court.views import CanaryCurve

SHOWN = 8
"""How many curves are drawn: as many as there are colours."""
_LEFT, _RIGHT, _TOP, _HEIGHT, _ROW = 52.0, 28.0, 12.0, 210.0, 20.0


def canary_chart(curves: Sequence[CanaryCurve], words: ReportWords) -> Markup:
    """Draw the evidence on a logarithmic scale with the alarm as a line, and a legend below; empty without a curve."""
    drawn = curves[:SHOWN]
    if not drawn:
        return Markup()
    numbers = [number for curve in drawn for number, _, _ in curve.points]
    values = [math.log10(e_value) for curve in drawn for _, _, e_value in curve.points]
    across = Axis(min(numbers), max(numbers), _LEFT, WIDTH - _RIGHT)
    up = Axis(min(-1.0, *values), max(2.0, *values), _HEIGHT - 24, _TOP)
    parts = [*_grid(across, up, sorted(set(numbers)), drawn[0].alarm, words)]
    for place, curve in enumerate(drawn):
        points = [(across(number), up(math.log10(e_value))) for number, _, e_value in curve.points]
        steps = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(tag("polyline", points=steps, class_=f"curve line{place}"))
        parts += [circle(x, y, 3.5, f"series{place}") for x, y in points]
        y = _HEIGHT + 14 + _ROW * place
        parts.append(line(_LEFT, y, _LEFT + 22, y, f"curve line{place}"))
        parts.append(text(_LEFT + 30, y, fit(_label(curve, words), WIDTH - _LEFT - 40), class_="small"))
    spoken = "; ".join(_label(curve, words) for curve in drawn)
    return svg(_HEIGHT + _ROW * len(drawn) + 10, words("pages.canaries.chart"), spoken, *parts)


def _grid(across: Axis, up: Axis, numbers: list[int], alarm: float, words: ReportWords) -> list[Markup]:
    parts = []
    for power in up.ticks(4):
        parts.append(line(_LEFT, up(power), WIDTH - _RIGHT, up(power), "grid"))
        parts.append(text(_LEFT - 6, up(power), f"{10**power:g}", anchor="end", class_="tick"))
    height = up(math.log10(alarm))
    parts.append(line(_LEFT, height, WIDTH - _RIGHT, height, "alarm-line"))
    parts.append(text(_LEFT + 4, height - 8, words("pages.canaries.alarm_at", e=e_text(alarm)), class_="small"))
    step = max(1, math.ceil(len(numbers) / 12))
    for number in numbers[::step]:
        label = words("pages.canaries.run", number=number)
        parts.append(text(across(number), _HEIGHT - 8, label, anchor="middle", class_="tick"))
    return parts


def _label(curve: CanaryCurve, words: ReportWords) -> str:
    state = words("canaries.state.changed") if curve.has_changed else ""
    return " · ".join(part for part in (curve.judge, f"e = {e_text(curve.points[-1][2])}", state) if part)
