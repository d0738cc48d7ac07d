"""Dots and bands: placed in shares of the track, and said in words."""

from __future__ import annotations

import re

from golden_values import assert_as_kept
from making_cells import elements
from venire.reports.charts.intervals import interval_chart
from venire.reports.report import ReportCell
from venire.reports.words import ReportWords

WORDS = ReportWords("en")


def cell(value, low=None, high=None):
    return ReportCell(id=f"c.{value}", unit="score", value=value, low=low, high=high)


def test_a_dot_lies_on_the_band_of_its_interval():
    drawn = interval_chart([("oak", cell(5.0, 2.5, 7.5))], "t", WORDS, ends=(0, 10))
    assert '<circle class="dot" cx="50.00%" cy="50.00%" r="5"/>' in drawn
    assert '<rect class="band" x="25.00%" width="50.00%"' in drawn
    assert 'aria-label="oak: 5.00 (2.50 … 7.50)"' in drawn


def test_a_number_that_is_not_known_has_no_dot_and_says_so():
    drawn = interval_chart([("oak", cell(5.0)), ("elm", cell(None))], "t", WORDS, ends=(0, 10))
    assert drawn.count("<circle") == 1
    assert "not known" in drawn


def test_neighbours_are_said_to_differ_or_not():
    rows = [(name, cell(value)) for name, value in (("oak", 9.0), ("elm", 5.0), ("fir", 4.0))]
    drawn = interval_chart(rows, "t", WORDS, ends=(0, 10), told_apart=[True, False])
    assert re.findall(r'<p class="told (\w+)">', drawn) == ["differs", "open"]


def test_the_axis_of_numbers_below_nothing_has_a_line_at_nothing():
    drawn = interval_chart([("oak", cell(-1.0, -2.0, 0.0)), ("elm", cell(1.0, 0.0, 2.0))], "t", WORDS)
    assert drawn.count('class="zero"') == 2
    assert interval_chart([("oak", cell(None))], "t", WORDS) == ""


def test_intervals_stay_as_they_were_drawn():
    rows = [("oak", cell(-1.0, -2.0, 0.5)), ("elm", cell(1.0)), ("fir", cell(None))]
    assert_as_kept("charts/intervals.svg", elements(interval_chart(rows, "Title", WORDS, told_apart=[True, False])))
