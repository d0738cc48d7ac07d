import numpy as np
import pytest

from golden_values import golden
from venire.errors import UsageError
from venire.stats.agreement.icc import FORMS, icc

PUBLISHED = golden("shrout_fleiss_1979")


TARGETS = np.array(PUBLISHED["targets"], dtype=float)


@pytest.mark.parametrize("form", FORMS)
def test_gives_the_values_that_shrout_and_fleiss_published(form):
    assert icc(TARGETS, form).value == pytest.approx(PUBLISHED["icc"][form], abs=0.005)


@pytest.mark.parametrize("form", FORMS)
def test_the_mixed_model_gives_the_mean_squares_where_nothing_is_missing(form):
    assert icc(TARGETS, form, missing="mixed model").value == pytest.approx(icc(TARGETS, form).value, abs=1e-5)


def test_excluded_units_are_counted():
    scores = TARGETS.copy()
    scores[0, 1] = np.nan
    found = icc(scores, "3,1")
    assert found.value == icc(TARGETS[1:], "3,1").value
    assert (found.n["units"], found.n["units left out"]) == (5, 1)


def test_perfect_agreement_is_one_without_an_interval():
    found = icc([[1, 1], [2, 2], [4, 4]], "2,1")
    assert (found.value, found.low) == (1.0, None)
    assert found.reason.startswith("no interval")


def test_a_large_mean_and_a_large_scale_do_not_matter():
    assert icc(TARGETS * 1e150 + 1e152).value == pytest.approx(icc(TARGETS).value, rel=1e-9)


def test_unknown_forms_and_policies_are_errors():
    with pytest.raises(UsageError, match="4,1"):
        icc(TARGETS, "4,1")
    with pytest.raises(UsageError, match="zero"):
        icc(TARGETS, missing="zero")


def test_labels_have_no_variance():
    with pytest.raises(UsageError, match="numbers"):
        icc([["a", "b"], ["b", "b"]])
