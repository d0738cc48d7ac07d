import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rating_rows import judgement_rows, overall_row, primary
from venire.domain.judgement import Status
from venire.errors import UsageError
from venire.stats.judges.leniency import leniency
from venire.stats.judges.z_scores import z_scores
from venire.stats.ratings.panel_scores import normalise, panel_scores
from venire.stats.ratings.rating import Rating
from venire.stats.uncertainty.intervals import normal_interval

PANEL = {"minimax": 0.4, "deepseek": 0.3, "glm": 0.3}


def on_five(unit, rater, overall, **fields):
    return Rating(
        unit=unit, rater=rater, overall=overall, overall_minimum=1, overall_maximum=5, judgement=unit + rater, **fields
    )


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


def test_the_interval_of_the_source_is_eight_point_two_six_plus_minus_point_zero_nine_eight():
    interval = normal_interval(8.26, 0.5, 100)
    assert interval.high - interval.value == pytest.approx(0.098, abs=5e-6)


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
