import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden_values import golden
from venire.stats.uncertainty.power import design_effect, minimum_detectable_effect, paired_power, samples_needed

PUBLISHED = golden("uncertainty_published")["power"]
TABLE = golden("uncertainty_table")["power"]


def test_the_published_number_of_pairs_has_the_power_it_was_made_for():
    found = paired_power(PUBLISHED["difference"], PUBLISHED["standard_deviation"], PUBLISHED["n"])
    assert found == pytest.approx(PUBLISHED["power"], abs=1e-6)
    assert samples_needed(PUBLISHED["difference"], PUBLISHED["standard_deviation"]).value == PUBLISHED["pairs"]


@pytest.mark.parametrize("case", TABLE)
def test_the_minimum_detectable_effect_gives_the_golden_table(case):
    found = minimum_detectable_effect(2.0, case["n"], alpha=case["alpha"], power=case["power"])
    assert found.value == pytest.approx(2 * case["effect"], rel=1e-5)


@given(st.floats(0.05, 3), st.sampled_from([0.8, 0.9]), st.sampled_from([1.0, 2.5]))
@settings(deadline=None)
def test_one_pair_fewer_than_needed_is_not_enough(difference, power, inflation):
    pairs = int(samples_needed(difference, 1.0, power=power, variance_inflation=inflation).value)
    assert paired_power(difference, 1.0, pairs, variance_inflation=inflation) >= power
    if pairs > 2:
        assert paired_power(difference, 1.0, pairs - 1, variance_inflation=inflation) < power


@given(st.integers(2, 3000), st.floats(0.01, 100))
@settings(deadline=None, max_examples=40)
def test_the_effect_that_can_be_found_is_found_with_that_power(n, spread):
    found = minimum_detectable_effect(spread, n).value
    assert paired_power(found, spread, n) == pytest.approx(0.8, abs=1e-6)


def test_clustering_asks_for_more_samples():
    inflation = design_effect(5, 0.5)
    assert inflation == 3.0
    assert samples_needed(0.2, 1.0, variance_inflation=inflation).value > 2.9 * samples_needed(0.2, 1.0).value


@pytest.mark.parametrize(("spread", "n"), [(1.0, 0), (1.0, 1), (0.0, 30), (float("nan"), 30)])
def test_without_pairs_or_spread_the_effect_is_not_known(spread, n):
    found = minimum_detectable_effect(spread, n)
    assert found.value is None
    assert found.reason


def test_no_number_of_samples_finds_nothing_at_all():
    assert samples_needed(0.0, 1.0).value is None
    assert samples_needed(1e-9, 1.0).reason.startswith("more than")
    assert samples_needed(1.0, 1.0, alpha=0.9, power=0.8).value is None


def test_a_huge_difference_needs_the_least_number_of_pairs():
    assert 2 <= samples_needed(1e6, 1.0).value <= 3
