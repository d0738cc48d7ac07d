import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from golden_values import golden
from venire.stats.uncertainty.multiplicity import benjamini_hochberg, holm

PUBLISHED = golden("uncertainty_published")["benjamini_hochberg"]
TABLE = golden("uncertainty_table")["adjusted"]
P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_benjamini_and_hochbergs_example_rejects_four_and_holm_three():
    assert sum(benjamini_hochberg(PUBLISHED["p_values"]).rejected) == PUBLISHED["rejected"]
    assert sum(holm(PUBLISHED["p_values"]).rejected) == PUBLISHED["holm_rejected"]


@pytest.mark.parametrize("method", [holm, benjamini_hochberg])
def test_adjusted_p_values_give_the_golden_table(method):
    assert method(TABLE["p_values"]).adjusted == pytest.approx(TABLE[method.__name__])


@given(P_VALUES, st.floats(0.001, 0.3))
def test_holm_rejects_what_its_sequence_of_steps_rejects(p_values, alpha):
    order = np.argsort(p_values, kind="stable")
    expected = [False] * len(p_values)
    for step, index in enumerate(order):
        if p_values[index] * (len(p_values) - step) > alpha:
            break
        expected[index] = True
    assert list(holm(p_values, alpha=alpha).rejected) == expected


@given(P_VALUES)
def test_benjamini_hochberg_is_scipys(p_values):
    assert benjamini_hochberg(p_values).adjusted == pytest.approx(stats.false_discovery_control(p_values))


def test_missing_p_values_stay_missing_and_do_not_count():
    assert holm([0.01, None, 0.02]).adjusted == (0.02, None, 0.02)
    assert holm([0.01, None, 0.02]).n == 2
    assert benjamini_hochberg([]).adjusted == ()
    assert benjamini_hochberg([None]).rejected == (False,)
