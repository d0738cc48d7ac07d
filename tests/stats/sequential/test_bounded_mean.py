import math

import numpy as np
import pytest

from venire.stats.sequential.bounded_mean import STAKES, WEALTH, gathered, log_wealth, mean_interval


def test_the_wealth_is_shared_out_wholly():
    assert 2 * WEALTH.sum() == pytest.approx(1)
    assert len(WEALTH) == len(STAKES)
    assert (WEALTH > 0).all()


@pytest.mark.parametrize("mean", [0.1, 0.37, 0.5])
def test_bets_are_fair_if_the_mean_is_true(mean):
    # One value of 0 or 1 whose mean is so: the expected wealth is what there was.
    after = [math.exp(log_wealth(np.array([value]), np.array([1.0]), mean)) for value in (0.0, 1.0)]
    assert (1 - mean) * after[0] + mean * after[1] == pytest.approx(1, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.1, 0.05, 0.001])
def test_the_interval_ends_where_the_wealth_is_one_over_alpha(alpha):
    values, counts = gathered(np.random.default_rng(2).beta(2, 5, 60))
    for end in mean_interval(values, counts, alpha):
        assert log_wealth(values, counts, end) == pytest.approx(-math.log(alpha), abs=1e-5)


def test_values_at_the_ends_of_the_scale_have_intervals_that_end_there():
    for value, at in ((0.0, 0), (1.0, 1)):
        ends = mean_interval(np.array([value]), np.array([30.0]), 0.05)
        assert ends[at] == value
        assert 0.05 < abs(ends[1 - at] - value) < 0.3


def test_many_distinct_values_are_split_so_that_they_never_tell_more():
    values = np.random.default_rng(3).beta(3, 2, 9000)
    grid, parts = gathered(values)
    assert len(grid) == 2001
    assert (parts.sum(), grid @ parts) == pytest.approx((9000, values.sum()))
    plain = [log_wealth(values, np.ones(9000), mean) for mean in (0.55, 0.58, 0.62)]
    split = [log_wealth(grid, parts, mean) for mean in (0.55, 0.58, 0.62)]
    assert all(few <= most for few, most in zip(split, plain, strict=True))
    assert split == pytest.approx(plain, abs=0.01)
