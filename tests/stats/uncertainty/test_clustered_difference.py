import numpy as np
import pytest
from scipy import linalg, stats

from venire.stats.uncertainty.clustered_difference import difference_of_means, slope_within


def test_a_difference_of_means_without_clusters_has_the_error_of_two_sample_variances():
    rng = np.random.default_rng(7)
    values, first = rng.normal(size=30), np.arange(30) < 12
    found = difference_of_means(values, first, np.arange(30))
    inside, outside = values[first], values[~first]
    assert found.value == pytest.approx(inside.mean() - outside.mean())
    variance = inside.var(ddof=1) / 12 + outside.var(ddof=1) / 18  # HC2 of a regression on one indicator
    assert found.standard_error == pytest.approx(np.sqrt(variance))


def test_a_slope_inside_clusters_is_that_of_a_regression_with_an_intercept_for_each():
    rng = np.random.default_rng(8)
    x, clusters = rng.normal(size=40), np.repeat(np.arange(8), 5)
    y = 2 * x + clusters + rng.normal(size=40)
    design = np.column_stack([x, np.equal.outer(clusters, np.arange(8))])
    coefficients, *_ = np.linalg.lstsq(design, y, rcond=None)
    residuals = y - design @ coefficients
    bread = np.linalg.inv(design.T @ design)
    found = slope_within(y, x, clusters)
    assert found.value == pytest.approx(coefficients[0])
    # CR2 of the slope alone: intercepts of the clusters themselves are taken out of scores and predictor first.
    centred = x - np.bincount(clusters, weights=x)[clusters] / 5
    own = [centred[clusters == g] for g in range(8)]
    hats = [linalg.fractional_matrix_power(np.eye(5) - np.outer(z, z) / (centred @ centred), -0.5) for z in own]
    scores = [z @ hat @ residuals[clusters == g] for g, (z, hat) in enumerate(zip(own, hats, strict=True))]
    assert np.sqrt(bread[0, 0]) == pytest.approx(1 / np.sqrt(centred @ centred))
    assert found.standard_error == pytest.approx(np.sqrt(np.square(scores).sum()) * bread[0, 0])


def test_a_difference_whose_deviations_cancel_leaves_no_interval_of_rounding():
    values = np.array([0.1, 0.2, -0.3, 0.3, -0.1, -0.2, 0.7, -0.6, -0.1, 0.4, -0.5, 0.1]) + 1e6
    found = difference_of_means(values, np.arange(12) < 6, np.repeat([0, 1, 2, 3], 3))
    assert (found.low, found.reason) == (None, "no variation: its uncertainty is not known")


def test_sides_without_a_common_cluster_are_compared_as_by_welch():
    generator = np.random.default_rng(4)
    values, first = generator.normal(size=33), np.arange(33) < 3
    found = difference_of_means(values, first, np.arange(33))
    expected = stats.ttest_ind(values[first], values[~first], equal_var=False).confidence_interval()
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
