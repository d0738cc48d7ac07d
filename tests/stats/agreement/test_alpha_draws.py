"""The interval of Krippendorff's alpha over shards: each replicate is the alpha of the units as often as drawn."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from venire.errors import UsageError
from venire.stats.agreement.alpha_sums import AlphaSums, alpha_sums
from venire.stats.agreement.krippendorff_alpha import METRICS, krippendorff_alpha
from venire.stats.fingerprints import fingerprints, poisson_weights
from venire.stats.ratings.matrix import from_long

UNITS = 20


def columns(values):
    """Give four ratings to each unit, of which None is missing."""
    units = [f"unit {number // 4}" for number in range(len(values))]
    raters = [f"rater {number % 4}" for number in range(len(values))]
    return units, raters, np.array([np.nan if value is None else value for value in values])


def ratings(among):
    return st.lists(st.one_of(st.none(), st.sampled_from(among)), min_size=4 * UNITS, max_size=4 * UNITS)


def written_out(units, values, metric, seed, replicate):
    """Return alpha of a table in which each unit stands as often as it is drawn."""
    names = list(dict.fromkeys(units))
    times = poisson_weights(fingerprints(names), seed, range(replicate, replicate + 1))[0].astype(int)
    rows = np.repeat(np.asarray(values).reshape(-1, 4), times, axis=0)
    found = krippendorff_alpha(rows, metric).value if len(rows) else None
    return np.nan if found is None else found


@settings(max_examples=30)
@given(metric=st.sampled_from(METRICS), values=ratings([0.0, 0.25, 0.5, 1.0]))
def test_a_replicate_is_alpha_of_the_units_as_often_as_they_are_drawn(metric, values):
    units, raters, numbers = columns(values)
    sums = alpha_sums(units, raters, numbers, metric, seed=3, replicates=5)
    assume(sums.span[0] < sums.span[1])
    found = sums.draws.alphas(metric, sums.values, sums.span[1] - sums.span[0])
    wanted = [written_out(units, numbers, metric, 3, replicate) for replicate in range(5)]
    np.testing.assert_allclose(found, wanted, atol=1e-9)


@settings(max_examples=30)
@given(
    metric=st.sampled_from(METRICS),
    values=ratings([0.0, 0.1, 0.7, 1.0]),
    where=st.lists(st.integers(0, 2), min_size=UNITS, max_size=UNITS),
)
def test_an_interval_does_not_depend_on_the_shards(metric, values, where):
    units, raters, numbers = map(np.asarray, columns(values))
    places = np.repeat(where, 4)
    shards = [
        alpha_sums(
            units[places == each], raters[places == each], numbers[places == each], metric, seed=1, replicates=20
        )
        for each in range(3)
    ]
    merged = reduce(AlphaSums.plus, shards).estimate()
    whole = alpha_sums(units, raters, numbers, metric, seed=1, replicates=20).estimate()
    assert (merged.method, merged.n, merged.reason) == (whole.method, whole.n, whole.reason)
    for end in ("value", "low", "high", "standard_error"):
        assert getattr(merged, end) == pytest.approx(getattr(whole, end), abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
def test_an_interval_is_about_that_of_drawing_units_in_memory(metric):
    generator = np.random.default_rng(4)
    truth = generator.integers(5, size=600)
    answers = np.clip(truth[:, None] + generator.integers(-1, 2, size=(600, 4)), 0, 4).reshape(-1)
    units, raters, numbers = columns(list(answers))
    found = alpha_sums(units, raters, numbers, metric, seed=2, replicates=1000).estimate()
    peer = krippendorff_alpha(from_long(units, raters, numbers), metric, replicates=1000)
    assert found.value == pytest.approx(peer.value, abs=1e-12)
    assert found.standard_error == pytest.approx(peer.standard_error, rel=0.1)
    width = peer.high - peer.low
    assert abs(found.low - peer.low) < width / 8
    assert abs(found.high - peer.high) < width / 8


def test_ratings_far_from_zero_have_the_interval_of_those_about_it():
    units, raters, numbers = columns([number * 7 % 5 for number in range(4 * UNITS)])
    near = alpha_sums(units, raters, numbers, replicates=50).estimate()
    far = alpha_sums(units, raters, numbers + 1e6, replicates=50).estimate()
    assert (far.low, far.high) == pytest.approx((near.low, near.high), abs=1e-6)


def test_one_unit_has_no_interval():
    found = alpha_sums(["a", "a"], "xy", [0, 1], replicates=20).estimate()
    assert found.value == 0
    assert found.low is None
    assert found.reason == "no interval: fewer than two units to draw from"


def test_replicates_without_variation_are_counted_and_cost_the_interval():
    found = alpha_sums(["a", "a", "b", "b"], "xyxy", [0, 0, 1, 1], "nominal", replicates=100).estimate()
    assert found.value == 1
    assert found.n["replicates without variation"] > 5
    assert "replicates have no variation" in found.reason


def test_sums_of_different_draws_are_not_added():
    one = alpha_sums(["a", "a"], "xy", [0, 1], replicates=20)
    with pytest.raises(UsageError, match="expected sums of seed 0 and 20 replicates, found seed 1 and 20"):
        one.plus(alpha_sums(["b", "b"], "xy", [0, 1], seed=1, replicates=20))


def test_many_values_have_no_interval_unless_the_metric_needs_only_moments():
    units, raters, numbers = columns(list(range(120)))
    with pytest.raises(UsageError, match="expected up to 101 distinct values for an interval, found 120"):
        alpha_sums(units, raters, numbers, "ordinal", replicates=10)
    assert alpha_sums(units, raters, numbers, replicates=10).estimate().low is not None


def test_many_values_of_all_shards_together_have_no_interval():
    shards = [
        alpha_sums([number] * 4, "wxyz", range(4 * number, 4 * number + 4), "nominal", replicates=2)
        for number in range(30)
    ]
    with pytest.raises(UsageError, match="expected up to 101 distinct values"):
        reduce(AlphaSums.plus, shards)
