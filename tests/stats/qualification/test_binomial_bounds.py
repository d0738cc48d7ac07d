import pytest

from venire.errors import UsageError
from venire.stats.qualification.binomial_bounds import exceeding_p, lower_bound, upper_bound


def test_bounds_are_where_the_tail_of_the_binomial_holds_alpha():
    from scipy.stats import binom

    low, high = lower_bound(7, 40), upper_bound(7, 40)
    assert binom.sf(6, 40, low) == pytest.approx(0.05)
    assert binom.cdf(7, 40, high) == pytest.approx(0.05)


def test_the_p_value_is_the_chance_of_at_least_so_many_failures():
    from scipy.stats import binom

    assert exceeding_p(7, 40, 0.1) == pytest.approx(binom.sf(6, 40, 0.1))


def test_without_failures_nothing_lies_below_and_with_nothing_else_nothing_above():
    assert lower_bound(0, 12) == 0.0
    assert upper_bound(12, 12) == 1.0
    assert exceeding_p(0, 12, 0.2) == 1.0


def test_more_failures_than_trials_are_refused():
    with pytest.raises(UsageError, match="13 of 12"):
        upper_bound(13, 12)
