from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from venire.reports.words import ReportWords
from venire.server.court.vote_views import ModelResult, ResultPoint, VoteStanding
from venire.server.pages.curve_chart import SHOWN, curve_chart


def model_of(name: str, *points: tuple[float, float | None, float | None]) -> ModelResult:
    walked = tuple(ResultPoint(datetime(2026, 1, day, tzinfo=UTC), *each) for day, each in enumerate(points, start=1))
    return ModelResult(
        model=name, score=0.5, low=0.4, high=0.6, votes=9, outputs=3, voters=3, batches=2, unaged=0.5, points=walked
    )


def standing_of(*models: ModelResult) -> VoteStanding:
    return VoteStanding(models=models, is_led=False, agreement=None, disputes=0, votes_needed=0, least_votes=3)


def test_each_model_is_a_line_within_the_band_of_its_interval() -> None:
    drawn = curve_chart(
        standing_of(
            model_of("<b>", (0.1, None, None), (0.5, 0.0, 1.0)), model_of("c", (1.0, 0.9, 1.0), (1.0, 0.9, 1.0))
        ),
        ReportWords("zh"),
    )
    assert (drawn.count("<polyline"), drawn.count("<polygon")) == (2, 2)
    assert "</span>&lt;b&gt; 0.50</li>" in drawn


def test_no_more_curves_are_drawn_than_can_be_told_apart_and_none_of_a_single_moment() -> None:
    many = [model_of(str(number), (0.5, 0.4, 0.6), (0.5, 0.4, 0.6)) for number in range(SHOWN + 2)]
    assert curve_chart(standing_of(*many), ReportWords("en")).count("<polyline") == SHOWN
    assert curve_chart(standing_of(model_of("a", (0.5, 0.4, 0.6))), ReportWords("en")) == ""


def test_moments_of_a_few_minutes_are_told_apart_by_their_seconds() -> None:
    moments = [datetime(2026, 1, 1, 9, 0, second, tzinfo=UTC) for second in (5, 45)]
    points = tuple(ResultPoint(each, 0.5, 0.4, 0.6) for each in moments)
    model = msgspec.structs.replace(model_of("a"), points=points)
    drawn = curve_chart(standing_of(model), ReportWords("en"))
    assert [each in drawn for each in (">2026-01-01 09:00:05<", ">2026-01-01 09:00:45<")] == [True, True]
    days = curve_chart(standing_of(model_of("a", (0.5, 0.4, 0.6), (0.5, 0.4, 0.6))), ReportWords("en"))
    assert ">2026-01-01 00:00<" in days
