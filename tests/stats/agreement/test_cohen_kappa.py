import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden_values import golden
from venire.errors import UsageError
from venire.stats.agreement.cohen_kappa import cohen_kappa

COHEN = golden("cohen_1968")
EVERITT = golden("fleiss_cohen_everitt_1969")


def cases(golden):
    return [
        [row, column]
        for row, shares in enumerate(golden["shares"])
        for column, share in enumerate(shares)
        for _ in range(round(share * golden["cases"]))
    ]


def plain_kappa(rows, power):
    """One minus the mean disagreement of what was paired over that of everything with everything."""
    pairs = [row for row in rows if None not in row]

    def disagreement(a, b):
        return float(a != b) if power == 0 else abs(a - b) ** power

    observed = np.mean([disagreement(a, b) for a, b in pairs])
    expected = np.mean([disagreement(a, b) for a, _ in pairs for _, b in pairs])
    return None if expected == 0 else 1 - observed / expected


def test_plain_and_weighted_kappa_of_cohens_cases_are_as_published():
    disagreement = np.array(COHEN["disagreement"])
    assert cohen_kappa(cases(COHEN)).value == pytest.approx(COHEN["kappa"], abs=5e-4)
    weighted = cohen_kappa(cases(COHEN), weights=1 - disagreement / disagreement.max())
    assert weighted.value == pytest.approx(COHEN["weighted kappa"], abs=5e-4)


@pytest.mark.parametrize(("name", "weighted"), [("kappa", False), ("weighted kappa", True)])
def test_the_standard_error_is_as_published(name, weighted):
    found = cohen_kappa(cases(EVERITT), weights=EVERITT["agreement"] if weighted else "identity")
    assert found.value == pytest.approx(EVERITT[name]["value"], abs=5e-4)
    assert found.standard_error**2 == pytest.approx(EVERITT[name]["variance"], abs=5e-7)


@pytest.mark.parametrize(("weights", "power"), [("identity", 0), ("linear", 1), ("quadratic", 2)])
@given(
    rows=st.lists(st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=2, max_size=2), min_size=1, max_size=12)
)
def test_agrees_with_comparing_everything_with_everything(weights, power, rows):
    found = cohen_kappa(rows, weights=weights)
    if all(None in row for row in rows):
        assert (found.value, found.reason) == (None, "no unit was rated by both")
        return
    expected = plain_kappa(rows, power)
    assert found.value == (None if expected is None else pytest.approx(expected, abs=1e-9))


@given(rows=st.lists(st.lists(st.integers(1, 4), min_size=2, max_size=2), min_size=3, max_size=30))
def test_quadratic_kappa_does_not_depend_on_which_rater_is_first(rows):
    swapped = [row[::-1] for row in rows]
    first, second = cohen_kappa(rows, weights="quadratic"), cohen_kappa(swapped, weights="quadratic")
    assert first.value == (None if second.value is None else pytest.approx(second.value))


def test_labels_are_compared_as_they_are():
    assert cohen_kappa([["yes", "yes"], ["no", "no"], ["no", "yes"], ["no", "no"]]).value == pytest.approx(0.5)


def test_unused_numbers_between_levels_do_not_change_weighted_kappa():
    rows = [[1, 1], [1, 9], [9, 9], [4, 1], [4, 4]]
    assert cohen_kappa(rows, weights="linear").value == pytest.approx(plain_kappa(rows, 1))


def test_three_raters_are_sent_to_other_measures():
    with pytest.raises(UsageError, match="two raters; found 3"):
        cohen_kappa([[1, 2, 3]])


def test_units_that_one_did_not_rate_are_counted():
    assert cohen_kappa([[1, 1], [2, None], [2, 2]]).n["units left out"] == 1


@pytest.mark.parametrize("weights", ["identity", "linear", "quadratic"])
@pytest.mark.parametrize("units", [12, 40, 300])
def test_a_rater_who_always_says_the_same_leaves_no_interval_of_rounding(units, weights):
    second = np.random.default_rng(units).integers(1, 6, units)
    found = cohen_kappa(np.column_stack([np.ones(units), second]), weights=weights)
    assert found.value == pytest.approx(0, abs=1e-12)
    assert (found.low, found.standard_error) == (None, None)
