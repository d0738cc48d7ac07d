import math

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.errors import UsageError
from venire.stats.judges.learnt_weights import (
    JudgeError,
    LearntWeights,
    errors_against_reference,
    inverse_variance_weights,
)
from venire.stats.judges.leave_one_out import leave_one_judge_out
from venire.stats.judges.panel_dependence import effective_panel_size, panel_dependence
from venire.stats.judges.retest_reliability import retest_reliability
from venire.words.said import as_text

TABLES = st.lists(st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=3, max_size=3), min_size=1, max_size=12)


def test_a_judge_who_repeats_itself_is_reliable():
    found = retest_reliability([1, 2, 3, 4, 5, None], [1, 2, 3, 4, 4, 2])
    assert found.exact_match.value == 0.8
    assert found.mean_absolute_difference.value == 0.2
    assert found.correlation.value == pytest.approx(np.corrcoef([1, 2, 3, 4, 5], [1, 2, 3, 4, 4])[0, 1])
    assert found.icc.value == pytest.approx(0.952380952)
    assert found.warnings == ()


def test_a_judge_who_does_not_repeat_itself_gets_a_warning():
    found = retest_reliability([1, 2, 3, 4, 5, 1], [3, 1, 5, 2, 4, 4])
    assert len(found.warnings) == 2
    assert all("under 0.8" in warning for warning in found.warnings)


@pytest.mark.parametrize(("first", "second"), [([], []), ([None], [1]), ([2], [2]), ([3, 3, 3], [3, 3, 3])])
def test_reliability_of_nothing_one_pair_or_equal_scores_is_not_known(first, second):
    found = retest_reliability(first, second)
    assert (found.correlation.value, found.icc.value, found.warnings) == (None, None, ())
    assert found.correlation.reason
    assert found.icc.reason


def test_decimal_scores_that_are_equal_match_exactly():
    assert retest_reliability([0.1 + 0.2, 1.0], [0.3, 2.0]).exact_match.value == 0.5


@given(TABLES, st.lists(st.floats(0.1, 1), min_size=3, max_size=3))
def test_leaving_out_a_judge_averages_the_others_on_the_same_units(rows, weights):
    for index, found in enumerate(leave_one_judge_out(rows, "abc", weights=weights)):
        with_judge, without = [], []
        for row in rows:
            others = [(s, w) for j, (s, w) in enumerate(zip(row, weights, strict=True)) if s is not None and j != index]
            everyone = [(s, w) for s, w in zip(row, weights, strict=True) if s is not None]
            if others:
                without.append(sum(s * w for s, w in others) / sum(w for _, w in others))
                with_judge.append(sum(s * w for s, w in everyone) / sum(w for _, w in everyone))
        if not without:
            assert found.difference.value is None
        else:
            assert found.with_judge.value == pytest.approx(np.mean(with_judge))
            assert found.without_judge.value == pytest.approx(np.mean(without))
            assert found.difference.value == pytest.approx(np.mean(with_judge) - np.mean(without), abs=1e-9)


def test_a_panel_of_one_judge_has_nothing_without_it():
    (alone,) = leave_one_judge_out([[1.0], [2.0]], ["a"])
    assert alone.without_judge.value is None
    assert alone.with_judge.value is None


def test_leaving_out_allows_for_clusters():
    generator = np.random.default_rng(0)
    scores = generator.normal(size=(40, 3))
    by_cluster = leave_one_judge_out(scores, "abc", clusters=np.repeat(np.arange(8), 5))
    assert by_cluster[0].difference.n["clusters"] == 8


@given(st.integers(0, 10**6))
def test_error_correlations_are_numpys_on_common_units(seed):
    generator = np.random.default_rng(seed)
    scores, truth = generator.normal(size=(12, 3)), generator.normal(size=12)
    scores[generator.random((12, 3)) < 0.2] = np.nan
    found = panel_dependence(scores, truth, "abc", seed=0, resamples=20).correlations
    errors = scores - truth[:, None]
    for i, j in ((0, 1), (0, 2), (1, 2)):
        both = ~np.isnan(errors[:, i]) & ~np.isnan(errors[:, j])
        if both.sum() >= 3:
            expected = np.corrcoef(errors[both][:, [i, j]].T)[0, 1]
            assert found[i, j] == found[j, i] == pytest.approx(expected, abs=1e-9)


