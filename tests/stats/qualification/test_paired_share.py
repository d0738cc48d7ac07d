import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.qualification.paired_share import paired_bounds, paired_exceeding_p, paired_score, paired_scores


def test_at_no_difference_it_is_the_test_of_mcnemar():
    assert paired_score(12, 2, 50, 0.0) == pytest.approx((12 - 2) / np.sqrt(14))


def test_the_score_at_a_bound_is_the_critical_one():
    from scipy.stats import norm

    low, high = paired_bounds(9, 4, 50, alpha=0.05)
    assert paired_score(9, 4, 50, low) == pytest.approx(norm.ppf(0.95), abs=1e-6)
    assert paired_score(9, 4, 50, high) == pytest.approx(-norm.ppf(0.95), abs=1e-6)


def test_the_bounds_hold_the_true_difference_about_as_often_as_they_say():
    chance = np.random.default_rng(7)
    drawn = chance.multinomial(60, [0.4, 0.15, 0.45], size=2000)
    above = sum(paired_bounds(int(up), int(down), 60)[1] >= 0.25 for up, down, _ in drawn) / len(drawn)
    below = sum(paired_bounds(int(up), int(down), 60)[0] <= 0.25 for up, down, _ in drawn) / len(drawn)
    assert 0.93 <= above <= 0.97
    assert 0.93 <= below <= 0.97


def test_no_change_at_all_is_no_proof_of_a_difference():
    low, high = paired_bounds(0, 0, 40)
    assert low < 0 < high < 0.1
    assert paired_exceeding_p(0, 0, 40, 0.2) > 0.99


def test_more_changes_than_pairs_are_refused():
    with pytest.raises(UsageError, match="of 10"):
        paired_score(8, 3, 10, 0.0)


def test_many_scores_at_once_are_those_of_each():
    counts = [(9, 4, 0.1), (0, 0, 0.25), (50, 0, 1.0), (0, 50, -1.0), (3, 3, 0.0), (0, 7, 0.35)]
    for first, second, difference in counts:
        (many,) = paired_scores(np.array([float(first)]), np.array([float(second)]), 50, difference)
        assert paired_score(first, second, 50, difference) == pytest.approx(many, rel=1e-12)
