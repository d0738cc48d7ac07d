"""The covariance that allows for clusters."""

import numpy as np
import pytest

from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.cluster_sums import cluster_squares
from venire.stats.comparison.sandwich import bradley_terry_clustered, bread, interval, with_clusters
from venire.stats.comparison.win_matrix import count_wins


def fitted():
    return bradley_terry(
        count_wins(["a"] * 30 + ["b"] * 20 + ["c"] * 25, ["b"] * 30 + ["c"] * 20 + ["a"] * 25, [1.0] * 75)
    )


def test_the_bread_is_the_covariance_of_a_plain_fit():
    fit = fitted()
    assert bread(fit.information, 3)[:3, :3] == pytest.approx(fit.covariance)


def test_squares_equal_to_the_information_give_back_the_plain_errors_but_for_the_small_sample_factor():
    fit = fitted()
    found = with_clusters(fit, fit.information, 11, "clustered", level=0.95)
    assert found.covariance == pytest.approx(fit.covariance * 11 / 10)
    assert found.n["clusters"] == 11
    # Student's t with 10 degrees of freedom at 95 %: 2.228.
    first = found.strengths[0]
    assert first.high - first.value == pytest.approx(2.2281 * first.standard_error, rel=1e-4)


TIED = (["a", "a", "b", "b"] * 5, ["b", "c", "c", "a"] * 5, [1, 0.5, 0, 0.5, 1, 1, 0.5, 0, 0, 1] * 2)


def test_the_error_of_ties_allows_for_clusters_as_those_of_strengths_do():
    first, second, outcome = TIED
    fit = bradley_terry(count_wins(first, second, outcome))
    plain = with_clusters(fit, fit.information, 11, "clustered", level=0.95).tie
    assert plain.value == fit.tie.value
    assert plain.standard_error == pytest.approx(fit.tie.standard_error * (11 / 10) ** 0.5)
    # Student's t with 10 degrees of freedom at 95 %: 2.228, on the logarithm.
    assert np.log(plain.high / plain.value) == pytest.approx(2.2281 * plain.standard_error / plain.value, rel=1e-4)


