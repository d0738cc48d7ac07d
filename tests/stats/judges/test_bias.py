import itertools
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rating_rows import judgement_rows, overall_row, primary
from venire.domain.judgement import Method
from venire.errors import UsageError
from venire.stats.judges.group_bias import group_bias
from venire.stats.judges.halo import halo
from venire.stats.judges.length_bias import length_bias
from venire.stats.judges.masking_flips import masking_flips
from venire.stats.judges.position_bias import position_bias
from venire.stats.judges.score_compression import score_compression
from venire.stats.judges.self_preference import self_preference
from venire.stats.ratings.table import RatingsTable
from venire.stats.uncertainty.clustered_difference import difference_of_means, slope_within


def family(*, preference, leniency=0.0, questions=30, noise=0.2, seed=0):
    """Three judges that are models too; `a` favours its own outputs, which are the best, and may be lenient."""
    rng = np.random.default_rng(seed)
    rows = []
    for question, target in itertools.product(range(questions), "abc"):
        quality = {"a": 6.0, "b": 4.0, "c": 3.0}[target] + rng.normal(0, 0.5)
        for judge in "abc":
            shift = (preference if judge == target == "a" else 0.0) + (leniency if judge == "a" else 0.0)
            method = Method.SELF_JUDGE if judge == target else Method.CROSS_JUDGE
            rows.append(
                overall_row(
                    f"{target}{question}", judge, quality + shift + rng.normal(0, noise), method=method,
                    question_id=str(question), target_model=target,
                )
            )  # fmt: skip
    return rows


def test_self_preference_is_found_beside_quality_and_leniency():
    found = {
        each.judge: each for each in self_preference(primary(family(preference=1.5, leniency=1.0), include_self=True))
    }
    assert found["a"].estimate.low < 1.5 < found["a"].estimate.high
    assert found["a"].estimate.value == pytest.approx(1.5, abs=0.2)
    assert (found["a"].observations, found["a"].details["outputs of others"]) == (30, 60)


def test_a_lenient_judge_of_good_outputs_does_not_prefer_itself():
    found = self_preference(primary(family(preference=0.0, leniency=2.0), include_self=True))
    assert all(each.estimate.low < 0 < each.estimate.high for each in found)


def test_self_preference_is_the_difference_of_two_plain_leads():
    rows = family(preference=1.0, questions=12)
    found = self_preference(primary(rows, include_self=True))[0]
    leads = {True: [], False: []}
    for row in rows:
        if row.rater != "a":
            continue
        others = [
            other.overall
            for other in rows
            if other.unit == row.unit and other.rater != "a" and other.rater != other.target_model
        ]
        leads[row.target_model == "a"].append(row.overall - statistics.fmean(others))
    assert found.estimate.value == pytest.approx(statistics.fmean(leads[True]) - statistics.fmean(leads[False]))


def test_self_preference_stays_silent_below_its_minimum():
    (first, *_) = self_preference(primary(family(preference=3, questions=9), include_self=True))
    assert (first.estimate.value, first.smallest) == (None, 10)
    assert first.estimate.reason == "9 observations, fewer than the 10 that are asked for"


def test_self_preference_needs_the_self_judged_ones():
    (silent,) = self_preference(primary(family(preference=1)))
    assert "include_self=True" in silent.estimate.reason
    (nobody,) = self_preference(primary([overall_row("u", "j", 1)], include_self=True))
    assert nobody.estimate.reason == "no judge judged its own outputs"


def test_length_bias_is_the_slope_inside_questions():
    rng = np.random.default_rng(2)
    rows = []
    for question, copy in itertools.product(range(20), range(4)):
        # Hard questions have longer outputs: across questions the slope would be negative.
        length = 100 * 2 ** (question / 10 + rng.uniform(0, 2))
        score = 8 - question / 3 + 0.4 * np.log2(int(length)) - 0.4 * np.log2(100 * 2 ** (question / 10))
        rows.append(
            overall_row(
                f"{question} {copy}", "j", score + rng.normal(0, 0.05), question_id=str(question), length=int(length)
            )
        )
    (found,) = length_bias(primary(rows))
    assert found.estimate.low < 0.4 < found.estimate.high
    assert found.estimate.value == pytest.approx(0.4, abs=0.05)
    assert found.observations == 80


def test_outputs_alone_in_their_question_say_nothing_about_length():
    rows = [overall_row(f"u{n}", "j", n % 10, question_id=str(n), length=n + 1) for n in range(50)]
    (found,) = length_bias(primary(rows))
    assert (found.estimate.value, found.observations) == (None, 0)


def test_without_lengths_length_bias_is_not_known():
    (found,) = length_bias(primary([overall_row("u", "j", 1, question_id="q")]))
    assert "length" in found.estimate.reason


