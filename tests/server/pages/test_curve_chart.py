from __future__ import annotations

from datetime import UTC, datetime

from venire.reports.words import ReportWords
from venire.server.court.vote_views import ScoreCurve, ScorePoint
from venire.server.pages.curve_chart import SHOWN, curve_chart


def curve_of(name: str, *scores: float) -> ScoreCurve:
    points = tuple(
        ScorePoint(datetime(2026, 1, day, tzinfo=UTC), score, 0.5) for day, score in enumerate(scores, start=1)
    )
    return ScoreCurve(
        inference_id=name,
        voter_prompt_id="p",
        target_model="m",
        score=0.5,
        freshness=0.5,
        variance=0.0,
        ambiguous=False,
        votes=1,
        last_update=datetime(2026, 1, 1, tzinfo=UTC),
        points=points,
    )


def test_each_curve_is_a_line_of_steps_with_a_dot_for_each_batch() -> None:
    drawn = curve_chart([curve_of("a", 0.1, 0.9), curve_of("<b>", 1.0)], ReportWords("zh"))
    assert (drawn.count("<polyline"), drawn.count("<circle")) == (2, 3)
    assert "&lt;b&gt; · 0.50 · 新鲜度 0.50" in drawn


def test_no_more_curves_are_drawn_than_there_are_colours_and_none_without_points() -> None:
    many = [curve_of(str(number), 0.5) for number in range(SHOWN + 2)]
    assert curve_chart(many, ReportWords("en")).count("<polyline") == SHOWN
    assert curve_chart([curve_of("a")], ReportWords("en")) == ""