def test_judges_who_share_half_of_their_error_are_worth_fewer():
    generator = np.random.default_rng(3)
    truth, shared = generator.normal(size=2000), generator.normal(size=2000)
    scores = truth[:, None] + shared[:, None] + generator.normal(size=(2000, 5)) + np.arange(5)
    found = panel_dependence(scores, truth, "abcde", seed=0, resamples=200)
    assert found.mean_correlation.low < 0.5 < found.mean_correlation.high
    assert found.effective_size.low < effective_panel_size(5, 0.5) < found.effective_size.high
    # The errors of the mean scatter like those of so few independent judges.
    errors = scores - truth[:, None]
    measured = errors.var(axis=0).mean() / errors.mean(axis=1).var()
    assert found.effective_size.value == pytest.approx(measured, rel=0.01)


@pytest.mark.parametrize(
    ("scores", "truth", "judges"),
    [
        (np.zeros((0, 2)), [], "ab"),
        (np.full((5, 2), np.nan), np.zeros(5), "ab"),
        (np.ones((5, 2)), np.ones(5), "ab"),
        ([[1.0, 2.0]], [1.0], "ab"),
        ([[1.0], [2.0], [4.0]], [1.0, 1.0, 1.0], "a"),
    ],
)
def test_dependence_of_too_little_is_not_known(scores, truth, judges):
    found = panel_dependence(scores, truth, judges, seed=0, resamples=20)
    assert (found.mean_correlation.value, found.effective_size.value) == (None, None)
    assert found.mean_correlation.reason


def test_reversed_errors_have_no_finite_panel_size():
    errors = np.array([-1.0, 2.0, -3.0, 0.5])
    found = panel_dependence(np.column_stack([errors, -errors]), np.zeros(4), "ab", seed=0, resamples=50)
    assert found.mean_correlation.value == pytest.approx(-1)
    assert found.effective_size.value is None
    assert effective_panel_size(3, 0.0) == 3


@given(
    st.dictionaries(
        st.text(max_size=3),
        st.builds(JudgeError, st.one_of(st.none(), st.floats(0, 1e6)), st.integers(0, 1000)),
        min_size=1,
        max_size=8,
    )
)
def test_learnt_weights_sum_to_one_and_are_positive_for_everyone(errors):
    found = inverse_variance_weights(errors)
    if not found.weights:
        assert found.reason
        return
    assert math.fsum(found.weights.values()) == pytest.approx(1, abs=1e-9)
    assert set(found.weights) == set(errors)
    assert min(found.weights.values()) > 0


def test_learnt_weights_are_one_over_the_variance_for_many_scores():
    generator = np.random.default_rng(0)
    truth = generator.normal(size=200_000)
    scores = truth[:, None] + generator.normal(size=(200_000, 2)) * [1.0, 2.0] + [5.0, 0.0]
    found = inverse_variance_weights(errors_against_reference(scores, truth, ["a", "b"]))
    assert found.weights == pytest.approx({"a": 0.8, "b": 0.2}, abs=0.005)


def test_a_judge_without_error_on_few_scores_does_not_take_all_the_weight():
    found = inverse_variance_weights({"lucky": JudgeError(0.0, 3), "steady": JudgeError(0.1, 500)})
    assert 0.5 < found.weights["lucky"] < 0.7


def test_perfect_judges_weigh_alike_and_unknown_ones_get_nothing_learnt():
    assert inverse_variance_weights({"a": JudgeError(0.0, 9), "b": JudgeError(0.0, 9)}).weights == {"a": 0.5, "b": 0.5}
    assert inverse_variance_weights({"a": JudgeError(None, 1)}).weights == {}
    assert errors_against_reference([[1.0, None]], [1.0], ["a", "b"]) == {
        "a": JudgeError(None, 1),
        "b": JudgeError(None, 0),
    }


def test_a_weights_record_survives_a_file():
    found = inverse_variance_weights({"a": JudgeError(1.0, 30), "b": JudgeError(None, 0)})
    assert msgspec.json.decode(msgspec.json.encode(found, enc_hook=as_text), type=LearntWeights) == found


def test_tables_without_a_column_for_each_judge_are_errors():
    for call in (
        lambda: leave_one_judge_out([[1, 2]], "abc"),
        lambda: panel_dependence([[1, 2]], [1], "abc", seed=0),
        lambda: errors_against_reference([[1, 2]], [1], "abc"),
    ):
        with pytest.raises(UsageError, match="column for each of 3 judges"):
            call()