def test_a_judge_that_favours_a_language_more_than_the_panel_is_found():
    rng = np.random.default_rng(4)
    rows = [
        overall_row(
            f"{language}{n}", judge, 5 + rng.normal(0, 0.3) + (1.2 if (judge, language) == ("j", "zh") else 0),
            question_id=str(n), factors={"language": language},
        )
        for n, language, judge in itertools.product(range(25), ("zh", "en"), "jkl")
    ]  # fmt: skip
    found = {(each.judge, each.about): each.estimate for each in group_bias(primary(rows))}
    assert found["j", "zh"].low < 1.2 < found["j", "zh"].high
    assert found["j", "en"].value == pytest.approx(-found["j", "zh"].value)
    assert found["k", "zh"].high < 0


def test_groups_may_be_made_of_any_factor_and_unknown_ones_are_refused():
    assert {each.about for each in group_bias(primary(family(preference=0)), "target_model")} == {"a", "b", "c"}
    with pytest.raises(UsageError, match="no such"):
        group_bias(primary(family(preference=0)), "no such")


def test_without_languages_language_bias_is_not_known():
    (found,) = group_bias(primary(family(preference=0)))
    assert "language" in found.estimate.reason


def comparisons(rule, questions=30):
    rows = [(first, second, rule(first, second), str(q)) for q in range(questions) for first, second in ("ab", "ba")]
    return [list(column) for column in zip(*rows, strict=True)]


@pytest.mark.parametrize(
    ("rule", "preference", "flips"),
    [
        (lambda first, second: 1, 0.5, 1.0),
        (lambda first, second: 0, -0.5, 1.0),
        (lambda first, second: float(first == "a"), 0.0, 0.0),
        (lambda first, second: 0.5, 0.0, 0.0),
        (lambda first, second: 1.0 if first == "a" else 0.5, 0.25, 1.0),
    ],
)
def test_position_bias_tells_places_from_outputs(rule, preference, flips):
    place, flip = position_bias(*comparisons(rule))
    assert (place.estimate.value, flip.estimate.value, place.observations) == (preference, flips, 30)


def test_pairs_shown_in_one_order_do_not_count():
    place, flip = position_bias(["a"] * 40, ["b"] * 40, [1] * 40, range(40))
    assert (place.estimate.value, flip.estimate.value, place.observations) == (None, None, 0)


def test_position_bias_of_nothing_is_not_known():
    place, _ = position_bias([], [], [], [])
    assert place.estimate.reason == "0 observations, fewer than the 20 that are asked for"


COMPARISON = st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from([0, 0.5, 1]), st.integers(0, 9))


@given(st.lists(COMPARISON, max_size=200))
@settings(max_examples=50)
def test_position_bias_is_that_of_a_plain_loop(drawn):
    shown = {}
    for first, second, outcome, question in drawn:
        shown.setdefault((question, first, second), []).append(outcome)
    values = [
        (statistics.fmean(shown[question, first, second]) + statistics.fmean(shown[question, second, first])) / 2 - 0.5
        for question, first, second in shown
        if first < second and (question, second, first) in shown
    ]
    columns = [list(column) for column in zip(*drawn, strict=True)] if drawn else [[], [], [], []]
    place, _ = position_bias(*columns)
    assert place.observations == len(values)
    if len(values) >= 20:
        assert place.estimate.value == pytest.approx(statistics.fmean(values), abs=1e-9)


def test_a_judge_that_gives_one_score_to_everything_is_compressed():
    rows = [overall_row(f"u{n}", "flat", 7) for n in range(40)]
    rows += [overall_row(f"u{n}", "wide", n % 8) for n in range(40)]
    flat, wide = score_compression(primary(rows))
    assert (flat.estimate.value, flat.details["nearly constant"], flat.details["effective scores"]) == (1.0, 1.0, 1.0)
    assert flat.details["ratio to other judges"] == 0.0
    assert (wide.estimate.value, wide.details["nearly constant"]) == (0.125, 0.0)
    assert (wide.details["distinct scores"], wide.details["effective scores"]) == (8.0, pytest.approx(8.0))


def panel_with_halo(halo_of_first, *, units=200, seed=5):
    """Give two dimensions that are unrelated in the outputs; the first judge lets one impression colour both."""
    rng = np.random.default_rng(seed)
    rows = []
    for n in range(units):
        truth = rng.normal(0, 1, 2)
        for judge in "jk":
            mood = rng.normal(0, 1) * (halo_of_first if judge == "j" else 0.0)
            scores = dict(zip("xy", (truth + mood + rng.normal(0, 0.3, 2)).tolist(), strict=True))
            rows += judgement_rows(f"u{n}", judge, scores, question_id=str(n % 40), minimum=-9.0, maximum=9.0)
    return rows


def test_halo_is_found_in_the_judge_that_has_it():
    first, second = halo(primary(panel_with_halo(1.0)))
    assert first.estimate.low > 0.2
    assert second.estimate.low < 0.1
    assert first.details["within the judge"] > 0.35
    assert abs(first.details["across judges"]) < 0.15
    assert first.estimate.n == {"outputs": 200, "groups": 40}


