"""Two models by the comparisons in which they met."""

import math

import numpy as np
import pytest

from venire.stats.pairwise.head_to_head import head_to_head, sign_test

FIRST = ["a", "b", "a", "a", "b", "c", "a"]
SECOND = ["b", "a", "b", "c", "a", "a", "b"]
OUTCOME = [1, 1, 0.5, 0, 0, 1, None]
QUESTIONS = [1, 1, 2, 2, 3, 3, 4]


def test_only_comparisons_of_the_two_count_in_either_order():
    found = head_to_head(FIRST, SECOND, OUTCOME, "a", "b", clusters=QUESTIONS)
    assert (found.won, found.tied, found.lost) == (2, 1, 1)
    assert found.share.value == 2.5 / 4
    assert found.share.n == {"comparisons": 4, "clusters": 3}
    other = head_to_head(FIRST, SECOND, OUTCOME, "b", "a", clusters=QUESTIONS)
    assert (other.won, other.tied, other.lost, other.share.value) == (1, 1, 2, 1.5 / 4)
    assert other.p_value == found.p_value


def test_the_error_is_that_of_sums_of_questions():
    found = head_to_head(FIRST, SECOND, OUTCOME, "a", "b", clusters=QUESTIONS)
    sums = np.array([1 + 0 - 2 * 0.625, 0.5 - 0.625, 1 - 0.625]) / 4
    assert found.share.standard_error == pytest.approx(math.sqrt(float(sums @ sums) * 3 / 2))


def test_a_model_that_won_all_has_an_interval_all_the_same():
    found = head_to_head(["a"] * 12, ["b"] * 12, [1] * 12, "a", "b", clusters=list(range(6)) * 2)
    # Six questions count as six trials: Clopper and Pearson's lower end is 0.025^(1/6).
    assert (found.share.low, found.share.high) == (pytest.approx(0.025 ** (1 / 6)), 1.0)
    assert found.p_value == pytest.approx(2 / 2**6)


def test_models_that_never_met_have_no_share():
    found = head_to_head(["a"], ["b"], [1], "a", "c")
    assert found.share.value is None
    assert "never met" in found.share.reason
    assert found.p_value is None


def test_weights_count_as_often_as_they_say():
    once = head_to_head(["a"] * 4, ["b"] * 4, [1, 1, 0, 0.5], "a", "b", clusters=[1, 1, 2, 3])
    twice = head_to_head(["a"] * 3, ["b"] * 3, [1, 0, 0.5], "a", "b", clusters=[1, 2, 3], weights=[2, 1, 1])
    assert (twice.won, twice.share.value) == (2, once.share.value)
    assert twice.share.standard_error == pytest.approx(once.share.standard_error)


def test_the_sign_test_counts_a_question_once():
    # Five questions lean up, none down: 2/2⁵.
    leanings, clusters = np.array([1.0] * 5 + [0.5] * 5 + [0.0]), np.array([*range(5), *range(5), 9])
    assert sign_test(leanings, clusters) == pytest.approx(2 / 2**5)
    assert sign_test(np.zeros(3), np.arange(3)) is None


def test_intervals_of_shares_hold_as_often_as_stated():
    generator = np.random.default_rng(5)
    held = 0
    for _ in range(300):
        taste = generator.normal(0, 1, 40)
        questions = np.repeat(np.arange(40), 4)
        outcome = (generator.random(160) < 1 / (1 + np.exp(-0.5 - taste[questions]))).astype(float)
        found = head_to_head(["a"] * 160, ["b"] * 160, outcome, "a", "b", clusters=questions).share
        held += found.low <= 0.6017 <= found.high  # The mean of the logistic over a normal with mean ½ and deviation 1.
    assert 0.92 <= held / 300 <= 0.99
