import pytest

from golden_values import golden
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.uncertainty.quantile import t_quantile

GWET = golden("gwet_four_raters")


FOUR_RATERS = list(zip(*GWET["raters"], strict=True))


@pytest.mark.parametrize(("measure", "name"), [(gwet_ac, "gwet AC1"), (fleiss_kappa, "fleiss kappa")])
def test_gwets_four_raters_have_the_published_value_error_and_interval(measure, name):
    found, published = measure(FOUR_RATERS), GWET[name]
    assert found.value == pytest.approx(published["value"], abs=5e-6)
    assert found.standard_error == pytest.approx(published["standard error"], abs=5e-6)
    reach = t_quantile(0.95, found.n["units"] - 1) * found.standard_error
    ends = (found.value - reach, min(found.value + reach, 1))
    assert ends == pytest.approx((published["low"], published["high"]), abs=5e-4)


def test_the_whole_scale_counts_for_gwet_if_it_is_given():
    ratings = [[1, 1], [2, 2], [1, 2], [2, 2]]
    assert gwet_ac(ratings, categories=[1, 2, 3, 4, 5]).value > gwet_ac(ratings).value


def test_equal_ratings_on_a_known_scale_agree_fully_by_gwet():
    found = gwet_ac([[3, 3], [3, 3]], categories=[1, 2, 3])
    assert (found.value, found.low) == (1.0, None)
