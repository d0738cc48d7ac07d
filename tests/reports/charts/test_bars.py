"""Bars: as long as their share of the scale or of the longest."""

from __future__ import annotations

import re

from golden_values import assert_as_kept
from making_cells import elements
from venire.reports.cells import make_table
from venire.reports.charts.bars import SERIES, bar_chart, dimension_bars, range_chart
from venire.reports.report import ReportCell
from venire.reports.words import ReportWords

WORDS = ReportWords("en")


def cell(value, scale=None):
    return ReportCell(id="c", unit="score", value=value, scale=scale)


def widths(drawn, class_):
    return re.findall(rf'<rect class="{class_}" x="0.00%" width="([\d.]+)%"', drawn)


def test_a_bar_is_as_long_as_its_share_of_the_longest():
    assert widths(bar_chart([("a", cell(4.0)), ("b", cell(1.0)), ("c", cell(None))], "t", WORDS), "series0") == [
        "100.00", "25.00", "0.00",
    ]  # fmt: skip
    assert bar_chart([("a", cell(0.0))], "t", WORDS) == ""


def means(models):
    drafts = [((f"m{place}",), [cell(2.0, (1.0, 5.0))]) for place in range(models)]
    return make_table("dimension_means", ("target_model",), ("mean",), drafts)


def test_a_dimension_runs_over_its_own_scale():
    assert widths(dimension_bars(means(1), "t", WORDS), "series0") == ["25.00"]


def test_a_dimension_s_name_and_bars_stand_in_one_element():
    drawn = str(dimension_bars(means(2), "t", WORDS))
    assert drawn.startswith('<div class="groups"')
    assert drawn.count('<div><p class="group">') == drawn.count('<p class="group">') == 1


def test_more_models_than_colours_are_not_drawn_as_bars():
    assert dimension_bars(means(SERIES), "t", WORDS)
    assert dimension_bars(means(SERIES + 1), "t", WORDS) == ""


def test_a_range_runs_from_the_first_number_to_the_second():
    drawn = range_chart([("a", cell(1.0), cell(4.0)), ("b", cell(None), cell(2.0))], "t", WORDS)
    assert '<line class="whisker" x1="25.00%" x2="100.00%"' in drawn
    assert drawn.count("whisker") == 1


def test_bars_and_ranges_stay_as_they_were_drawn():
    bars = bar_chart([("a", cell(4.0)), ("b", cell(None))], "Bars", WORDS)
    ranges = range_chart([("a", cell(1.0), cell(4.0))], "Ranges", WORDS)
    assert_as_kept("charts/bars.svg", elements(bars + dimension_bars(means(2), "Dimensions", WORDS) + ranges))
