"""Calibration: people's means against the panel's."""

from golden_values import assert_as_kept
from making_cells import cell, elements
from venire.reports.charts.calibration import calibration_chart
from venire.reports.words import ReportWords

WORDS = ReportWords("en")
LABELS = ("panel", "people")


def test_the_chart_stays_as_it_was_drawn():
    points = [(cell(2.0), cell(3.0, low=2.5, high=4.0)), (cell(None), cell(1.0)), (cell(5.0), cell(6.0))]
    assert_as_kept("charts/calibration.svg", elements(calibration_chart(points, "Title", WORDS, LABELS)))


def test_the_axes_run_over_the_scale_where_it_is_known():
    drawn = calibration_chart([(cell(2.0, scale=(0.0, 10.0)), cell(3.0))], "", WORDS, LABELS)
    assert 'text-anchor="middle" dominant-baseline="central" class="tick">10<' in drawn


def test_nothing_is_drawn_where_one_side_is_never_known():
    assert calibration_chart([(cell(None), cell(1.0)), (cell(1.0), cell(None))], "", WORDS, LABELS) == ""
