import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from golden_values import golden
from venire.stats.agreement.chance_corrected import percent_agreement
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac

GWET = golden("gwet_four_raters")


FOUR_RATERS = list(zip(*GWET["raters"], strict=True))


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


def test_units_with_one_rating_tell_about_chance_only():
    found = gwet_ac([[1, 1], [2, 1], [2, None], [None, None]])
    assert (found.n["units"], found.n["units with two ratings"]) == (3, 2)


def test_continuous_scores_by_the_hundred_thousand_are_no_categories():
    found = gwet_ac(np.random.default_rng(0).normal(size=(100_000, 3)))
    assert found.value is None
    assert "round the scores" in found.reason
