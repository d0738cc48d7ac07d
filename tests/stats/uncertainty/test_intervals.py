import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from golden_values import golden
from venire.stats.uncertainty.intervals import normal_interval, t_interval, wilson_interval

PUBLISHED = golden("uncertainty_published")
TABLE = golden("uncertainty_table")


def test_the_worked_normal_interval_is_8_26_plus_or_minus_0_098():
    case = PUBLISHED["normal_interval"]
    interval = normal_interval(case["mean"], case["standard_deviation"], case["n"])
    assert interval.high - interval.value == pytest.approx(case["margin"], abs=5e-4)
    assert interval.value - interval.low == pytest.approx(case["margin"], abs=5e-4)


@pytest.mark.parametrize("case", PUBLISHED["wilson"]["cases"])
def test_wilson_gives_newcombes_published_intervals(case):
    interval = wilson_interval(case["successes"], case["trials"])
    assert (round(interval.low, 4), round(interval.high, 4)) == (case["low"], case["high"])


@pytest.mark.parametrize("case", TABLE["wilson"])
def test_wilson_gives_the_golden_table(case):
    interval = wilson_interval(case["successes"], case["trials"])
    assert (interval.low, interval.high) == pytest.approx((case["low"], case["high"]), abs=1e-12)


@given(st.integers(1, 500), st.data(), st.sampled_from([0.8, 0.95, 0.99]))
def test_wilson_ends_solve_the_score_equation(trials, data, level):
    successes = data.draw(st.integers(0, trials))
    interval = wilson_interval(successes, trials, level=level)
    z = stats.norm.ppf(0.5 + level / 2)
    for end in (interval.low, interval.high):
        distance = (successes / trials - end) ** 2 - z**2 * end * (1 - end) / trials
        assert distance == pytest.approx(0, abs=1e-9)
    assert 0 <= interval.low <= successes / trials <= interval.high <= 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40).filter(lambda values: np.ptp(values) > 1e-3))
def test_the_t_interval_is_scipys(values):
    interval = t_interval([*values, None])
    expected = stats.t.interval(0.95, len(values) - 1, np.mean(values), stats.sem(values))
    assert (interval.low, interval.high) == pytest.approx(expected, rel=1e-9, abs=1e-6)
    assert interval.n == {"values": len(values), "missing": 1}


def test_a_large_common_offset_does_not_cancel_the_variance():
    offset = t_interval(np.array([0.0, 1.0, 2.0]) + 1e9)
    assert offset.standard_error == pytest.approx(t_interval([0, 1, 2]).standard_error, rel=1e-6)


@pytest.mark.parametrize("values", [[], [None, None], [float("nan")], np.zeros(0)])
def test_no_observation_gives_not_known_and_not_zero(values):
    interval = t_interval(values)
    assert interval.value is None
    assert interval.reason == "no observations"


def test_one_observation_has_a_mean_but_no_interval():
    interval = t_interval([4.2])
    assert (interval.value, interval.low, interval.standard_error) == (4.2, None, None)
    assert "one observation" in interval.reason
    assert normal_interval(4.2, 0.0, 1).low is None


def test_equal_values_have_a_mean_but_no_interval():
    interval = t_interval([0.1] * 7)
    assert (interval.value, interval.low) == (0.1, None)
    assert "no variation" in interval.reason


def test_a_proportion_of_no_trials_is_not_known():
    assert wilson_interval(0, 0).value is None
    assert wilson_interval(5, 3).value is None
    assert normal_interval(1.0, 1.0, 0).value is None


@pytest.mark.parametrize(
    ("deviation", "n", "value", "reason"),
    [(0.5, 0, None, "no observations"), (0.5, 1, 8.0, "one observation"), (0.0, 9, 8.0, "no variation")],
)
def test_a_normal_interval_that_cannot_be_given_says_why(deviation, n, value, reason):
    interval = normal_interval(8.0, deviation, n)
    assert (interval.value, interval.low, interval.n) == (value, None, {"values": n})
    assert reason in interval.reason
