"""Charts of a section: which tables are drawn, by which column, and under which title."""

from html import unescape

import pytest

from making_cells import cell
from venire.reports.page.figures import figures
from venire.reports.report import Column, ReportSection, Row, Table
from venire.reports.words import ReportWords

WORDS = ReportWords("en")


def known(value):
    return cell(value, low=value - 0.1, high=value + 0.1, n={"values": 4})


def section(name, columns, rows, heads=("target_model",)):
    made = tuple(Row(names, tuple(known(value) for value in values)) for names, values in rows)
    table = Table(name, heads, tuple(Column(each, each) for each in columns.split()), made)
    return ReportSection("s", (), (table,))


TWO = [(("oak",), (0.25, 0.75, 0.5)), (("elm",), (0.5, 0.25, 0.75))]


@pytest.mark.parametrize(
    ("table", "columns", "title"),
    [
        ("leaderboard", "score a b", "chart.leaderboard"),
        ("ranking", "strength a b", "chart.ranking"),
        ("wins", "oak elm c", "chart.wins"),
        ("position", "flips a b", "chart.flips"),
        ("pairs", "oak elm c", "chart.pairs"),
        ("dimension_means", "a b c", "chart.dimensions"),
        ("severity", "leniency a b", "chart.severity"),
        ("format_drift", "same_headings a b", "chart.same_headings"),
        ("broken_rules", "judgements a b", "chart.rules"),
        ("calibration", "panel human b", "chart.calibration"),
    ],
)
def test_a_table_that_has_a_chart_is_drawn_once_under_its_title(table, columns, title):
    rows = TWO if table != "pairs" else [*TWO, (("c",), (0.1, 0.2, 0.3))]
    [figure] = figures(section(table, columns, rows), WORDS)
    assert f"<figcaption>{WORDS(title)}</figcaption>" in unescape(figure)
    assert ("<table" if table in {"wins", "pairs"} else "<svg") in figure


@pytest.mark.parametrize("table", ["drift_map", "drift_models"])
def test_maps_are_called_after_their_table(table):
    [figure] = figures(section(table, "a b c", TWO), WORDS)
    assert WORDS("chart.heat_map", title=WORDS.table(table)) in figure


def test_costs_have_a_chart_of_seconds_and_one_of_money():
    seconds, money = figures(section("cost", "median_seconds slow_seconds cost", TWO), WORDS)
    assert WORDS("chart.latency") in seconds
    assert WORDS("chart.cost") in money


def test_other_tables_and_tables_without_numbers_are_not_drawn():
    assert figures(section("comparisons", "score a b", TWO), WORDS) == []
    empty = Row(("oak",), (cell(None),))
    table = Table("format_drift", ("variant",), (Column("same_headings", "h"),), (empty,))
    assert figures(ReportSection("s", (), (table,)), WORDS) == []


def test_the_first_twenty_rules_are_drawn():
    rows = [((f"rule-{number:02}",), (1.0 + number,)) for number in range(21)]
    [figure] = figures(section("broken_rules", "judgements", rows, heads=("x",)), WORDS)
    assert "rule-19" in figure
    assert "rule-20" not in figure


@pytest.mark.parametrize(("judges", "drawn"), [(6, 6), (7, 6)])
def test_six_judges_have_a_reliability_diagram_each_with_their_own_points(judges, drawn):
    rows = [((f"judge-{number}", str(place)), (0.1 * place, 0.2 * place)) for number in range(judges)
            for place in range(1, 4)]  # fmt: skip
    found = figures(section("reliability", "judge_mean human_mean", rows, heads=("rater", "bin")), WORDS)
    assert len(found) == drawn
    assert WORDS("chart.reliability", judge="judge-5") in unescape(found[5])
    assert len({figure.count("<circle") for figure in found}) == 1


def test_judges_are_ordered_by_leniency():
    rows = [((name,), (value, 0.0, 0.0)) for name, value in (("oak", -0.5), ("elm", 0.75), ("fir", 0.25))]
    (drawn,) = figures(section("severity", "leniency a b", rows, heads=("rater",)), WORDS)
    assert drawn.index("elm") < drawn.index("fir") < drawn.index("oak")
