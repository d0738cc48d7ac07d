import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, stats

from golden_values import golden
from venire.errors import UsageError
from venire.stats.uncertainty.clustered import clustered_mean
from venire.stats.uncertainty.intervals import t_interval

CASE = golden("uncertainty_table")["clustered"]
ROWS = st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 6)), min_size=2, max_size=40)


def test_the_clustered_mean_gives_the_golden_table():
    estimate = clustered_mean(CASE["values"], CASE["clusters"], kind="CR1")
    for field, expected in CASE["expected"].items():
        assert getattr(estimate, field) == pytest.approx(expected, rel=1e-10), field


@given(ROWS)
def test_the_standard_error_is_the_double_sum_over_pairs_in_a_cluster(rows):
    values = np.array([value for value, _ in rows], dtype=float)
    clusters = [cluster for _, cluster in rows]
    estimate = clustered_mean(values, clusters, kind="CR1")
    groups, mean = len(set(clusters)), values.mean()
    pairs = sum(
        (values[i] - mean) * (values[j] - mean)
        for i in range(len(rows))
        for j in range(len(rows))
        if clusters[i] == clusters[j]
    )
    assert estimate.value == pytest.approx(mean)
    if groups == 1 or pairs <= 1e-9:
        assert estimate.low is None
        assert estimate.reason
    else:
        assert estimate.standard_error == pytest.approx(math.sqrt(groups / (groups - 1) * pairs) / len(rows))
        plain = clustered_mean(values, clusters, kind="CR0")
        assert plain.standard_error == pytest.approx(math.sqrt(pairs) / len(rows))


# statsmodels 0.15.0: `OLS(values, ones)`, `cov_type="cluster"`, `use_correction` False and True.
@pytest.mark.parametrize(("kind", "error"), [("CR0", 0.5497535573012988), ("CR1", 0.6348007285917185)])
def test_errors_with_and_without_correction_are_those_of_statsmodels(kind, error):
    values = [7.1, 6.4, 8.0, 5.5, 6.9, 7.7, 4.2, 5.0, 6.1, 8.8, 9.1, 7.3]
    found = clustered_mean(values, [0, 0, 0, 1, 1, 2, 2, 2, 2, 3, 3, 3], kind=kind)
    assert found.value == pytest.approx(6.841666666666669, rel=1e-14)
    assert found.standard_error == pytest.approx(error, rel=1e-13)


@pytest.mark.parametrize("seed", range(5))
def test_cr2_and_its_degrees_of_freedom_are_those_of_the_matrices_written_out(seed):
    generator = np.random.default_rng(seed)
    clusters = np.sort(generator.integers(0, 6, 30))
    values, n, groups = generator.normal(size=30), 30, np.unique(clusters)
    hat = np.full((n, n), 1 / n)
    rest = np.eye(n) - hat
    weights = []
    for group in groups:
        inside = np.where(clusters == group)[0]
        own = linalg.fractional_matrix_power(np.eye(len(inside)) - hat[np.ix_(inside, inside)], -0.5)
        weight = np.zeros(n)
        weight[inside] = own @ np.full(len(inside), 1 / n)
        weights.append(rest @ weight)
    error = math.sqrt(sum((weight @ values) ** 2 for weight in weights))
    products = np.array(weights) @ np.array(weights).T
    degrees = np.trace(products) ** 2 / (products**2).sum()
    found = clustered_mean(values, clusters)
    assert found.standard_error == pytest.approx(error)
    assert found.high - found.value == pytest.approx(stats.t.ppf(0.975, degrees) * error)


def test_a_correction_that_is_not_known_is_an_error():
    with pytest.raises(UsageError, match="CR2"):
        clustered_mean([1, 2], [1, 2], kind="CR3")


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=20).filter(lambda values: np.ptp(values) > 1e-3))
def test_clusters_of_one_give_the_plain_t_interval(values):
    clustered, plain = clustered_mean(values, [f"q{i}" for i in range(len(values))]), t_interval(values)
    assert (clustered.low, clustered.high) == pytest.approx((plain.low, plain.high), abs=1e-9)


def test_doubling_every_row_inside_its_cluster_adds_no_certainty():
    values, clusters = CASE["values"], CASE["clusters"]
    once, twice = clustered_mean(values, clusters), clustered_mean(values * 2, clusters * 2)
    assert twice.standard_error == pytest.approx(once.standard_error)


def test_missing_values_and_clusters_are_left_out_and_counted():
    estimate = clustered_mean([1, 2, None, 4, 9], ["a", "b", "b", "c", None])
    assert estimate.n == {"values": 3, "clusters": 3, "missing": 2}
    assert estimate.value == pytest.approx(7 / 3)


@pytest.mark.parametrize(
    ("values", "clusters", "value", "reason"),
    [
        ([], [], None, "no observations"),
        ([None, None], [1, 2], None, "no observations"),
        ([3.0], [1], 3.0, "one observation"),
        ([1.0, 2.0], [1, 1], 1.5, "one cluster"),
        ([2.5, 2.5, 2.5], [1, 2, 3], 2.5, "no variation"),
    ],
)
def test_too_little_gives_no_interval_and_says_why(values, clusters, value, reason):
    estimate = clustered_mean(values, clusters)
    assert (estimate.value, estimate.low) == (value, None)
    assert reason in estimate.reason


def test_a_million_rows_are_a_value():
    generator = np.random.default_rng(5)
    clusters = generator.integers(0, 1000, 1_000_000).astype(np.int16)
    estimate = clustered_mean(generator.integers(0, 2, 1_000_000).astype(np.int8), clusters)
    assert estimate.n["clusters"] == 1000
    assert 0.49 < estimate.value < 0.51
    assert 0.0004 < estimate.standard_error < 0.0006


def test_lists_of_different_length_are_an_error():
    with pytest.raises(UsageError, match="as many values as clusters"):
        clustered_mean([1, 2, 3], [1, 2])


@pytest.mark.parametrize("offset", [0.0, 3.7, 1e6])
def test_deviations_that_cancel_in_every_cluster_leave_no_interval_of_rounding(offset):
    values = np.array([0.1, 0.2, -0.3, 0.3, -0.1, -0.2, 0.7, -0.6, -0.1]) + offset
    estimate = clustered_mean(values, [0, 0, 0, 1, 1, 1, 2, 2, 2])
    assert (estimate.low, estimate.reason) == (None, "no variation between clusters")
