import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.sequential.betting_share import STAKES, BettingShare, bet_on_share


def _wealth(failed, bound):
    """Return the e-values of many streams after every observation, computed for all of them at once."""
    gains = np.where(failed, 1 - bound, -bound) / bound
    logs = np.cumsum(np.log1p(np.multiply.outer(STAKES, gains)), axis=2)
    return np.exp(logs).mean(axis=0)


def test_the_state_is_the_mean_wealth_of_all_stakes():
    failed = np.random.default_rng(1).random((1, 80)) < 0.2
    assert bet_on_share(failed[0].tolist(), 0.1).e_value == pytest.approx(_wealth(failed, 0.1)[0, -1])


def test_with_a_look_after_every_observation_false_alarms_stay_within_the_level():
    failed = np.random.default_rng(2).random((10_000, 300)) < 0.05
    assert (_wealth(failed, 0.05).max(axis=1) >= 20).mean() <= 0.05


def test_a_judge_that_changes_fifteen_percent_of_verdicts_is_found_within_fifty_anchors():
    noise = 0.02
    failed = np.random.default_rng(3).random((2_000, 300)) < noise + 0.15
    found = _wealth(failed, noise) >= 20
    assert found.any(axis=1).mean() >= 0.93
    assert np.median(np.where(found.any(axis=1), found.argmax(axis=1) + 1, 301)) <= 50


def test_it_goes_on_where_it_was():
    half = bet_on_share([True, False, False], 0.1)
    assert half.after(failed=True) == bet_on_share([True, False, False, True], 0.1)
    assert (half.observations, half.failures) == (3, 1)


def test_a_bound_that_is_no_share_is_refused():
    with pytest.raises(UsageError, match="0"):
        BettingShare(0.0)
