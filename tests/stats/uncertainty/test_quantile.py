import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from venire.stats.uncertainty.quantile import normal_quantile, normal_two_sided, t_quantile, t_two_sided

LEVELS = st.floats(0.01, 0.999)


@given(LEVELS, st.floats(1, 500))
def test_quantiles_are_scipys(level, degrees):
    assert normal_quantile(level) == pytest.approx(stats.norm.ppf(0.5 + level / 2))
    assert t_quantile(level, degrees) == pytest.approx(stats.t.ppf(0.5 + level / 2, degrees))


@given(LEVELS, st.floats(1, 500), st.sampled_from([-1, 1]))
def test_two_sided_probabilities_undo_quantiles_on_either_side(level, degrees, sign):
    assert normal_two_sided(sign * normal_quantile(level)) == pytest.approx(1 - level)
    assert t_two_sided(sign * t_quantile(level, degrees), degrees) == pytest.approx(1 - level)


def test_nothing_is_likelier_than_certain():
    assert normal_two_sided(0.0) == t_two_sided(0.0, 3) == 1.0
