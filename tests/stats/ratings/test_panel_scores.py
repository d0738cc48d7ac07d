import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating_rows import judgement_rows, overall_row, primary
from venire.domain.judgement import Status
from venire.errors import UsageError
from venire.stats.judges.leniency import leniency
from venire.stats.judges.z_scores import z_score, z_scores
from venire.stats.ratings.grades import GRADES, grade
from venire.stats.ratings.panel_scores import normalise, panel_scores
from venire.stats.ratings.rating import Rating
from venire.stats.ratings.rollup import roll_up
from venire.stats.uncertainty.intervals import normal_interval
from venire.stats.uncertainty.weighted_mean import weighted_mean

PANEL = {"minimax": 0.4, "deepseek": 0.3, "glm": 0.3}


def on_five(unit, rater, overall, **fields):
    return Rating(
        unit=unit, rater=rater, overall=overall, overall_minimum=1, overall_maximum=5, judgement=unit + rater, **fields
    )


def test_criteria_combine_to_the_judges_overall_of_the_source():
    scores = {"accuracy": 4.5, "conciseness": 4.0, "clarity": 4.5}
    overall = weighted_mean(scores, {"accuracy": 0.4, "conciseness": 0.3, "clarity": 0.3})
    assert overall.value == pytest.approx(4.35, abs=1e-12)


def test_a_score_on_one_to_five_is_normalised_as_in_the_source():
    assert float(normalise(4.35, 1, 5)) == pytest.approx(8.375, abs=1e-12)
    assert normalise([1, 5], 1, 5).tolist() == [0.0, 10.0]


def test_judges_combine_by_weight_as_in_the_source():
    rows = [overall_row("u", "minimax", 8.5), overall_row("u", "deepseek", 8.0), overall_row("u", "glm", 8.2)]
    panel = panel_scores(primary(rows), weights=PANEL)
    assert panel.frame["score"].to_list() == [pytest.approx(8.26, abs=1e-12)]
    assert panel.frame["complete"].to_list() == [True]


def test_judges_of_different_scales_meet_on_zero_to_ten():
    rows = [overall_row("u", "minimax", 8.5), on_five("u", "deepseek", 4.35)]
    panel = panel_scores(primary(rows), weights={"minimax": 0.5, "deepseek": 0.5})
    assert panel.frame["score"].item() == pytest.approx((8.5 + 8.375) / 2)


def test_tests_roll_up_to_a_dimension_as_in_the_source():
    tests = {"基础性能": {"1": 8.5, "2": 8.0, "3": 9.0, "4": 8.7}}
    weights = {"基础性能": dict.fromkeys("1234", 0.25)}
    result = roll_up(tests, test_weights=weights)
    assert result.dimensions["基础性能"].value == pytest.approx(8.55, abs=1e-12)
    assert (result.overall.value, result.overall.coverage) == (pytest.approx(8.55), pytest.approx(0.25))
    assert result.overall.missing == ("核心能力", "实用场景", "高级特性")
    assert not result.complete


def test_dimensions_roll_up_to_the_overall_score_of_the_source():
    tests = {"基础性能": {"t": 8.55}, "核心能力": {"t": 8.2}, "实用场景": {"t": 8.4}, "高级特性": {"t": 7.8}}
    result = roll_up(tests)
    assert result.overall.value == pytest.approx(8.2775, abs=1e-12)
    assert result.complete
    assert result.grade.zh == "良好"


def test_tests_count_by_weights_that_are_divided_by_their_sum():
    result = roll_up({"d": {"a": 10.0, "b": 4.0}}, test_weights={"d": {"a": 1, "b": 2}}, dimension_weights={"d": 1})
    assert result.overall.value == pytest.approx(6.0)


def test_a_missing_test_is_left_out_and_told():
    result = roll_up({"d": {"a": 10.0, "b": None}}, dimension_weights={"d": 1})
    assert (result.overall.value, result.complete) == (10.0, False)
    assert result.dimensions["d"].missing == ("b",)


