import numpy as np
import pytest

from golden_values import golden
from venire.stats.agreement.brennan_prediger import brennan_prediger
from venire.stats.agreement.cohen_kappa import cohen_kappa
from venire.stats.agreement.conger_kappa import conger_kappa

GWET = golden("gwet_four_raters")
FOUR_RATERS = list(zip(*GWET["raters"], strict=True))


@pytest.mark.parametrize("weights", ["identity", "quadratic"])
@pytest.mark.parametrize(("measure", "name"), [(conger_kappa, "conger kappa"), (brennan_prediger, "brennan prediger")])
def test_four_raters_with_gaps_give_the_golden_value(measure, name, weights):
    assert measure(FOUR_RATERS, weights=weights).value == pytest.approx(GWET[name][weights], abs=5e-6)


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
def test_of_two_raters_it_is_cohens_kappa_with_its_interval(weights):
    generator = np.random.default_rng(3)
    ratings = generator.integers(0, 4, (60, 2))
    ratings[:30, 1] = ratings[:30, 0]
    for clusters in (None, np.arange(60) // 3):
        one, two = (measure(ratings, weights=weights, clusters=clusters) for measure in (conger_kappa, cohen_kappa))
        assert (one.value, one.low, one.high) == pytest.approx((two.value, two.low, two.high))


def test_chance_is_the_mean_over_all_pairs_of_different_raters():
    generator = np.random.default_rng(4)
    ratings = generator.choice(3, size=(30, 4), p=[0.5, 0.3, 0.2])
    pairs = [(one, two) for one in range(4) for two in range(one)]
    observed = np.mean([(ratings[:, one] == ratings[:, two]).mean() for one, two in pairs])
    shares = [np.bincount(column, minlength=3) / 30 for column in ratings.T]
    chance = np.mean([shares[one] @ shares[two] for one, two in pairs])
    assert conger_kappa(ratings).value == pytest.approx((observed - chance) / (1 - chance))


@pytest.mark.parametrize("measure", [conger_kappa, brennan_prediger])
def test_equal_ratings_and_single_ones_are_not_known(measure):
    assert measure([[1, 1], [1, 1]]).reason == "no variation"
    assert measure([[1, None], [None, 2]]).value is None


def test_brennan_and_prediger_count_the_whole_scale_if_it_is_given():
    ratings = [[1, 1], [2, 2], [1, 2], [2, 2]]
    assert brennan_prediger(ratings).value == pytest.approx((0.75 - 1 / 2) / (1 - 1 / 2))
    assert brennan_prediger(ratings, categories=[1, 2, 3, 4, 5]).value == pytest.approx((0.75 - 1 / 5) / (1 - 1 / 5))
