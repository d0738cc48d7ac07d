import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from golden_values import golden
from venire.errors import UsageError
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac
from venire.stats.agreement.percent_agreement import percent_agreement
from venire.stats.uncertainty.quantile import t_quantile

GWET = golden("gwet_four_raters")
FLEISS = golden("fleiss_1971")
FOUR_RATERS = list(zip(*GWET["raters"], strict=True))
PSYCHIATRISTS = [
    [category for category, count in enumerate(counts) for _ in range(count)] for counts in FLEISS["counts"]
]
WEIGHTS = ("identity", "linear", "quadratic", "ordinal")

ratings_with_gaps = st.integers(1, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.one_of(st.none(), st.integers(1, 4)), min_size=raters, max_size=raters), min_size=1, max_size=7
    )
)


def credit(a, b, values, weights):
    if weights == "identity":
        return float(a == b)
    steps = abs(values.index(a) - values.index(b))
    if weights == "ordinal":
        return 1 - steps * (steps + 1) / (len(values) * (len(values) - 1)) if steps else 1.0
    distance = abs(a - b) / (values[-1] - values[0]) if a != b else 0.0
    return 1 - (distance if weights == "linear" else distance**2)


def plain(rows, weights, chance):
    """Coefficients from their definitions, pair by pair, and the error of leaving the value linearised."""
    units = [[value for value in row if value is not None] for row in rows]
    units = [unit for unit in units if unit]
    values = sorted({value for unit in units for value in unit})
    paired = [unit for unit in units if len(unit) > 1]
    if not paired:
        return None
    agreement = sum(
        sum(credit(a, b, values, weights) for a, b in itertools.permutations(unit, 2)) / len(unit) / (len(unit) - 1)
        for unit in paired
    ) / len(paired)
    if chance == "none":
        return agreement
    share = {value: sum(unit.count(value) / len(unit) for unit in units) / len(units) for value in values}
    pairs = list(itertools.product(values, repeat=2))
    if chance == "fleiss":
        expected = sum(share[a] * share[b] * credit(a, b, values, weights) for a, b in pairs)
    elif len(values) < 2:
        return None
    else:
        total = sum(credit(a, b, values, weights) for a, b in pairs)
        expected = total * sum(share[a] * (1 - share[a]) for a in values) / len(values) / (len(values) - 1)
    return None if 1 - expected < 1e-12 else (agreement - expected) / (1 - expected)


def test_percent_agreement_of_gwets_four_raters():
    assert percent_agreement(FOUR_RATERS).value == pytest.approx(GWET["percent agreement"], abs=5e-6)


@pytest.mark.parametrize(("measure", "name"), [(gwet_ac, "gwet AC1"), (fleiss_kappa, "fleiss kappa")])
def test_gwets_four_raters_have_the_published_value_error_and_interval(measure, name):
    found, published = measure(FOUR_RATERS), GWET[name]
    assert found.value == pytest.approx(published["value"], abs=5e-6)
    assert found.standard_error == pytest.approx(published["standard error"], abs=5e-6)
    reach = t_quantile(0.95, found.n["units"] - 1) * found.standard_error
    ends = (found.value - reach, min(found.value + reach, 1))
    assert ends == pytest.approx((published["low"], published["high"]), abs=5e-4)
    if measure is gwet_ac:
        assert (found.low, found.high) == pytest.approx(ends)


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
    pseudo = [n * found.value - (n - 1) * value for value in left_out]
    reach = t_quantile(0.95, n - 1) * np.std(pseudo, ddof=1) / np.sqrt(n)
    assert found.low == pytest.approx(max(-1, min(found.value, np.mean(pseudo) - reach)), abs=1e-7)
    assert found.high == pytest.approx(min(1, max(found.value, np.mean(pseudo) + reach)), abs=1e-7)


def test_a_unit_without_which_nothing_varies_leaves_the_linearised_interval_of_fleiss():
    found = fleiss_kappa([[1, 1]] * 9 + [[1, 2]])
    assert found.method == "fleiss kappa, identity weights; t interval over units"
    reach = t_quantile(0.95, 9) * found.standard_error
    assert (found.low, found.high) == pytest.approx((found.value - reach, found.value + reach))


