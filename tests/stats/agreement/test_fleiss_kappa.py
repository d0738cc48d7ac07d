import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from golden_values import golden
from venire.stats.agreement.chance_corrected import percent_agreement
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.uncertainty.quantile import t_quantile

FLEISS = golden("fleiss_1971")


PSYCHIATRISTS = [
    [category for category, count in enumerate(counts) for _ in range(count)] for counts in FLEISS["counts"]
]


WEIGHTS = ("identity", "linear", "quadratic", "ordinal")


ratings_with_gaps = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.sampled_from([1, 2, 3, 4, None]), min_size=raters, max_size=raters), min_size=4, max_size=8
    )
)


@pytest.mark.parametrize("weights", WEIGHTS)
@given(rows=ratings_with_gaps)
def test_the_interval_of_fleiss_is_the_jackknife_of_the_plain_coefficient(weights, rows):
    rows = [row for row in rows if any(value is not None for value in row)]
    found = fleiss_kappa(rows, weights=weights, categories=[1, 2, 3, 4])
    assume("jackknife" in found.method)
    n = len(rows)
    left_out = [
        fleiss_kappa(rows[:unit] + rows[unit + 1 :], weights=weights, categories=[1, 2, 3, 4]).value
        for unit in range(n)
    ]
    z = np.arctanh(np.clip(left_out, -1 + 1e-12, 1 - 1e-12))
    reach = t_quantile(0.95, n - 1) * np.sqrt((n - 1) / n * ((z - z.mean()) ** 2).sum())
    centre = np.arctanh(np.clip(found.value, -1 + 1e-12, 1 - 1e-12))
    assert found.low == pytest.approx(min(found.value, np.tanh(centre - reach)), abs=1e-7)
    assert found.high == pytest.approx(max(found.value, np.tanh(centre + reach)), abs=1e-7)


def test_a_unit_without_which_nothing_varies_leaves_no_interval_of_fleiss():
    found = fleiss_kappa([[1, 1]] * 9 + [[1, 2]])
    assert (found.low, found.reason) == (None, "no interval: without one of the units nothing varies")


@pytest.mark.parametrize("measure", [fleiss_kappa, gwet_ac, percent_agreement])
def test_units_of_one_question_count_as_one(measure):
    ratings = np.random.default_rng(4).integers(1, 4, (30, 3))
    ratings[:20] = ratings[:20, :1]
    many, clusters = np.repeat(ratings, 5, axis=0), np.repeat(np.arange(30), 5)
    once, apart, together = measure(ratings), measure(many), measure(many, clusters=clusters)
    assert (together.value, together.n["clusters"]) == (pytest.approx(once.value), 30)
    assert together.high - together.low == pytest.approx(once.high - once.low, rel=1e-6)
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_fleiss_kappa_of_the_psychiatrists_is_as_published():
    assert fleiss_kappa(PSYCHIATRISTS).value == pytest.approx(FLEISS["kappa"], abs=5e-4)
    assert percent_agreement(PSYCHIATRISTS).value == pytest.approx(FLEISS["agreement"], abs=5e-4)


def test_one_prevailing_category_hurts_fleiss_and_not_gwet():
    ratings = [[1, 1]] * 48 + [[1, 2], [2, 1]]
    assert fleiss_kappa(ratings).value < 0 < 0.9 < gwet_ac(ratings).value
