"""Strengths at equal length."""

import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.length_control import length_controlled
from venire.stats.comparison.win_matrix import count_wins


def played(effect, seed=1, comparisons=4000):
    random = np.random.default_rng(seed)
    truth = np.array([0.6, 0.0, -0.6])
    one = random.integers(0, 3, comparisons)
    two = (one + random.integers(1, 3, comparisons)) % 3
    ratio = random.normal(0, 1, comparisons) + (truth[one] - truth[two])  # stronger models write more
    odds = 1 / (1 + np.exp(truth[two] - truth[one] - effect * ratio))
    outcome = (random.random(comparisons) < odds).astype(float)
    outcome[random.random(comparisons) < 0.1] = 0.5
    return one, two, outcome, 100 * 2**ratio, np.full(comparisons, 100.0)


def test_what_length_is_worth_is_found_and_taken_out_of_the_strengths():
    rows = played(effect=0.8)
    found = length_controlled(*rows)
    assert found.doubling.value == pytest.approx(0.8, abs=0.1)
    plain = bradley_terry(count_wins(*rows[:3]))
    assert plain.strengths[0].value > 0.9
    assert found.strengths[0].value == pytest.approx(0.6, abs=0.12)


def test_lengths_without_an_effect_leave_strengths_as_they_are():
    one, two, outcome, long_one, long_two = played(effect=0.0)
    random = np.random.default_rng(2)
    found = length_controlled(one, two, outcome, random.permutation(long_one), long_two)
    plain = bradley_terry(count_wins(one, two, outcome))
    for model, strength in zip(plain.models, plain.strengths, strict=True):
        assert found.strengths[model].value == pytest.approx(strength.value, abs=0.02)
        assert found.strengths[model].standard_error == pytest.approx(strength.standard_error, rel=0.05)
    assert found.doubling.low < 0 < found.doubling.high


def test_repeats_of_a_question_add_no_certainty():
    rows = played(effect=0.5, comparisons=600)
    questions = np.arange(600)
    once = length_controlled(*rows, clusters=questions)
    twice = length_controlled(*(np.tile(each, 2) for each in rows), clusters=np.tile(questions, 2))
    assert twice.doubling.standard_error == pytest.approx(once.doubling.standard_error, rel=1e-6)
    assert twice.strengths[0].standard_error == pytest.approx(once.strengths[0].standard_error, rel=1e-6)


def test_comparisons_without_lengths_are_left_out():
    one, two, outcome, long_one, long_two = played(effect=0.5, comparisons=600)
    long_one[:100] = np.nan
    assert length_controlled(one, two, outcome, long_one, long_two).doubling.n["comparisons"] == 500


def test_equal_lengths_cannot_tell_what_length_is_worth():
    one, two, outcome, _, long_two = played(effect=0.5, comparisons=300)
    found = length_controlled(one, two, outcome, long_two, long_two)
    assert found.doubling.value is None
    assert "ratio of lengths" in found.doubling.reason


def test_a_length_that_is_not_above_zero_is_refused():
    with pytest.raises(UsageError, match="lengths above 0"):
        length_controlled(["a"], ["b"], [1.0], [0.0], [10.0])


def test_one_question_alone_gives_values_without_intervals():
    found = length_controlled(*played(effect=0.5, comparisons=300), clusters=["q"] * 300)
    assert found.doubling.value is not None
    assert (found.doubling.low, found.strengths[0].high) == (None, None)
    assert found.doubling.reason


def test_questions_that_say_the_same_give_values_without_intervals():
    rows = played(effect=0.5, comparisons=300)
    twice = [np.tile(each, 2) for each in rows]
    found = length_controlled(*twice, clusters=np.repeat([0, 1], 300))
    assert {each.reason.code for each in (found.doubling, *found.strengths.values())} == {"reason.clusters_alike"}
    assert found.doubling.low is None
    twice[2][-1] = 1 - twice[2][-1] if twice[2][-1] != 0.5 else 1.0
    assert length_controlled(*twice, clusters=np.repeat([0, 1], 300)).doubling.low is not None