def test_a_dimension_without_a_weight_is_refused():
    with pytest.raises(UsageError, match="wit"):
        roll_up({"wit": {"a": 1.0}})


def test_z_scores_are_those_of_the_source():
    assert z_score(4.5, 4.2, 0.5) == pytest.approx(0.6)
    assert z_score(4.2, 3.8, 0.6) == pytest.approx(0.667, abs=5e-4)


def test_the_interval_of_the_source_is_eight_point_two_six_plus_minus_point_zero_nine_eight():
    interval = normal_interval(8.26, 0.5, 100)
    assert interval.high - interval.value == pytest.approx(0.098, abs=5e-6)


@pytest.mark.parametrize(
    ("score", "zh"),
    [(10, "优秀"), (9.0, "优秀"), (8.99, "良好"), (7.5, "良好"), (7.49, "合格"), (6.0, "合格"), (5.99, "不合格"),
     (3.0, "不合格"), (2.99, "严重缺陷"), (0, "严重缺陷")],
)  # fmt: skip
def test_grades_begin_at_their_thresholds(score, zh):
    assert grade(score).name("zh") == zh


def test_a_sum_of_decimals_does_not_lose_its_grade_to_rounding():
    assert grade(sum([0.9] * 10)).id == "excellent"


def test_an_unknown_score_has_no_grade():
    assert grade(None) is None
    assert [each.name("en") for each in GRADES] == ["excellent", "good", "acceptable", "poor", "critical"]


def test_a_missing_judge_is_left_out_and_the_sample_marked_incomplete():
    rows = [
        overall_row("u", "minimax", 8.5),
        overall_row("u", "glm", 8.2),
        overall_row("u", "deepseek", 1.0, status=Status.INVALID),
    ]
    row = panel_scores(primary(rows), weights=PANEL).frame.row(0, named=True)
    assert row["score"] == pytest.approx((0.4 * 8.5 + 0.3 * 8.2) / 0.7)
    assert (row["coverage"], row["complete"], row["judges"]) == (pytest.approx(0.7), False, 2)


def test_the_panels_own_weights_are_used_even_if_a_judge_is_always_invalid():
    rows = [
        overall_row("u", "minimax", 8.5, weight=0.4),
        overall_row("u", "glm", 8.2, weight=0.6, status=Status.INVALID),
    ]
    panel = panel_scores(primary(rows))
    assert panel.weights == {"minimax": 0.4, "glm": 0.6}
    assert panel.frame["coverage"].item() == pytest.approx(0.4)
    assert panel.incomplete == 1


def test_judges_without_weights_count_equally_and_it_is_told():
    panel = panel_scores(primary([overall_row("u", "a", 4), overall_row("u", "b", 6)]))
    assert panel.frame["score"].item() == 5
    assert "equal" in panel.weights_from


def test_weights_that_do_not_sum_to_one_are_an_error_unless_rescaling_is_asked_for():
    found = primary([overall_row("u", "a", 4), overall_row("u", "b", 6)])
    with pytest.raises(UsageError, match=r"sum of 0\.8"):
        panel_scores(found, weights={"a": 0.4, "b": 0.4})
    panel = panel_scores(found, weights={"a": 0.4, "b": 0.4}, renormalise=True)
    assert panel.weights == {"a": 0.5, "b": 0.5}
    assert "rescaled" in panel.weights_from


@pytest.mark.parametrize("weights", [{"a": 1.5, "b": -0.5}, {"a": 1.0}])
def test_weights_that_are_negative_or_forget_a_judge_are_refused(weights):
    with pytest.raises(UsageError):
        panel_scores(primary([overall_row("u", "a", 4), overall_row("u", "b", 6)]), weights=weights)


