"""Which section is shown by which charts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.charts.bars import SERIES, bar_chart, dimension_bars, range_chart
from venire.reports.charts.calibration import calibration_chart
from venire.reports.charts.heat_map import by_similarity, heat_map
from venire.reports.charts.intervals import interval_chart
from venire.reports.page.markup import tag

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.report import ReportCell, ReportSection, Table
    from venire.reports.words import ReportWords


HEAT_MAPS = ("drift_map", "drift_models", "pairs", "wins")
"""Tables that are drawn square for square; as tables they say the intervals, one click away."""

MOST_DIAGRAMS = 6
"""For how many judges a reliability diagram is drawn; the table has all."""


def figures(section: ReportSection, words: ReportWords) -> list[Markup]:
    """Return the charts of a section; a chart without numbers is left out."""
    return [
        tag("figure", tag("figcaption", title), drawn)
        for table in section.tables
        for title, drawn in (*_charts(table, words), *_shares(table, section, words))
        if drawn
    ]


def _charts(table: Table, words: ReportWords) -> Iterator[tuple[str, Markup]]:
    if table.id == "leaderboard":
        title = words("chart.leaderboard")
        yield title, interval_chart(_rows(table, "score", words), title, words, ends=(0.0, 10.0))
    elif table.id == "ranking":
        title = words("chart.ranking")
        yield title, interval_chart(_rows(table, "strength", words), title, words)
    elif table.id == "wins":
        title = words("chart.wins")
        yield title, heat_map(table, title, words)
    elif table.id == "position":
        title = words("chart.flips")
        yield title, interval_chart(_rows(table, "flips", words), title, words, ends=(0.0, 1.0))
    elif table.id in ("drift_map", "drift_models", "pairs"):
        title = words("chart.heat_map", title=words.table(table.id)) if table.id != "pairs" else words("chart.pairs")
        yield title, heat_map(by_similarity(table) if table.id == "pairs" else table, title, words)
    elif table.id == "dimension_means":
        title = words("chart.dimensions")
        yield title, (dimension_bars if len(table.rows) <= SERIES else heat_map)(table, title, words)
    elif table.id == "severity":
        title = words("chart.severity")
        yield title, interval_chart(_highest_first(_rows(table, "leniency", words)), title, words)
    elif table.id in ("calibration", "reliability"):
        yield from _calibrations(table, words)
    elif table.id == "format_drift":
        title = words("chart.same_headings")
        beside = [(name, cell) for name, cell in _rows(table, "same_headings", words) if cell.value is not None]
        yield title, interval_chart(beside, title, words, ends=(0.0, 1.0)) if beside else Markup()
    elif table.id == "broken_rules":
        title = words("chart.rules")
        yield title, bar_chart(_rows(table, "judgements", words)[:20], title, words)
    elif table.id == "cost":
        title = words("chart.latency")
        slow = table.column("slow_seconds")
        rows = [(name, cell, slow[place]) for place, (name, cell) in enumerate(_rows(table, "median_seconds", words))]
        yield title, range_chart(rows, title, words)
        yield words("chart.cost"), bar_chart(_rows(table, "cost", words), words("chart.cost"), words)


def _shares(table: Table, section: ReportSection, words: ReportWords) -> Iterator[tuple[str, Markup]]:
    """Draw what each model got: the verdict that models are compared by, votes, or claims with a document for them."""
    if table.id == "verdict_shares_target_model":
        compared = (note.arguments.get("verdict") for note in section.notes if note.key == "verdicts.compared")
        verdict = str(next(compared, ""))
        place = next((at for at, column in enumerate(table.columns) if verdict and column.name == verdict), None)
        if place is not None:
            rows = [(row.names[0], row.cells[place]) for row in table.rows]
            title = words("chart.verdict", verdict=verdict)
            yield title, interval_chart(_highest_first(rows), title, words, ends=(0.0, 1.0))
    elif table.id == "votes_model" and len(table.heads) == 1:
        title = words.table(table.id)
        rows = _highest_first(_rows(table, "vote_score", words))
        yield title, interval_chart(rows, title, words, ends=(0.0, 1.0))
    elif table.id == "claims_target_model":
        title = words("chart.supported")
        yield title, interval_chart(_rows(table, "supported", words), title, words, ends=(0.0, 1.0))


def _highest_first(rows: list[tuple[str, ReportCell]]) -> list[tuple[str, ReportCell]]:
    return sorted(rows, key=lambda row: -(row[1].value or 0.0))


def _calibrations(table: Table, words: ReportWords) -> Iterator[tuple[str, Markup]]:
    """Draw one diagram for the panel, or one for each judge."""
    judged = "panel_mean" if table.id == "calibration" else "judge_mean"
    names = (words(f"column.{judged}"), words("column.human_mean"))
    judges = list(dict.fromkeys(row.names[0] for row in table.rows)) if table.id == "reliability" else [""]
    for judge in judges[:MOST_DIAGRAMS]:
        title = words("chart.reliability", judge=judge) if judge else words("chart.calibration")
        points = [(row.cells[0], row.cells[1]) for row in table.rows if not judge or row.names[0] == judge]
        yield title, calibration_chart(points, title, words, names)


def _rows(table: Table, column: str, words: ReportWords) -> list[tuple[str, ReportCell]]:
    names = [words.row_name(table.heads[0], row.names[0]) for row in table.rows]
    return list(zip(names, table.column(column), strict=True))
