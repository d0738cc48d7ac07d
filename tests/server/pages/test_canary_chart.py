from __future__ import annotations

from golden_values import assert_as_kept
from making_cells import elements
from venire.reports.words import ReportWords
from venire.server.court.views import CanaryCurve
from venire.server.pages.canary_chart import SHOWN, canary_chart


def curve_of(name: str, *evidence: float) -> CanaryCurve:
    points = tuple((number, "2026-01-31T12:00:00Z", e_value) for number, e_value in enumerate(evidence, 1))
    return CanaryCurve(name, points, max(evidence), has_changed=max(evidence) >= 25, alarm=25.0)


def test_each_judge_is_a_line_with_a_dot_for_each_run_below_or_above_the_alarm() -> None:
    drawn = canary_chart([curve_of("oak", 1.0, 3.0, 412.0), curve_of("<b>", 1.0, 0.5)], ReportWords("zh"))
    assert (drawn.count("<polyline"), drawn.count("<circle"), drawn.count("alarm-line")) == (2, 5, 1)
    assert "oak · e = 412 · 已变化" in drawn
    assert "&lt;b&gt; · e = 0.50<" in drawn


def test_no_more_judges_are_drawn_than_there_are_colours_and_none_without_runs() -> None:
    many = [curve_of(str(number), 1.0) for number in range(SHOWN + 2)]
    assert canary_chart(many, ReportWords("en")).count("<polyline") == SHOWN
    assert canary_chart([], ReportWords("en")) == ""


def test_the_chart_stays_as_it_was_drawn() -> None:
    drawn = canary_chart([curve_of("oak", 1.0, 3.0, 412.0), curve_of("elm", 1.0, 0.5)], ReportWords("en"))
    assert_as_kept("charts/canaries.svg", elements(drawn))
