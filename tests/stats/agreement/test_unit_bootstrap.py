import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.agreement.unit_bootstrap import Resampling, bootstrap_interval, group_rows


def all_weights(resampling, replicates=200, seed=3):
    return np.concatenate(list(resampling.weights(replicates, seed)))


@pytest.mark.parametrize("multiplicity", [[1, 1, 1, 1], [500, 300, 200], [0, 7, 3]])
def test_every_replicate_draws_as_many_units_as_there_are(multiplicity):
    weights = all_weights(Resampling(np.array(multiplicity)))
    assert (weights.sum(axis=1) == sum(multiplicity)).all()


@pytest.mark.parametrize("multiplicity", [[6, 3, 1], [600, 300, 100]])
def test_patterns_are_drawn_in_proportion_with_the_spread_of_a_multinomial(multiplicity):
    multiplicity = np.array(multiplicity)
    weights = all_weights(Resampling(multiplicity), replicates=20_000)
    share = multiplicity / multiplicity.sum()
    assert weights.mean(axis=0) == pytest.approx(multiplicity, rel=0.03)
    assert weights.var(axis=0) == pytest.approx(multiplicity * (1 - share), rel=0.06)


def test_the_rows_of_a_cluster_are_drawn_together():
    pattern, multiplicity, cluster = group_rows(np.array([0, 0, 1, 2, 2, 2]), np.array([5, 5, 5, 9, 9, 9]))
    weights = all_weights(Resampling(multiplicity, cluster))
    assert (pattern.tolist(), multiplicity.tolist(), cluster.tolist()) == ([0, 1, 2], [2, 1, 3], [0, 0, 1])
    assert (weights[:, 0] == 2 * weights[:, 1]).all()
    assert set(weights[:, 1] + weights[:, 2] / 3) == {2.0}


def test_the_interval_of_a_mean_is_near_the_t_interval():
    values = np.random.default_rng(0).normal(size=80)
    found = bootstrap_interval(
        Resampling(np.ones(80, dtype=int)), lambda w: w @ values / w.sum(axis=1), replicates=8000, level=0.95, seed=1
    )
    reach = 1.99 * values.std(ddof=1) / np.sqrt(80)
    assert (found.low, found.high) == pytest.approx((values.mean() - reach, values.mean() + reach), abs=0.03)
    assert found.standard_error == pytest.approx(values.std() / np.sqrt(80), rel=0.05)


def test_a_skewed_mean_has_an_interval_that_reaches_further_to_the_long_side():
    values = np.random.default_rng(0).exponential(size=30)
    found = bootstrap_interval(
        Resampling(np.ones(30, dtype=int)), lambda w: w @ values / w.sum(axis=1), replicates=8000, level=0.95, seed=1
    )
    assert found.high - values.mean() > 1.15 * (values.mean() - found.low)


def test_too_many_replicates_without_a_value_leave_no_interval():
    found = bootstrap_interval(
        Resampling(np.ones(4, dtype=int)),
        lambda w: np.where(w[:, 0] > 0, w[:, 0], np.nan),
        replicates=100,
        level=0.95,
        seed=1,
    )
    assert (found.low, found.high) == (None, None)
    assert "replicates have no variation" in found.reason


def test_no_replicates_are_an_error():
    with pytest.raises(UsageError, match="at least one replicate; found -1"):
        bootstrap_interval(Resampling(np.ones(4, dtype=int)), lambda w: w[:, 0], replicates=-1, level=0.9, seed=1)


def test_a_coefficient_is_at_least_as_wide_as_its_jackknife_on_the_z_of_intraclass_correlations():
    values, units = np.random.default_rng(2).uniform(0.2, 0.9, 12), np.ones(12, dtype=int)
    statistic = lambda w: w @ values / w.sum(axis=1)  # noqa: E731
    plain = bootstrap_interval(Resampling(units), statistic, replicates=50, level=0.95, seed=1)
    wide = bootstrap_interval(Resampling(units), statistic, replicates=50, level=0.95, seed=1, raters=3.0)

    def z_of(rho):
        return np.log((1 + 2 * rho) / (1 - rho)) / 2

    left = z_of((values.sum() - values) / 11)
    reach = 2.200985160082949 * np.sqrt(11 / 12 * ((left - left.mean()) ** 2).sum())  # t of 11 degrees of freedom
    ratios = np.exp(2 * (z_of(values.mean()) + np.array([-reach, reach])))
    low, high = (ratios - 1) / (ratios + 2)
    assert (wide.low, wide.high) == pytest.approx((min(plain.low, low), max(plain.high, high)))
    assert wide.high - wide.low > plain.high - plain.low
