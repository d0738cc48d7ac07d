"""Errors over clusters: against the matrices of Bell and McCaffrey, and against values that stand alone."""

import math

import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.uncertainty.cluster_robust import require_correction, robust_error

VALUES = np.array([1.0, 2.0, 4.0, 3.0, 7.0, 5.0, 6.0])
CODES = np.array([0, 0, 1, 1, 1, 2, 3])


def bell_mccaffrey(values, codes):
    """Give CR2's error of a mean and Satterthwaite's degrees of freedom by whole matrices."""
    n = len(values)
    ones = np.ones((n, 1))
    hat = ones @ ones.T / n
    residual = np.eye(n) - hat
    rest = values - values.mean()
    variance, vectors = 0.0, []
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        block = residual[np.ix_(own, own)]
        eigen, basis = np.linalg.eigh(block)
        root = basis @ np.diag(np.where(eigen > 1e-12, eigen, 1.0) ** -0.5) @ basis.T
        variance += float(root @ rest[own] @ np.ones(len(own))) ** 2 / n**2
        vectors.append(residual[:, own] @ root @ np.ones(len(own)) / n)
    gram = np.array([[one @ two for two in vectors] for one in vectors])
    return math.sqrt(variance), np.trace(gram) ** 2 / (gram**2).sum()


def test_one_mean_has_the_error_of_bell_and_mccaffrey():
    found = robust_error([(VALUES, CODES)])
    error, degrees = bell_mccaffrey(VALUES, CODES)
    assert found.error == pytest.approx(error)
    assert found.degrees == pytest.approx(degrees)
    assert found.clusters == 4


def test_values_that_stand_alone_have_the_plain_standard_error():
    found = robust_error([(VALUES, np.arange(7))])
    assert found.error == pytest.approx(VALUES.std(ddof=1) / math.sqrt(7))
    assert found.degrees == pytest.approx(6)


def test_corrections_without_a_model_sum_squares_of_clusters():
    apart = VALUES - VALUES.mean()
    squares = sum(apart[code == CODES].sum() ** 2 for code in range(4)) / 7**2
    plain, larger = (robust_error([(VALUES, CODES)], kind=kind) for kind in ("CR0", "CR1"))
    assert plain.error == pytest.approx(math.sqrt(squares))
    assert larger.error == pytest.approx(math.sqrt(squares * 4 / 3))
    assert (plain.degrees, larger.degrees) == (3, 3)
    assert robust_error([(VALUES, np.zeros(7, dtype=int))], kind="CR1").error == pytest.approx(0.0)


def test_strata_without_a_common_cluster_add_their_variances():
    other = np.array([2.0, 9.0, 4.0])
    both = robust_error([(VALUES, np.arange(7)), (other, np.arange(7, 10))])
    assert both.error == pytest.approx(math.hypot(VALUES.std(ddof=1) / math.sqrt(7), other.std(ddof=1) / math.sqrt(3)))
    assert both.clusters == 10
    apart = VALUES.var(ddof=1) / 7, other.var(ddof=1) / 3
    welch = sum(apart) ** 2 / (apart[0] ** 2 / 6 + apart[1] ** 2 / 2)
    assert both.degrees == pytest.approx(welch)


def test_a_cluster_in_two_strata_is_summed_before_it_is_squared():
    opposite = robust_error([(VALUES, np.arange(7)), (-VALUES, np.arange(7))])
    alike = robust_error([(VALUES, np.arange(7)), (VALUES, np.arange(7))])
    assert opposite.error == pytest.approx(0.0, abs=1e-12)
    assert alike.error == pytest.approx(2 * VALUES.std(ddof=1) / math.sqrt(7))


def test_one_cluster_gives_no_error_that_could_be_relied_on():
    found = robust_error([(VALUES, np.zeros(7, dtype=int))])
    assert (found.error, found.degrees, found.clusters) == (math.inf, 0.0, 1)


def test_equal_values_have_no_error():
    found = robust_error([(np.full(4, 2.5), np.array([0, 0, 1, 2]))])
    assert found.error == 0.0
    assert found.degrees > 1


def test_only_known_corrections_are_taken():
    require_correction("CR2")
    with pytest.raises(UsageError) as caught:
        require_correction("CR3")
    assert caught.value.values == {"known": ("CR2", "CR1", "CR0"), "found": "CR3"}