def test_a_judge_whose_weight_changed_is_an_error():
    rows = [overall_row("u", "a", 4, weight=1.0), overall_row("v", "a", 4, weight=0.5)]
    with pytest.raises(UsageError, match=r"1\.0, 0\.5"):
        panel_scores(primary(rows))


def test_scores_without_a_scale_are_left_out_and_counted():
    panel = panel_scores(primary([Rating(unit="u", rater="a", overall=4, judgement="k")]))
    assert (len(panel.frame), panel.without_scale) == (0, 1)


def test_means_by_model_come_best_first_with_clustered_intervals():
    rows = [
        overall_row(f"{model}{question}{copy}", "j", base + question % 3 + copy, question_id=str(question),
                    target_model=model)
        for model, base in (("weak", 2), ("strong", 5)) for question in range(6) for copy in range(2)
    ]  # fmt: skip
    strong, weak = panel_scores(primary(rows)).mean_by("target_model")
    assert (strong.where, weak.where) == ({"target_model": "strong"}, {"target_model": "weak"})
    assert (strong.score.value, strong.score.n["clusters"], strong.score.n["values"]) == (6.5, 6, 12)
    assert strong.grade.id == "acceptable"


def test_dimensions_can_be_scored_by_the_panel_too():
    rows = [*judgement_rows("u", "a", {"x": 2, "y": 0}), *judgement_rows("u", "b", {"x": 1, "y": 0})]
    assert panel_scores(primary(rows), dimension="x").frame["score"].item() == 7.5


@given(
    st.dictionaries(st.tuples(st.integers(0, 5), st.sampled_from("abc")), st.floats(0, 10), max_size=12),
    st.permutations([0.2, 0.3, 0.5]),
)
def test_panel_scores_are_those_of_a_plain_loop(ratings, shares):
    weights = dict(zip("abc", shares, strict=True))
    found = panel_scores(
        primary(overall_row(f"u{unit}", rater, score) for (unit, rater), score in ratings.items()), weights=weights
    )
    expected = {}
    for unit in {unit for unit, _ in ratings}:
        there = {rater: score for (other, rater), score in ratings.items() if other == unit}
        total = sum(weights[rater] for rater in there)
        expected[f"u{unit}"] = sum(weights[rater] * score for rater, score in there.items()) / total
    assert dict(found.frame.select("unit", "score").iter_rows()) == pytest.approx(expected)


def test_z_scores_of_a_table_compare_each_judge_with_itself():
    rows = [overall_row(f"u{place}", "a", score) for place, score in enumerate([2, 4, 6])]
    rows += [overall_row(f"u{place}", "b", 7) for place in range(3)]
    found = z_scores(primary(rows))
    assert found.frame["z"].to_list() == [-1.0, 0.0, 1.0, None, None, None]
    assert (found.judges["a"].deviation, found.judges["b"].reason) == (2.0, "no variation")


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
    assert "nobody" in alone.adjusted.reason


def test_judges_that_share_no_samples_have_no_adjusted_leniency():
    found = leniency(primary([overall_row("u", "a", 4), overall_row("v", "b", 5)]))
    assert [each.adjusted.value for each in found] == [None, None]
    assert "disconnected" in found[0].adjusted.reason


@pytest.mark.parametrize("rows", [[], [overall_row("u", "a", 4)], [overall_row(f"u{n}", "a", 4) for n in range(3)]])
def test_degenerate_panels_give_values_or_reasons(rows):
    found = primary(rows)
    panel = panel_scores(found)
    assert z_scores(found).frame["z"].null_count() == len(rows)
    for each in leniency(found):
        assert each.raw_mean.value == 4
        assert each.adjusted.reason
    for group in panel.mean_by("target_model"):
        assert group.score.value == 4
        assert group.score.low is None
        assert group.score.reason


def test_an_empty_panel_has_no_scores():
    assert panel_scores(primary([]), weights={"a": 1.0}).mean_by("target_model") == ()
    assert math.isnan(float(normalise(3, 1, 1)))
