"""Charts of votes: models by what people voted, and how these scores came to be, each with its interval."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

from venire.reports.charts.drawing import WIDTH, Axis, fit, line, svg, text
from venire.reports.charts.intervals import interval_chart
from venire.reports.page.markup import tag
from venire.reports.report import ReportCell
from venire.reports.words import ReportWords
from venire.server.court.vote_views import ModelResult, ResultPoint, VoteStanding

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


def curve_chart(standing: VoteStanding, words: ReportWords) -> Markup:
    """Draw the scores of the first models over time, with a legend below; empty if there is nothing to follow."""
    drawn = [model for model in standing.models if len(model.points) > 1][:SHOWN]
    if not drawn:
        return Markup()
    moments = [point.time.timestamp() for model in drawn for point in model.points]
    across = Axis(min(moments), max(moments), _LEFT, WIDTH - _RIGHT)
    up = Axis(0, 1, _HEIGHT - 24, _TOP)
    parts = [*_grid(across, up), *(_band(model.points, place, across, up) for place, model in enumerate(drawn))]
    for place, model in enumerate(drawn):
        parts.append(_curve(model.points, place, across, up))
        y = _HEIGHT + 14 + _ROW * place
        parts.append(line(_LEFT, y, _LEFT + 22, y, f"curve line{place}"))
        parts.append(text(_LEFT + 30, y, fit(_named(model), WIDTH - _LEFT - 40), class_="small"))
    height = _HEIGHT + _ROW * len(drawn) + 10
    return svg(height, words("pages.results.curves"), "; ".join(map(_named, drawn)), *parts)


def _named(model: ModelResult) -> str:
    interval = "" if model.low is None or model.high is None else f" ({model.low:.2f} … {model.high:.2f})"
    return f"{model.model} {model.score:.2f}{interval}"


def _grid(across: Axis, up: Axis) -> list[Markup]:
    parts: list[Markup] = []
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(line(_LEFT, up(tick), WIDTH - _RIGHT, up(tick), "grid"))
        parts.append(text(_LEFT - 6, up(tick), f"{tick:g}", anchor="end", class_="tick"))
    for share, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end")):
        moment = across.low + (across.high - across.low) * share
        label = datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M")
        parts.append(text(across(moment), _HEIGHT - 8, label, anchor=anchor, class_="tick"))
    return parts


def _band(points: tuple[ResultPoint, ...], place: int, across: Axis, up: Axis) -> Markup:
    known = [point for point in points if point.low is not None and point.high is not None]
    above = [f"{across(each.time.timestamp()):.1f},{up(each.high or 0.0):.1f}" for each in known]
    below = [f"{across(each.time.timestamp()):.1f},{up(each.low or 0.0):.1f}" for each in reversed(known)]
    return tag("polygon", points=" ".join(above + below), class_=f"within series{place}") if known else Markup()


def _curve(points: tuple[ResultPoint, ...], place: int, across: Axis, up: Axis) -> Markup:
    steps = (f"{across(point.time.timestamp()):.1f},{up(point.score):.1f}" for point in points)
    return tag("polyline", points=" ".join(steps), class_=f"curve line{place}")
