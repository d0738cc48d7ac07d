"""Models by what people voted, as a chart with intervals."""

from __future__ import annotations

from markupsafe import Markup

from venire.reports.charts.intervals import interval_chart
from venire.reports.report import ReportCell
from venire.reports.words import ReportWords
from venire.server.court.vote_views import VoteStanding


def ranked_votes(standing: VoteStanding, words: ReportWords) -> Markup:
    """Draw the models, the best first; empty if nobody voted on any."""
    rows = [
        (each.model, ReportCell(id="", unit="score", value=each.score, low=each.low, high=each.high))
        for each in standing.models
    ]
    return interval_chart(rows, words("pages.results.chart"), words, ends=(0.0, 1.0))
