"""Means, alpha and Dawid–Skene from sums of shards: the same however the ratings are split."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import venire.stats
from venire.errors import InputError, UsageError
from venire.stats.agreement.alpha_sums import AlphaSums, alpha_sums
from venire.stats.fingerprints import fingerprints, poisson_weights
from venire.stats.latent.dawid_skene_steps import (
    ExpectedCounts,
    class_probabilities,
    expected_counts,
    fit_in_steps,
    shard_votes,
)
from venire.stats.uncertainty.mean_sums import MeanSums, mean_sums

SHARDS = st.lists(st.integers(0, 3), min_size=60, max_size=60)


def split(where, *columns):
    """Return the columns of each of four shards."""
    places = np.asarray(where)
    return [tuple(np.asarray(column)[places == number] for column in columns) for number in range(4)]


def test_weights_are_drawn_as_poisson_numbers_are():
    weights = poisson_weights(fingerprints(range(3000)), 5, range(500))
    assert abs(weights.mean() - 1) < 0.005
    assert abs(weights.var() - 1) < 0.01
    shares = [(weights == count).mean() for count in range(4)]
    np.testing.assert_allclose(shares, np.exp(-1) / np.array([1, 1, 2, 6]), atol=0.002)


def test_weights_of_names_replicates_and_seeds_are_independent():
    names = fingerprints(range(4000))
    weights = poisson_weights(names, 5, range(20))
    between = np.corrcoef(np.vstack([weights, poisson_weights(names, 6, range(20))]))
    assert np.abs(between - np.eye(40)).max() < 0.09  # 5.5 standard errors of 1/√4000


def test_weights_do_not_depend_on_what_is_drawn_beside_them():
    names = fingerprints(["ann", "bob", "cy"])
    alone = poisson_weights(names[1:2], 5, range(7, 9))
    assert alone.tolist() == poisson_weights(names, 5, range(20))[7:9, 1:2].tolist()


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


@st.composite
def ratings(draw):
    cells = draw(st.lists(st.tuples(st.integers(0, 14), st.integers(0, 4)), unique=True, min_size=1, max_size=50))
    values = draw(st.lists(st.sampled_from([None, 0, 1, 2, 2.5, 7]), min_size=len(cells), max_size=len(cells)))
    return [unit for unit, _ in cells], [f"r{rater}" for _, rater in cells], np.array(values, dtype=float)


@given(
    ratings=ratings(),
    home=st.lists(st.integers(0, 3), min_size=15, max_size=15),
    metric=st.sampled_from(["nominal", "ordinal", "interval", "ratio"]),
)
def test_alpha_from_shards_of_whole_units_is_that_of_all_ratings(ratings, home, metric):
    units, raters, values = ratings
    parts = [alpha_sums(*columns, metric) for columns in split([home[unit] for unit in units], units, raters, values)]
    merged = reduce(AlphaSums.plus, parts).estimate()
    wanted = venire.stats.krippendorff_alpha(venire.stats.from_long(units, raters, values), metric)
    assert (merged.method, merged.n, merged.reason) == (wanted.method, wanted.n, wanted.reason)
    assert merged.value == pytest.approx(wanted.value, abs=1e-12)


def test_a_unit_in_two_shards_is_refused_and_not_counted_as_two():
    with pytest.raises(UsageError, match="1 units stand in several shards"):
        alpha_sums(["a", "a"], ["x", "y"], [1, 2]).plus(alpha_sums(["a", "b"], ["z", "z"], [1, 2]))


def test_a_rater_who_rated_a_unit_twice_is_refused():
    with pytest.raises(InputError, match="several of unit 'a' by rater 'x'"):
        alpha_sums(["a", "a"], ["x", "x"], [1, 2])


def test_alpha_of_many_distinct_values_needs_the_interval_metric():
    units, values = np.repeat(np.arange(3000), 2), np.arange(6000) / 7
    raters = np.tile(["x", "y"], 3000)
    assert alpha_sums(units, raters, values).estimate().known
    with pytest.raises(UsageError, match="Round them"):
        alpha_sums(units, raters, values, "ordinal")


def test_alpha_knows_only_its_metrics():
    with pytest.raises(UsageError, match="expected a metric"):
        alpha_sums(["a"], ["x"], [1], "euclidean")


def votes_of_a_crowd():
    generator = np.random.default_rng(4)
    truth = generator.integers(3, size=200)
    units = np.repeat(np.arange(200), 6)
    judges = np.tile([f"j{number}" for number in range(6)], 200)
    right = generator.random(1200) < np.tile([0.9, 0.8, 0.8, 0.7, 0.6, 0.4], 200)
    return units, judges, np.where(right, truth[units], generator.integers(3, size=1200))


def fit(parts):
    return fit_in_steps(
        lambda parameters: reduce(ExpectedCounts.plus, (expected_counts(part, parameters) for part in parts)),
        judges=[f"j{number}" for number in range(6)],
        categories=[0, 1, 2],
    )


def test_dawid_skene_over_shards_of_whole_units_is_that_of_all_votes():
    units, judges, stated = votes_of_a_crowd()
    known = {"known_judges": [f"j{number}" for number in range(6)], "scale": [0, 1, 2]}
    parts = [shard_votes(*columns, **known) for columns in split(units % 7 % 4, units, judges, stated)]
    found, wanted = fit(parts), venire.stats.dawid_skene(units, judges, stated, restarts=0)
    np.testing.assert_allclose(found.parameters.rates.transpose(0, 2, 1), wanted.confusion, atol=1e-9)
    np.testing.assert_allclose(found.competence, wanted.competence, atol=1e-9)
    np.testing.assert_allclose(found.trace, wanted.trace)
    assert (found.converged, found.n) == (wanted.converged, wanted.n)
    own = {
        unit: row
        for part in parts
        for unit, row in zip(part.units, class_probabilities(part, found.parameters), strict=True)
    }
    np.testing.assert_allclose([own[unit] for unit in wanted.units], wanted.posteriors, atol=1e-9)


def test_dawid_skene_refuses_a_unit_in_two_shards():
    units, judges, stated = votes_of_a_crowd()
    known = {"known_judges": [f"j{number}" for number in range(6)], "scale": [0, 1, 2]}
    parts = [shard_votes(*columns, **known) for columns in split(np.arange(1200) % 4, units, judges, stated)]
    with pytest.raises(UsageError, match="stand in several shards"):
        fit(parts)


def test_dawid_skene_refuses_a_category_that_others_do_not_know():
    with pytest.raises(UsageError, match="expected only the categories that all shards know, found 9"):
        shard_votes([1], ["a"], [9], known_judges=["a"], scale=[0, 1])


def test_dawid_skene_without_votes_is_refused():
    with pytest.raises(UsageError, match="found none"):
        fit([shard_votes([], [], [], known_judges=[f"j{number}" for number in range(6)], scale=[0, 1, 2])])
