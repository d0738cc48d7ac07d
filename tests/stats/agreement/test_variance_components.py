import numpy as np
import pytest
from scipy.optimize import minimize

from golden_values import golden
from venire.stats.agreement.icc import icc
from venire.stats.agreement.variance_components import variance_components

PUBLISHED = golden("shrout_fleiss_1979")


TARGETS = np.array(PUBLISHED["targets"], dtype=float)


def dense_reml(scores):
    """Restricted maximum likelihood with the covariance matrix of all ratings written out."""
    unit, rater = np.nonzero(~np.isnan(scores))
    y = scores[unit, rater]
    same_unit, same_rater = unit[:, None] == unit, rater[:, None] == rater
    ones = np.ones((len(y), 1))

    def loss(logs):
        a, b, c = np.exp(logs)
        v = a * same_unit + b * same_rater + c * np.eye(len(y))
        inverse = np.linalg.inv(v)
        information = ones.T @ inverse @ ones
        residual = y - (ones @ np.linalg.solve(information, ones.T @ inverse @ y)).ravel()
        return np.linalg.slogdet(v)[1] + np.linalg.slogdet(information)[1] + residual @ inverse @ residual

    best = minimize(loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-8, "fatol": 1e-10, "maxiter": 4000})
    a, b, c = np.exp(best.x)
    return a / (a + b + c)


@pytest.mark.parametrize("form", ["2,1", "3,1"])
@pytest.mark.parametrize("spread", [0.1, 20.0])
def test_the_mixed_model_finds_small_and_large_shares_of_many_units(form, spread):
    generator = np.random.default_rng(4)
    noise = generator.normal(size=(3000, 5)) + generator.normal(0, 0.3, (1, 5))
    scores = noise + spread * generator.normal(size=(3000, 1))
    assert icc(scores, form, missing="mixed model").value == pytest.approx(icc(scores, form).value, abs=1e-6)


def test_the_mixed_model_agrees_with_the_likelihood_written_out():
    scores = TARGETS.copy()
    scores[0, 1] = scores[3, 2] = scores[4, 0] = np.nan
    assert icc(scores, "2,1", missing="mixed model").value == pytest.approx(dense_reml(scores), abs=1e-4)


def test_the_mixed_model_keeps_every_rating():
    scores = TARGETS.copy()
    scores[:, 0] = [9, np.nan, 8, np.nan, 10, np.nan]
    assert icc(scores, missing="mixed model").n == {"units": 6, "raters": 4, "ratings": 21}


def test_the_mixed_model_never_gives_a_negative_share():
    assert icc([[1, 5], [5, 1], [2, 4], [4, 2]], "1,1", missing="mixed model").value == pytest.approx(0, abs=1e-6)


def test_raters_that_are_fixed_have_no_variance_of_their_own():
    scores = np.random.default_rng(3).normal(0, 1, (30, 1)) + np.array([[0.0, 1.0, 2.0]])
    noise = np.random.default_rng(4).normal(0, 0.5, scores.shape)
    fixed, random = (variance_components(scores + noise, raters=raters) for raters in ("fixed", "random"))
    assert fixed.rater == 0.0 < random.rater
    assert fixed.unit == pytest.approx(random.unit, rel=0.1)
