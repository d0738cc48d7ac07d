"""Charts of votes: models by what people voted, and how these scores came to be, each with its interval."""

from __future__ import annotations

from datetime import UTC, datetime

from markupsafe import Markup

from venire.reports.charts.drawing import Axis
from venire.reports.charts.intervals import interval_chart
from venire.reports.report import ReportCell
from venire.reports.words import ReportWords
from venire.server.court.vote_views import ModelResult, VoteStanding
from venire.server.pages.plot import Curve, field_axis, height_lines, plot

SHOWN = 5
"""How many curves are drawn: the bands of more hide one another."""
_SHORT = 600
"""Within so many seconds, minutes do not tell moments apart."""


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
    across, up = field_axis(min(moments), max(moments)), field_axis(0, 1, upwards=True)
    return plot(
        words("pages.results.curves"),
        [_curve(model, across, up) for model in drawn],
        height_lines((up(tick), f"{tick:g}") for tick in (0, 0.25, 0.5, 0.75, 1)),
        [(share, _moment(across, share / 100)) for share in (0.0, 50.0, 100.0)],
    )


def curve_caption(standing: VoteStanding, words: ReportWords) -> str:
    """Return what the curves show, and how many of the models."""
    if len(standing.models) <= SHOWN:
        return words("pages.results.curves")
    return words("pages.results.curves_first", shown=SHOWN)


def _moment(across: Axis, share: float) -> str:
    moment = across.low + (across.high - across.low) * share
    seconds = ":%S" if across.high - across.low < _SHORT else ""
    return datetime.fromtimestamp(moment, UTC).strftime(f"%Y-%m-%d %H:%M{seconds}")


def _curve(model: ModelResult, across: Axis, up: Axis) -> Curve:
    places = [(across(point.time.timestamp()), point) for point in model.points]
    known = [(x, point.low, point.high) for x, point in places if point.low is not None and point.high is not None]
    band = [(x, up(high)) for x, _, high in known] + [(x, up(low)) for x, low, _ in reversed(known)]
    return Curve(_named(model), [(x, up(point.score)) for x, point in places], band)


def _named(model: ModelResult) -> str:
    return f"{model.model} {model.score:.2f}"