def test_fleiss_kappa_of_the_psychiatrists_is_as_published():
    assert fleiss_kappa(PSYCHIATRISTS).value == pytest.approx(FLEISS["kappa"], abs=5e-4)
    assert percent_agreement(PSYCHIATRISTS).value == pytest.approx(FLEISS["agreement"], abs=5e-4)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(
    ("measure", "chance"), [(percent_agreement, "none"), (fleiss_kappa, "fleiss"), (gwet_ac, "gwet")]
)
@given(rows=ratings_with_gaps)
def test_agrees_with_counting_pair_by_pair(measure, chance, weights, rows):
    expected = plain(rows, weights, chance)
    assert measure(rows, weights=weights).value == (None if expected is None else pytest.approx(expected, abs=1e-9))


@pytest.mark.parametrize(("measure", "chance"), [(fleiss_kappa, "fleiss"), (gwet_ac, "gwet")])
@given(rows=st.lists(st.lists(st.integers(1, 3), min_size=3, max_size=3), min_size=6, max_size=12))
def test_the_standard_error_is_near_the_jackknife_of_the_plain_coefficient(measure, chance, rows):
    # Leaving out a unit must not lose a category, as that changes the coefficient itself.
    assume(all(sum(value in row for row in rows) > 2 for value in (1, 2, 3)))
    found = measure(rows)
    left_out = [plain(rows[:index] + rows[index + 1 :], "identity", chance) for index in range(len(rows))]
    jackknife = np.sqrt((len(rows) - 1) * np.var(left_out))
    if found.standard_error is None:
        assert jackknife < 1e-6
    else:
        assert found.standard_error == pytest.approx(jackknife, rel=0.35, abs=0.02)


def test_one_prevailing_category_hurts_fleiss_and_not_gwet():
    ratings = [[1, 1]] * 48 + [[1, 2], [2, 1]]
    assert fleiss_kappa(ratings).value < 0 < 0.9 < gwet_ac(ratings).value


def test_the_whole_scale_counts_for_gwet_if_it_is_given():
    ratings = [[1, 1], [2, 2], [1, 2], [2, 2]]
    assert gwet_ac(ratings, categories=[1, 2, 3, 4, 5]).value > gwet_ac(ratings).value


def test_equal_ratings_on_a_known_scale_agree_fully_by_gwet():
    found = gwet_ac([[3, 3], [3, 3]], categories=[1, 2, 3])
    assert (found.value, found.low) == (1.0, None)


def test_units_with_one_rating_tell_about_chance_only():
    found = gwet_ac([[1, 1], [2, 1], [2, None], [None, None]])
    assert (found.n["units"], found.n["units with two ratings"]) == (3, 2)


@pytest.mark.parametrize("measure", [gwet_ac, fleiss_kappa, percent_agreement])
def test_weights_by_distance_need_numbers(measure):
    with pytest.raises(UsageError, match="numbers"):
        measure([["a", "b"], ["b", "b"]], weights="linear")


def test_given_weights_must_fit_the_categories():
    with pytest.raises(UsageError, match="3 × 3"):
        gwet_ac([[1, 2], [2, 3]], weights=[[1, 0], [0, 1]])


def test_given_weights_are_used():
    ratings = [[1, 2], [2, 3], [3, 3], [1, 1]]
    table = [[1, 0.75, 0], [0.75, 1, 0.75], [0, 0.75, 1]]
    assert gwet_ac(ratings, weights=table).value == gwet_ac(ratings, weights="quadratic").value


def test_unknown_weights_are_an_error():
    with pytest.raises(UsageError, match="cubic"):
        fleiss_kappa([[1, 2]], weights="cubic")


def test_continuous_scores_by_the_hundred_thousand_are_no_categories():
    found = gwet_ac(np.random.default_rng(0).normal(size=(100_000, 3)))
    assert found.value is None
    assert "round the scores" in found.reason
