import math

import numpy as np
import pytest
from bench.stats.sequential import ever_alarms, fails, first_decision, least_questions, log_wealth_path, ordinal

from venire.errors import UsageError
from venire.stats.comparison.paired import paired_t
from venire.stats.comparison.sequential import sequential_difference

SCALE = (0.0, 10.0)


def test_the_evidence_is_the_wealth_of_bets_made_question_by_question():
    values = np.random.default_rng(1).normal(0.8, 2, 25)
    assert sequential_difference(values, scale=SCALE).e_value == pytest.approx(
        math.exp(log_wealth_path(values)[-1]), rel=1e-9
    )


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_it_is_decided_exactly_when_the_interval_leaves_out_zero(level):
    generator = np.random.default_rng(3)
    found = [sequential_difference(generator.normal(1.1, 2.5, 40), scale=SCALE, level=level) for _ in range(40)]
    assert [each.decided for each in found] == [each.difference.low > 0 for each in found]
    assert [each.decided for each in found] == [each.e_value >= 1 / (1 - level) for each in found]
    assert {each.decided for each in found} == {True, False}
    assert all(each.least_p == min(1, 1 / each.e_value) for each in found)


def test_the_interval_turns_with_the_sides():
    values = np.random.default_rng(2).normal(0.5, 2, 40)
    one, two = (sequential_difference(sign * values, scale=SCALE).difference for sign in (1, -1))
    assert (one.low, one.high) == pytest.approx((-two.high, -two.low), abs=1e-7)


def test_the_interval_is_wider_than_that_of_a_single_look():
    values = np.random.default_rng(4).normal(0, 2, 60)
    once, always = paired_t(values, np.zeros(60)).difference, sequential_difference(values, scale=SCALE).difference
    assert always.low < once.low < once.high < always.high


def test_questions_count_once_however_many_outputs_they_have():
    means = np.random.default_rng(5).normal(0.2, 1, 20)
    alone = sequential_difference(means, scale=SCALE)
    repeated = sequential_difference(np.repeat(means, 3), np.repeat(np.arange(20), 3), scale=SCALE)
    assert repeated.difference.n == {"values": 60, "clusters": 20}
    assert (repeated.difference.low, repeated.e_value) == pytest.approx((alone.difference.low, alone.e_value))


def test_looking_after_every_question_rarely_alarms_though_a_test_at_every_look_often_does():
    share = ever_alarms(ordinal, 150, horizon=120)
    assert share <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / 150)
    generator = np.random.default_rng(6)
    plain = 0
    for _ in range(60):
        values = ordinal(generator, 120)
        looks = (paired_t(values[:count], np.zeros(count)).p_value for count in range(10, 121, 3))
        plain += any(p is not None and p < 0.05 for p in looks)
    assert plain > 9


def test_models_of_equal_mean_are_not_told_apart_though_one_fails_rarely_but_badly():
    # Before its first failure, which may well be past question 60, it looks better on each question.
    share = ever_alarms(fails(30), 300, horizon=150)
    assert share <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / 300)


def test_a_large_difference_is_decided_after_a_few_questions():
    generator = np.random.default_rng(7)
    assert np.median([first_decision(np.clip(generator.normal(6, 4, 60), -10, 10)) for _ in range(30)]) <= 12


@pytest.mark.parametrize("points", [1.0, 2.0, 5.0, 9.0])
def test_differences_without_spread_are_decided_nearly_as_early_as_any_bet_could(points):
    # No bet that is fair whatever the distribution grows faster than by 1 + x of the scale, and half is on either side.
    earliest = math.ceil(math.log(40) / math.log1p(points / 10))
    assert earliest <= first_decision(np.full(100, points)) <= 1.25 * earliest + 1
    assert least_questions(points * 1e9, 1e-9).mean_stop == pytest.approx(math.log(40) / math.log1p(points / 10), 1e-2)


def test_what_one_look_needs_at_least_is_what_a_failure_not_yet_seen_asks_for():
    # All differences are 1 point of 10: after 36 equal models that fail once in eleven show no failure in 3.2 %.
    needed = least_questions(1e9, 1e-9).one_look
    assert 0.8 * 1.1**-needed <= 0.025 < 0.8 * 1.1 ** -(needed - 1)


def test_one_question_decides_nothing_and_without_any_nothing_is_known():
    found = sequential_difference([10.0], scale=SCALE)
    assert not found.decided
    assert found.difference.low < 0 < found.difference.high
    assert sequential_difference([]).difference.value is None


def test_differences_without_spread_are_evidence_like_any_other():
    few, many = (sequential_difference([1.0] * count, scale=SCALE) for count in (20, 60))
    assert (few.decided, many.decided) == (False, True)
    assert not sequential_difference([0.0] * 500, scale=SCALE).decided


def test_a_difference_that_the_scale_does_not_allow_is_refused():
    with pytest.raises(UsageError, match="from -1 to 1, found 3"):
        sequential_difference([0.5, 3.0])
    for ends in ((1.0, 0.0), (1.0, 1.0)):
        with pytest.raises(UsageError, match="lowest and the highest"):
            sequential_difference([0.5], scale=ends)
