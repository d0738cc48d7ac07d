import pytest

from venire.errors import UsageError
from venire.stats.agreement.chance_corrected import percent_agreement
from venire.stats.agreement.fleiss_kappa import fleiss_kappa
from venire.stats.agreement.gwet_ac import gwet_ac


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
