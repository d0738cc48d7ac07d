from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import venire.stats
from venire.errors import UsageError
from venire.stats.uncertainty.mean_sums import MeanSums, mean_sums

SHARDS = st.lists(st.integers(0, 3), min_size=60, max_size=60)


def split(where, *columns):
    """Return the columns of each of four shards."""
    places = np.asarray(where)
    return [tuple(np.asarray(column)[places == number] for column in columns) for number in range(4)]


@given(
    values=st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=60, max_size=60),
    clusters=st.lists(st.sampled_from("abcdefgh"), min_size=60, max_size=60),
    where=SHARDS,
)
def test_a_mean_and_its_interval_do_not_depend_on_the_shards(values, clusters, where):
    array = np.array(values, dtype=float)
    whole = mean_sums(array, clusters, seed=3, replicates=50).estimate()
    parts = [mean_sums(*columns, seed=3, replicates=50) for columns in split(where, array, clusters)]
    merged = reduce(MeanSums.plus, parts).estimate()
    assert (merged.n, merged.method, merged.reason) == (whole.n, whole.method, whole.reason)
    for name in ("value", "low", "high", "standard_error"):
        assert getattr(merged, name) == pytest.approx(getattr(whole, name), abs=1e-12)


def test_the_interval_is_that_of_the_bootstrap_by_cluster():
    generator = np.random.default_rng(1)
    clusters = np.repeat(np.arange(300), 5)
    values = generator.normal(size=300)[clusters] + generator.normal(size=1500)
    poisson = mean_sums(values, clusters, seed=1, replicates=4000).estimate()
    usual = venire.stats.bootstrap_mean(values, clusters=clusters, seed=1, resamples=4000)
    assert poisson.value == pytest.approx(usual.value)
    assert poisson.standard_error == pytest.approx(usual.standard_error, rel=0.05)
    assert poisson.low == pytest.approx(usual.low, abs=0.1 * usual.standard_error)
    assert poisson.high == pytest.approx(usual.high, abs=0.1 * usual.standard_error)


@pytest.mark.parametrize(
    ("values", "clusters", "reason"),
    [
        ([], [], "no observations"),
        ([1], ["a"], "one observation"),
        ([1, 1], ["a", "b"], "no variation"),
        ([1, 0], ["a", "a"], "one cluster"),
        ([1, 0], ["a", "b"], "drew no cluster"),
    ],
)
def test_what_is_not_known_of_a_mean_has_its_reason(values, clusters, reason):
    found = mean_sums(values, clusters).estimate()
    assert found.low is None
    assert reason in found.reason


def test_means_of_different_seeds_are_not_added():
    with pytest.raises(UsageError, match="seed 1 and 1000 replicates, found seed 2"):
        mean_sums([1], ["a"], seed=1).plus(mean_sums([1], ["a"], seed=2))