def test_copies_within_a_question_make_ties_no_surer():
    questions = [place // 2 for place in range(20)]
    once, copied = (bradley_terry_clustered(*(each * copies for each in (*TIED, questions))).tie for copies in (1, 4))
    assert (copied.value, copied.low, copied.high) == pytest.approx((once.value, once.low, once.high))
    assert "sandwich" in once.method
    assert once.n["clusters"] == 10


def test_ties_of_questions_that_leave_them_open_have_no_interval():
    found = bradley_terry_clustered(*TIED, [place % 2 for place in range(20)], level=0.999999).tie
    assert found.value > 0
    assert (found.low, bool(found.reason)) == (None, True)


def test_one_cluster_gives_no_errors():
    found = with_clusters(fitted(), np.eye(3), 1, "clustered", level=0.95)
    assert all(each.low is None and each.reason for each in found.strengths)
    assert np.isnan(found.covariance).all()


ALIKE = (["a", "a", "b"] * 3, ["b", "c", "c"] * 3, [1, 1, 1, 1, 0, 0, 0, 1, 1])
"""Who beat whom on one question: a eight times of twelve if there are two such questions."""


def test_questions_with_the_same_results_give_no_errors_instead_of_none_at_all():
    first, second, outcome = (each * 2 for each in ALIKE)
    found = bradley_terry_clustered(first, second, outcome, [0] * 9 + [1] * 9)
    assert all(each.low is None and each.reason.code == "reason.clusters_alike" for each in found.strengths)
    assert np.isnan(found.covariance).all()


def test_errors_are_known_of_the_models_on_which_questions_differ_and_of_no_others():
    first, second, outcome = (each * 2 for each in ALIKE)
    outcome = [*outcome[:-1], 1 - outcome[-1]]
    found = bradley_terry_clustered(first, second, outcome, [0] * 9 + [1] * 9)
    alone, *others = found.strengths
    assert (alone.low, alone.reason.code) == (None, "reason.clusters_alike")
    assert all(each.low < each.value < each.high for each in others)
    # They differ by as much, so each is half of it away from their mean.
    assert others[0].standard_error == pytest.approx(others[1].standard_error)
    apart = found.difference("b", "c")
    assert apart.standard_error == pytest.approx(2 * others[0].standard_error)
    assert found.difference("b", "a").reason == found.difference("a", "b").reason == alone.reason


def comparisons_of_many(seed=4):
    """Return 20 models on 200 questions, each question with ten comparisons."""
    random = np.random.default_rng(seed)
    one = random.integers(0, 20, 2000)
    two = (one + random.integers(1, 20, 2000)) % 20
    won = random.random(2000) < 1 / (1 + np.exp(-np.linspace(1, -1, 20)[one] + np.linspace(1, -1, 20)[two]))
    return one, two, won.astype(float), np.repeat(np.arange(200), 10)


def test_a_newcomer_with_one_question_hides_no_errors_of_the_others():
    one, two, outcome, questions = comparisons_of_many()
    without = bradley_terry_clustered(one, two, outcome, questions)
    rows = (np.append(one, [20] * 3), np.append(two, [0] * 3), np.append(outcome, [1, 1, 0]))
    found = bradley_terry_clustered(*rows, np.append(questions, [7] * 3))
    newcomer = found.strengths[20]
    assert (newcomer.low, newcomer.reason.code) == (None, "reason.clusters_alike")
    assert [each.standard_error for each in found.strengths[:20]] == pytest.approx(
        [each.standard_error for each in without.strengths], rel=0.05
    )


def test_models_that_move_alike_from_question_to_question_have_errors_but_none_between_them():
    # On both questions a beats b three times of four; against c both win on the first and lose on the second.
    first, second = ["a"] * 4 + ["a"] * 2 + ["b"] * 2, ["b"] * 4 + ["c"] * 4
    outcome = [1, 1, 1, 0, 1, 1, 1, 1, *[1, 1, 1, 0, 0, 0, 0, 0]]
    found = bradley_terry_clustered(first * 2, second * 2, outcome, [0] * 8 + [1] * 8)
    assert all(each.low is not None for each in found.strengths)
    assert found.difference("a", "b").reason.code == "reason.clusters_alike"
    assert found.difference("a", "c").low is not None


@pytest.mark.parametrize("worth", [1e-3, 1e6])
def test_errors_are_known_whatever_a_comparison_counts_for(worth):
    one, two, outcome, questions = comparisons_of_many()
    found = bradley_terry_clustered(one, two, outcome, questions, weights=np.full(2000, worth))
    plain = bradley_terry_clustered(one, two, outcome, questions)
    assert found.covariance == pytest.approx(plain.covariance, rel=1e-4, abs=1e-6)


def test_an_interval_is_as_many_errors_wide_as_the_quantile_says():
    found = interval(1.0, 0.25, 2.0, 0.95, "method", {})
    assert (found.low, found.high, found.standard_error) == (0.0, 2.0, 0.5)


@pytest.mark.parametrize(
    "questions", [[0, 0, 1, 1, 3, 3, 4, 4], [0, 0, 1, 1, 2, 2, 3, 3], ["k", "k", "l", "l", "m", "m", "n", "n"]]
)
def test_clusters_are_counted_by_their_comparisons_and_not_by_their_numbers(questions):
    # Equal strengths: a win and a loss on one question cancel, so that its sums are 0 although it was there.
    found = bradley_terry_clustered([0] * 8, [1] * 8, [1, 0, 1, 1, 0, 0, 1, 0], questions)
    assert found.n["clusters"] == 4


@pytest.mark.parametrize(("models", "gap"), [(3, 1), (3, 2), (200, 2)])
def test_errors_are_the_same_whatever_models_are_called_and_what_is_missing(models, gap):
    generator = np.random.default_rng(3)
    one = np.concatenate([np.arange(models), generator.integers(0, models, 3000)])
    two = (one + np.concatenate([np.ones(models, int), generator.integers(1, models, 3000)])) % models
    outcome, questions = np.resize([1, 0, 0.5, 1, 1, 0], len(one)), generator.integers(0, 40, len(one))
    fit = bradley_terry(count_wins(one, two, outcome))
    plain = with_clusters(fit, *cluster_squares(fit, one, two, outcome, questions), "", level=0.95).covariance
    named = np.array([f"m{number:03}" for number in range(models)])
    some = np.append(outcome, [np.nan, 1, 1])
    rows = [np.append(column, [0, 0, 1]) for column in (one, two)]
    lacking = np.append(questions.astype(float), [40, 41, np.nan])
    for found in (
        bradley_terry_clustered(gap * one, gap * two, outcome, questions),
        bradley_terry_clustered(named[one], named[two], outcome, questions),
        bradley_terry_clustered(named[one].tolist(), named[two].tolist(), outcome, questions),
        bradley_terry_clustered(named[rows[0]].tolist(), named[rows[1]].tolist(), some, lacking),
        bradley_terry_clustered(gap * rows[0], gap * rows[1], some, lacking),
        bradley_terry_clustered([None, *named[one]], ["m000", *named[two]], [1, *outcome], [50, *questions]),
    ):
        np.testing.assert_allclose(found.covariance, plain, rtol=1e-4, atol=1e-7)
        assert found.n["clusters"] == 40
