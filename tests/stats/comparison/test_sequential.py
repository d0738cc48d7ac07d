import math

import numpy as np
import pytest
from bench.stats.sequential import ever_alarms, first_decision, ordinal
from scipy import integrate, stats

from venire.stats.comparison.paired import paired_t
from venire.stats.comparison.sequential import FIRST_LOOK, PRIOR_VARIANCE, sequential_difference


def test_the_evidence_is_the_bayes_factor_found_by_integration():
    values = np.random.default_rng(1).normal(0.4, 1, 25)
    t = values.mean() / values.std(ddof=1) * math.sqrt(25)
    prior = stats.norm(0, math.sqrt(PRIOR_VARIANCE))
    above, _ = integrate.quad(
        lambda effect: stats.nct.pdf(t, 24, effect * math.sqrt(25)) * prior.pdf(effect), -4, 4, epsabs=1e-12
    )
    assert sequential_difference(values).e_value == pytest.approx(above / stats.t.pdf(t, 24), rel=1e-6)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_the_interval_ends_where_the_evidence_is_one_over_alpha(level):
    values = np.random.default_rng(2).normal(0.3, 1, 40)
    found = sequential_difference(values, level=level)
    for end in (found.difference.low, found.difference.high):
        assert sequential_difference(values - end).e_value == pytest.approx(1 / (1 - level), rel=1e-9)


def test_it_is_decided_exactly_when_the_evidence_reaches_one_over_alpha():
    generator = np.random.default_rng(3)
    found = [sequential_difference(generator.normal(0.4, 1, 40)) for _ in range(60)]
    assert [each.decided for each in found] == [each.e_value > 20 for each in found]
    assert {each.decided for each in found} == {True, False}
    assert all(each.least_p == min(1, 1 / each.e_value) for each in found)


def test_the_interval_is_wider_than_that_of_a_single_look():
    values = np.random.default_rng(4).normal(0, 1, 60)
    once, always = paired_t(values, np.zeros(60)).difference, sequential_difference(values).difference
    assert always.low < once.low < once.high < always.high


def test_questions_count_once_however_many_outputs_they_have():
    means = np.random.default_rng(5).normal(0.2, 1, 20)
    alone = sequential_difference(means)
    repeated = sequential_difference(np.repeat(means, 3), np.repeat(np.arange(20), 3))
    assert repeated.difference.n == {"clusters": 20}
    assert (repeated.difference.low, repeated.e_value) == pytest.approx((alone.difference.low, alone.e_value))


def test_looking_after_every_question_rarely_alarms_though_a_test_at_every_look_often_does():
    share = ever_alarms(ordinal, 150, horizon=120)
    assert share <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / 150)
    generator = np.random.default_rng(6)
    plain = 0
    for _ in range(60):
        values = ordinal(generator, 120)
        looks = (paired_t(values[:count], np.zeros(count)).p_value for count in range(FIRST_LOOK, 121, 3))
        plain += any(p is not None and p < 0.05 for p in looks)
    assert plain > 9


def test_a_large_difference_is_decided_at_the_first_looks():
    generator = np.random.default_rng(7)
    assert np.median([first_decision(generator.normal(1.5, 1, 60)) for _ in range(30)]) <= FIRST_LOOK + 2


def test_before_the_first_look_and_without_spread_nothing_is_decided():
    few = sequential_difference(np.arange(FIRST_LOOK - 1.0))
    assert (few.decided, few.e_value, few.difference.low) == (False, None, None)
    assert "first look" in few.difference.reason
    assert not sequential_difference([1.0] * 20).decided
    assert sequential_difference([]).difference.value is None


def test_below_fifty_questions_the_result_says_that_skewed_differences_are_decided_too_often():
    generator = np.random.default_rng(3)
    few, enough = (sequential_difference(generator.normal(1, 1, count)).difference for count in (49, 50))
    assert "49 questions" in few.note
    assert "from 50 on" in few.note
    assert enough.note == ""
