import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden_values import golden
from venire.stats.uncertainty.bootstrap import acceleration, bootstrap, bootstrap_mean
from venire.stats.uncertainty.clustered import clustered_mean

BCA = golden("uncertainty_published")["bca"]


def test_the_acceleration_of_the_spatial_data_is_the_published_one():
    values = np.array(BCA["values"], dtype=float)
    left_out = [np.delete(values, i).var() for i in range(len(values))]
    assert values.var() == pytest.approx(BCA["variance"], abs=0.05)
    assert acceleration(left_out) == pytest.approx(BCA["acceleration"], abs=5e-4)


@pytest.mark.parametrize("kind", ["bca", "percentile"])
def test_intervals_of_the_spatial_data_are_the_published_ones_but_for_their_2000_resamples(kind):
    found = bootstrap(BCA["values"], np.var, seed=1, kind=kind, resamples=4000, level=0.9)
    assert (found.low, found.high) == pytest.approx(BCA[kind], rel=0.05)


@given(st.lists(st.integers(1, 5), min_size=3, max_size=12).filter(lambda values: len(set(values)) > 1))
@settings(max_examples=15, deadline=None)
def test_the_collapsed_mean_bootstrap_agrees_with_the_plain_one(values):
    quick = bootstrap_mean(values, seed=3, resamples=4000)
    plain = bootstrap(values, np.mean, seed=4, resamples=4000)
    exact = np.std(values) / np.sqrt(len(values))
    assert quick.standard_error == pytest.approx(exact, rel=0.08)
    assert plain.standard_error == pytest.approx(exact, rel=0.08)


def test_resampling_clusters_is_as_wide_as_the_clustered_standard_error():
    generator = np.random.default_rng(2)
    clusters = np.repeat(np.arange(40), 10)
    values = generator.normal(size=40)[clusters] + generator.normal(size=400) * 0.3
    by_cluster = bootstrap_mean(values, clusters=clusters, seed=0)
    by_unit = bootstrap_mean(values, seed=0)
    plain = bootstrap(values, np.mean, clusters=clusters, seed=0, resamples=1000)
    assert by_cluster.standard_error == pytest.approx(clustered_mean(values, clusters).standard_error, rel=0.06)
    assert plain.standard_error == pytest.approx(by_cluster.standard_error, rel=0.1)
    assert by_unit.standard_error < by_cluster.standard_error / 2


def test_the_accelerated_interval_of_a_mean_is_the_same_by_both_ways():
    values = np.random.default_rng(3).exponential(size=30).round(2)
    quick = bootstrap_mean(values, seed=0, kind="bca", resamples=20_000)
    plain = bootstrap(values, np.mean, seed=1, kind="bca", resamples=20_000)
    assert (quick.low, quick.high) == pytest.approx((plain.low, plain.high), rel=0.03)
    assert quick.high - quick.value > quick.value - quick.low


def test_the_same_seed_gives_the_same_interval_and_another_one_does_not():
    values = np.random.default_rng(0).normal(size=50)
    one, same, other = (bootstrap_mean(values, seed=seed) for seed in (7, 7, 8))
    assert one == same
    assert one.low != other.low
    assert one.seed == 7
    assert bootstrap_mean(values, seed=np.random.default_rng(7)).seed is None


def test_rows_of_several_columns_are_resampled_together():
    rows = np.random.default_rng(1).normal(size=(60, 2))
    rows[:, 1] += 2 * rows[:, 0]
    found = bootstrap(rows, lambda drawn: np.corrcoef(drawn.T)[0, 1], seed=0, resamples=500)
    assert 0.7 < found.low < found.value < found.high < 1


@pytest.mark.parametrize(
    ("values", "clusters", "value", "reason"),
    [
        ([], None, None, "no observations"),
        ([None], None, None, "no observations"),
        ([2.0], None, 2.0, "one observation"),
        ([2.0, 2.0, 2.0], None, 2.0, "no variation"),
        ([1.0, 3.0], ["a", "a"], 2.0, "one cluster"),
    ],
)
def test_too_little_gives_no_interval_and_says_why(values, clusters, value, reason):
    for found in (
        bootstrap_mean(values, clusters=clusters, seed=0),
        bootstrap(values, np.mean, clusters=clusters, seed=0, resamples=50),
    ):
        assert (found.value, found.low) == (value, None)
        assert reason in found.reason


def test_a_statistic_that_is_often_not_finite_has_no_interval():
    found = bootstrap([1.0, 2.0], lambda drawn: 1.0 if np.ptp(drawn) else np.nan, seed=0, resamples=200)
    assert found.value == 1.0
    assert "one resample in twenty" in found.reason


def test_bias_cannot_be_corrected_if_all_resamples_lie_on_one_side():
    found = bootstrap(np.arange(30.0), lambda drawn: float(len(set(drawn.tolist()))), seed=0, kind="bca", resamples=200)
    assert found.value == 30
    assert "one side" in found.reason


def test_a_million_scores_on_a_short_scale_are_quickly_resampled():
    scores = np.random.default_rng(0).integers(1, 6, 1_000_000)
    found = bootstrap_mean(scores, seed=0, kind="bca")
    assert found.standard_error == pytest.approx(scores.std() / 1000, rel=0.1)
