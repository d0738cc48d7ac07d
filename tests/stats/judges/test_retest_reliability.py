import numpy as np
import pytest

from venire.stats.judges.retest_reliability import retest_reliability


def test_a_judge_who_repeats_itself_is_reliable():
    found = retest_reliability([1, 2, 3, 4, 5, None], [1, 2, 3, 4, 4, 2])
    assert found.exact_match.value == 0.8
    assert found.mean_absolute_difference.value == 0.2
    assert found.correlation.value == pytest.approx(np.corrcoef([1, 2, 3, 4, 5], [1, 2, 3, 4, 4])[0, 1])
    assert found.icc.value == pytest.approx(0.952380952)
    assert found.warnings == ()


def test_a_judge_who_does_not_repeat_itself_gets_a_warning():
    found = retest_reliability([1, 2, 3, 4, 5, 1], [3, 1, 5, 2, 4, 4])
    assert len(found.warnings) == 2
    assert all("below 0.8" in warning for warning in found.warnings)


@pytest.mark.parametrize(("first", "second"), [([], []), ([None], [1]), ([2], [2]), ([3, 3, 3], [3, 3, 3])])
def test_reliability_of_nothing_one_pair_or_equal_scores_is_not_known(first, second):
    found = retest_reliability(first, second)
    assert (found.correlation.value, found.icc.value, found.warnings) == (None, None, ())
    assert found.correlation.reason
    assert found.icc.reason


def test_decimal_scores_that_are_equal_match_exactly():
    assert retest_reliability([0.1 + 0.2, 1.0], [0.3, 2.0]).exact_match.value == 0.5
