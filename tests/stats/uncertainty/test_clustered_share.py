import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.clustered_share import clustered_share, share_difference
from venire.stats.uncertainty.intervals import wilson_interval


def test_a_jump_has_newcombes_interval():
    # Newcombe 1998, Stat. Med. 17, table II, example (a), method 10: 56/70 − 48/80, interval 0.0524 to 0.3339.
    jump = share_difference(wilson_interval(48, 80), wilson_interval(56, 70))
    assert (jump.value, jump.low, jump.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_shares_without_clusters_have_wilsons_interval():
    share = clustered_share([1, 0, 0, 1, 0] * 3, range(15))
    plain = wilson_interval(6, 15)
    assert (share.value, share.low, share.high) == (plain.value, plain.low, plain.high)


def test_few_successes_have_the_exact_interval():
    share = clustered_share([1, 0, 0, 1, 0], range(5))
    exact = stats.binomtest(2, 5).proportion_ci(method="exact")
    assert (share.value, share.low, share.high) == pytest.approx((0.4, exact.low, exact.high))


def test_shares_of_full_clusters_are_as_wide_as_if_each_cluster_counted_once():
    many = clustered_share(np.repeat([1, 0, 0, 1, 0, 0, 1, 0], 10), np.repeat(np.arange(8), 10))
    assert many.n["effective trials"] == 7  # 8 clusters, less the one that the CR1 factor takes
    assert many.high - many.low > wilson_interval(3, 8).high - wilson_interval(3, 8).low


def test_a_clustered_share_has_the_interval_of_korn_and_graubard():
    # A plain second computation: exact binomial ends for n_eff · (z/t)² trials.
    successes, clusters = [1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 0, 0], np.repeat(np.arange(4), 3)
    sums = np.array([1, 2, 0, 1]) - 3 / 3
    variance = 4 / 3 * float(sums @ sums) / 12**2
    trials = 1 / 3 * 2 / 3 / variance * (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 3)) ** 2
    share = clustered_share(successes, clusters)
    assert share.low == pytest.approx(stats.beta.ppf(0.025, trials / 3, trials * 2 / 3 + 1))
    assert share.high == pytest.approx(stats.beta.ppf(0.975, trials / 3 + 1, trials * 2 / 3))


def test_a_share_of_zero_counts_each_cluster_once():
    none = clustered_share(np.zeros(30), np.repeat(np.arange(10), 3))
    assert (none.value, none.low, none.n["effective trials"]) == (0.0, 0.0, 10)
    assert none.high == pytest.approx(1 - 0.025**0.1)  # Clopper and Pearson's upper end of none in ten.


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 4)), min_size=1, max_size=30))
def test_a_clustered_share_lies_in_its_interval_and_in_zero_to_one(drawn):
    successes, clusters = zip(*drawn, strict=True)
    share = clustered_share(successes, clusters)
    assert share.value == pytest.approx(clustered_mean(successes, clusters).value)
    if share.low is not None:
        assert 0 <= share.low <= share.value <= share.high <= 1
    else:
        assert share.reason


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 9)), min_size=4, max_size=40).filter(
        lambda drawn: len(drawn) > len({cluster for _, cluster in drawn}) > 1
    ),
    st.integers(2, 5),
)
@example(list(zip([1, 0] * 10 + [1, 1], np.repeat(np.arange(11), 2).tolist(), strict=True)), 4)  # less than chance
def test_copies_of_every_value_do_not_narrow_a_share(drawn, copies):
    successes, clusters = (np.array(side) for side in zip(*drawn, strict=True))
    once, copied = (clustered_share(np.tile(successes, times), np.tile(clusters, times)) for times in (1, copies))
    assert copied.high - copied.low >= once.high - once.low - 1e-9