def test_halo_is_the_difference_of_plain_correlations():
    rows = panel_with_halo(0.5, units=40)
    columns = {
        key: [row.score for row in rows if (row.rater, row.dimension) == key] for key in itertools.product("jk", "xy")
    }

    def r(one, two):
        return stats.pearsonr(columns[one], columns[two]).statistic

    expected = r(("j", "x"), ("j", "y")) - (r(("j", "x"), ("k", "y")) + r(("j", "y"), ("k", "x"))) / 2
    assert halo(primary(rows))[0].estimate.value == pytest.approx(expected)


def test_halo_of_a_single_judge_or_dimension_is_not_known():
    alone = [row for row in panel_with_halo(1.0, units=60) if row.rater == "j"]
    (found,) = halo(primary(alone))
    assert found.estimate.reason == "no other judge whose scores could be compared"
    assert found.details["within the judge"] > 0
    (silent,) = halo(primary([row for row in alone if row.dimension == "x"]))
    assert silent.estimate.reason == "fewer than two dimensions"


def test_halo_of_equal_scores_is_not_known():
    rows = [
        row
        for n, judge in itertools.product(range(40), "jk")
        for row in judgement_rows(f"u{n}", judge, {"x": 1, "y": 1})
    ]
    assert all("no variation" in each.estimate.reason for each in halo(primary(rows)))


def test_verdicts_that_flip_under_masking_are_counted():
    rows = []
    for n in range(25):
        rows.append(overall_row(f"u{n}", "j", 8, rater_version="open", verdict="PASS"))
        masked = {"verdict": "FAIL"} if n < 5 else {"verdict": "PASS"}
        rows.append(overall_row(f"u{n}", "j", 3 if n < 5 else 8, rater_version="masked", **masked))
    flips, shift = masking_flips(RatingsTable.from_rows(rows), open_version="open", masked_version="masked")
    assert (flips.estimate.value, flips.observations) == (0.2, 25)
    assert shift.estimate.value == -1.0
    few, _ = masking_flips(RatingsTable.from_rows(rows[:20]), open_version="open", masked_version="masked")
    assert few.estimate.reason.startswith("10 observations")


def test_a_difference_of_means_without_clusters_has_the_error_of_two_sample_variances():
    rng = np.random.default_rng(7)
    values, first = rng.normal(size=30), np.arange(30) < 12
    found = difference_of_means(values, first, np.arange(30))
    inside, outside = values[first], values[~first]
    assert found.value == pytest.approx(inside.mean() - outside.mean())
    variance = inside.var(ddof=1) / 12 + outside.var(ddof=1) / 18  # HC2 of a regression on one indicator
    assert found.standard_error == pytest.approx(np.sqrt(variance))


def test_a_slope_inside_clusters_is_that_of_a_regression_with_an_intercept_for_each():
    rng = np.random.default_rng(8)
    x, clusters = rng.normal(size=40), np.repeat(np.arange(8), 5)
    y = 2 * x + clusters + rng.normal(size=40)
    design = np.column_stack([x, np.equal.outer(clusters, np.arange(8))])
    coefficients, *_ = np.linalg.lstsq(design, y, rcond=None)
    residuals = y - design @ coefficients
    bread = np.linalg.inv(design.T @ design)
    meat = sum(
        np.outer(score, score) for score in (design[clusters == g].T @ residuals[clusters == g] for g in range(8))
    )
    found = slope_within(y, x, clusters)
    assert found.value == pytest.approx(coefficients[0])
    assert found.standard_error == pytest.approx(np.sqrt((bread @ meat @ bread)[0, 0] * 8 / 7))


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [overall_row("u", "j", 1)],
        [
            overall_row(f"u{n}", "j", 4, question_id=str(n // 2), length=9, factors={"language": "zh"})
            for n in range(60)
        ],
        [
            overall_row(
                f"u{n}", judge, 4, question_id=str(n // 2), length=n + 1, factors={"language": "zz"[: n % 2 + 1]}
            )
            for n in range(60)
            for judge in "jk"
        ],
    ],
)
def test_degenerate_tables_give_values_or_reasons(rows):
    found = primary(rows, include_self=True)
    measures = [
        *self_preference(found),
        *length_bias(found),
        *group_bias(found),
        *score_compression(found),
        *halo(found),
    ]
    assert len(measures) >= 5
    for each in measures:
        assert each.estimate.low is not None or each.estimate.reason


def test_a_difference_whose_deviations_cancel_leaves_no_interval_of_rounding():
    values = np.array([0.1, 0.2, -0.3, 0.3, -0.1, -0.2, 0.7, -0.6, -0.1, 0.4, -0.5, 0.1]) + 1e6
    found = difference_of_means(values, np.arange(12) < 6, np.repeat([0, 1, 2, 3], 3))
    assert (found.low, found.reason) == (None, "no variation: its uncertainty is not known")


def test_sides_without_a_common_cluster_are_compared_as_by_welch():
    generator = np.random.default_rng(4)
    values, first = generator.normal(size=33), np.arange(33) < 3
    found = difference_of_means(values, first, np.arange(33))
    expected = stats.ttest_ind(values[first], values[~first], equal_var=False).confidence_interval()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
