"""Charts of votes: models by what people voted, and scores that age over time, with larger dots where fresher."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from markupsafe import Markup

from venire.reports.charts.drawing import WIDTH, Axis, circle, fit, line, svg, text
from venire.reports.charts.intervals import interval_chart
from venire.reports.page.markup import tag
from venire.reports.report import ReportCell
from venire.reports.words import ReportWords
from venire.server.court.vote_views import ScoreCurve, VoteStanding

SHOWN = 8
"""How many curves are drawn: as many as there are colours."""
_LEFT, _RIGHT, _TOP, _HEIGHT, _ROW = 34.0, 14.0, 10.0, 230.0, 20.0


def ranked_votes(standing: VoteStanding, words: ReportWords) -> Markup:
    """Draw the models, the best first; empty if nobody voted on any."""
    rows = [
        (each.model, ReportCell(id="", unit="score", value=each.score, low=each.low, high=each.high))
        for each in standing.models
    ]
    return interval_chart(rows, words(standing.caption), words, ends=(0.0, 1.0))


def curve_chart(curves: Sequence[ScoreCurve], words: ReportWords) -> Markup:
    """Draw the first curves, with a legend below; empty if there is no point to draw."""
    drawn = [curve for curve in curves if curve.points][:SHOWN]
    if not drawn:
        return Markup()
    moments = [point.time.timestamp() for curve in drawn for point in curve.points]
    across = Axis(min(moments), max(moments), _LEFT, WIDTH - _RIGHT)
    up = Axis(0, 1, _HEIGHT - 24, _TOP)
    parts: list[Markup] = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(line(_LEFT, up(tick), WIDTH - _RIGHT, up(tick), "grid"))
        parts.append(text(_LEFT - 6, up(tick), f"{tick:g}", anchor="end", class_="tick"))
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        moment = across.low + (across.high - across.low) * share
        label = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")
        parts.append(text(across(moment), _HEIGHT - 8, label, anchor=anchor, class_="tick"))
    for place, curve in enumerate(drawn):
        parts.extend(_curve(curve, place, across, up))
        y = _HEIGHT + 14 + _ROW * place
        parts.append(line(_LEFT, y, _LEFT + 22, y, f"curve line{place}"))
        label = f"{curve.inference_id} · {curve.score:.2f} · {words('pages.scores.freshness')} {curve.freshness:.2f}"
        parts.append(text(_LEFT + 30, y, fit(label, WIDTH - _LEFT - 40), class_="small"))
    spoken = "; ".join(f"{curve.inference_id}: {curve.score:.2f}" for curve in drawn)
    height = _HEIGHT + _ROW * len(drawn) + 10
    return svg(height, words("pages.scores.chart"), spoken, *parts)


def _curve(curve: ScoreCurve, place: int, across: Axis, up: Axis) -> list[Markup]:
    points = curve.points
    steps: list[str] = []
    for number, point in enumerate(points):
        x, y = across(point.time.timestamp()), up(point.score)
        if number:
            steps.append(f"{x:.1f},{up(points[number - 1].score):.1f}")
        steps.append(f"{x:.1f},{y:.1f}")
    path = [tag("polyline", points=" ".join(steps), class_=f"curve line{place}")]
    dots = [
        circle(across(point.time.timestamp()), up(point.score), 2 + 3 * point.freshness, f"series{place}")
        for point in points
    ]
    return path + dots
