import numpy as np
import pytest

from rating_rows import judgement_rows, overall_row, primary
from venire.stats.judges.leniency import leniency


def test_raw_leniency_mixes_up_items_and_the_adjusted_one_does_not():
    rows = []
    for place in range(40):
        ability = 2 if place < 20 else 7
        if place < 30:
            rows.append(overall_row(f"u{place}", "saw easy and hard", ability + 1))
        if place >= 10:
            rows.append(overall_row(f"u{place}", "saw more easy", ability))
    lenient, severe = leniency(primary(rows))
    assert lenient.raw < 0 < severe.raw
    assert lenient.adjusted.value == pytest.approx(0.5)
    assert severe.adjusted.value == pytest.approx(-0.5)


def test_leniency_over_dimensions_gives_intervals_around_the_difference():
    rng = np.random.default_rng(1)
    rows = []
    for place in range(60):
        for rater, shift in (("a", 0), ("b", 1)):
            scores = {name: float(min(2, shift + rng.integers(0, 2))) for name in ("x", "y")}
            rows += judgement_rows(f"u{place}", rater, scores)
    first, second = leniency(primary(rows))
    assert first.adjusted.high < 0 < second.adjusted.low
    assert first.adjusted.value == pytest.approx(-second.adjusted.value)


def test_one_judge_alone_has_no_leniency():
    (alone,) = leniency(primary([overall_row("u", "a", 4), overall_row("v", "a", 5)]))
    assert (alone.raw, alone.adjusted.value) == (None, None)
    assert "nothing to compare" in alone.adjusted.reason


def test_judges_that_share_no_samples_have_no_adjusted_leniency():
    found = leniency(primary([overall_row("u", "a", 4), overall_row("v", "b", 5)]))
    assert [each.adjusted.value for each in found] == [None, None]
    assert "disconnected" in found[0].adjusted.reason
