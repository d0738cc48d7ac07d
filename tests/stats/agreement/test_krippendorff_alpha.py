import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from golden_values import golden
from venire.errors import InputError, UsageError
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha

METRICS = ("nominal", "ordinal", "interval", "ratio")
PUBLISHED = golden("krippendorff_2011")["examples"]

ratings_with_gaps = st.integers(1, 4).flatmap(
    lambda raters: st.lists(
        st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=raters, max_size=raters), min_size=1, max_size=8
    )
)


def plain_alpha(rows, metric):
    """Alpha as it is defined: the mean over all pairs within units against the mean over all pairs."""
    units = [[value for value in row if value is not None] for row in rows]
    units = [unit for unit in units if len(unit) > 1]
    values = [value for unit in units for value in unit]

    def squared(a, b):
        if metric == "nominal":
            return float(a != b)
        if metric == "interval":
            return float(a - b) ** 2
        if metric == "ratio":
            return ((a - b) / (a + b)) ** 2 if a + b else 0.0
        low, high = min(a, b), max(a, b)
        between = sum(low <= value <= high for value in values)
        return (between - (values.count(a) + values.count(b)) / 2) ** 2

    if len(set(values)) < 2:
        return None
    observed = sum(
        sum(squared(a, b) for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units
    ) / len(values)
    expected = sum(squared(a, b) for a, b in itertools.permutations(values, 2)) / len(values) / (len(values) - 1)
    return 1 - observed / expected


@pytest.mark.parametrize(
    ("example", "metric"),
    [(example, metric) for example in PUBLISHED for metric in example["alpha"]],
    ids=lambda part: part if isinstance(part, str) else part["name"],
)
def test_gives_the_values_that_krippendorff_published(example, metric):
    ratings = list(zip(*example["raters"], strict=True))
    assert krippendorff_alpha(ratings, metric).value == pytest.approx(example["alpha"][metric], abs=0.0005)


@pytest.mark.parametrize("metric", METRICS)
@given(rows=ratings_with_gaps)
def test_is_one_minus_observed_over_expected_disagreement(metric, rows):
    expected = plain_alpha(rows, metric)
    found = krippendorff_alpha(rows, metric)
    assert found.value == (None if expected is None else pytest.approx(expected, abs=1e-9))


@pytest.mark.parametrize("metric", METRICS)
@given(rows=ratings_with_gaps)
def test_many_distinct_values_give_what_the_definition_gives(metric, rows):
    spread = [[None if value is None else value * 1000.5 + index for value in row] for index, row in enumerate(rows)]
    expected = plain_alpha(spread, metric)
    found = krippendorff_alpha(spread, metric)
    assert found.value == (None if expected is None else pytest.approx(expected, abs=1e-9))


@pytest.mark.parametrize("metric", METRICS)
def test_a_sparse_table_of_very_many_values_gives_the_same_alpha(metric, monkeypatch):
    scores = np.random.default_rng(3).normal(size=(60, 4)) ** 2
    full = krippendorff_alpha(scores, metric, replicates=400, seed=1)
    monkeypatch.setattr("venire.stats.ratings.patterns.DENSE_CELLS", 10)
    sparse = krippendorff_alpha(scores, metric, replicates=400, seed=1)
    assert sparse.value == pytest.approx(full.value)
    # Units stand in another order, so that other ones are drawn.
    assert sparse.standard_error == pytest.approx(full.standard_error, rel=0.2)


def test_units_with_one_rating_are_left_out_and_counted():
    found = krippendorff_alpha([[1, 1], [2, None], [3, 2], [None, None]])
    assert (found.n["units"], found.n["units left out"], found.n["ratings"]) == (2, 2, 4)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int64, np.float32])
@pytest.mark.parametrize("metric", METRICS)
def test_narrow_integers_do_not_overflow(dtype, metric):
    ratings = np.array([[0, 127], [100, 120], [3, 5], [127, 0], [90, 80]])
    assert krippendorff_alpha(ratings.astype(dtype), metric).value == pytest.approx(
        plain_alpha(ratings.tolist(), metric)
    )


def test_the_whole_range_of_a_signed_byte_fits():
    ratings = np.array([[-128, 127], [-100, -90], [3, 5]])
    found = krippendorff_alpha(ratings.astype(np.int8))
    assert found.value == pytest.approx(plain_alpha(ratings.tolist(), "interval"))


def test_a_large_mean_does_not_cancel():
    ratings = np.random.default_rng(0).normal(size=(50, 3))
    assert krippendorff_alpha(ratings + 1e9).value == pytest.approx(krippendorff_alpha(ratings).value, abs=1e-5)


@pytest.mark.parametrize("factor", [1e-300, 1e300])
def test_very_small_and_very_large_scores_keep_alpha(factor):
    ratings = np.random.default_rng(0).normal(size=(50, 3))
    assert krippendorff_alpha(ratings * factor).value == pytest.approx(krippendorff_alpha(ratings).value)


def test_equal_fractions_have_no_variation_in_spite_of_rounding():
    found = krippendorff_alpha(np.full((7, 3), 0.1))
    assert (found.value, found.reason) == (None, "no variation")


def test_missing_values_are_not_a_category():
    ratings = [[1, 1, None], [2, 2, None], [1, 1, None]]
    assert krippendorff_alpha(ratings, "nominal").value == 1.0


def test_labels_need_an_order_for_the_ordinal_metric():
    with pytest.raises(UsageError, match="order of the labels"):
        krippendorff_alpha([["low", "high"], ["mid", "mid"]], "ordinal")


def test_labels_with_an_order_are_not_sorted_by_the_alphabet():
    words = {1: "low", 2: "mid", 3: "top", 4: "best"}
    numbers = [[1, 1], [2, 3], [3, 3], [4, 4], [1, 2]]
    labels = [[words[value] for value in row] for row in numbers]
    found = krippendorff_alpha(labels, "ordinal", categories=list(words.values()))
    assert found.value == krippendorff_alpha(numbers, "ordinal").value


@pytest.mark.parametrize("metric", ["interval", "ratio"])
def test_labels_have_no_distances(metric):
    with pytest.raises(UsageError, match="numbers"):
        krippendorff_alpha([["a", "b"]], metric, categories=["a", "b"])


def test_a_rating_outside_the_scale_is_an_error_that_says_where():
    with pytest.raises(InputError, match="unit 1, rater 0: expected one of"):
        krippendorff_alpha([[1, 2], [6, 1]], categories=[1, 2, 3, 4, 5])


def test_an_unknown_metric_is_an_error():
    with pytest.raises(UsageError, match="polar"):
        krippendorff_alpha([[1, 2]], "polar")


def test_the_ratio_metric_refuses_negative_values():
    found = krippendorff_alpha([[-1, 2], [3, 4]], "ratio")
    assert (found.value, found.reason) == (None, "the ratio metric needs values of 0 or more")


@pytest.mark.parametrize("metric", METRICS)
def test_the_same_seed_gives_the_same_interval(metric):
    ratings = np.random.default_rng(5).integers(1, 6, (30, 3))
    first, second = (krippendorff_alpha(ratings, metric, replicates=200, seed=9) for _ in range(2))
    assert first == second


def test_another_seed_gives_another_interval():
    ratings = np.random.default_rng(5).integers(1, 6, (30, 3))
    first, second = (krippendorff_alpha(ratings, replicates=200, seed=seed) for seed in (1, 2))
    assert (first.low, first.high) != (second.low, second.high)


@pytest.mark.parametrize("metric", METRICS)
def test_the_interval_encloses_the_value_and_says_how_it_was_made(metric):
    quality = np.random.default_rng(1).normal(3, 1, (60, 1))
    ratings = np.clip(np.rint(quality + np.random.default_rng(2).normal(0, 0.7, (60, 4))), 1, 5)
    found = krippendorff_alpha(ratings, metric, replicates=400, seed=4)
    assert found.low < found.value < found.high
    assert (found.level, found.seed, found.n["replicates"]) == (0.95, 4, 400)
    assert "unit bootstrap" in found.method


def test_clusters_of_copies_count_as_one_observation_each():
    base = np.clip(np.rint(np.random.default_rng(1).normal(3, 1.2, (40, 3))), 1, 5)
    copies = np.repeat(base, 10, axis=0)
    alone = krippendorff_alpha(base, replicates=2000, seed=1)
    clustered = krippendorff_alpha(copies, replicates=2000, seed=1, clusters=np.repeat(np.arange(40), 10))
    careless = krippendorff_alpha(copies, replicates=2000, seed=1)
    assert clustered.high - clustered.low == pytest.approx(alone.high - alone.low, rel=0.15)
    assert careless.high - careless.low < 0.5 * (clustered.high - clustered.low)


def test_clusters_of_one_unit_give_the_unit_bootstrap_spread():
    ratings = np.random.default_rng(8).normal(size=(50, 3))
    units = krippendorff_alpha(ratings, replicates=2000, seed=1)
    clusters = krippendorff_alpha(ratings, replicates=2000, seed=1, clusters=[f"q{unit}" for unit in range(50)])
    assert clusters.standard_error == pytest.approx(units.standard_error, rel=0.1)


def test_clusters_must_be_as_many_as_units():
    with pytest.raises(UsageError, match="3 units; found 2"):
        krippendorff_alpha([[1, 2], [2, 2], [3, 1]], replicates=10, clusters=["a", "b"])


def test_a_unit_without_a_cluster_is_an_error():
    with pytest.raises(UsageError, match="units without one"):
        krippendorff_alpha([[1, 2], [2, 2], [3, 1]], replicates=10, clusters=["a", None, "b"])


def test_one_cluster_gives_a_value_without_an_interval():
    found = krippendorff_alpha([[1, 2], [2, 2], [3, 1]], replicates=10, clusters=["a", "a", "a"])
    assert found.value is not None
    assert (found.low, found.reason) == (None, "no interval: fewer than two clusters to draw from")


def test_perfect_agreement_is_one_without_an_interval_that_pretends_certainty():
    found = krippendorff_alpha([[1, 1], [2, 2], [3, 3], [4, 4], [2, 2]], replicates=100)
    assert (found.value, found.low, found.reason) == (1.0, None, "no interval: all replicates are equal")


def test_replicates_without_variation_are_counted():
    found = krippendorff_alpha([[1, 1]] * 8 + [[2, 1]] * 2 + [[2, 2]] * 2, "nominal", replicates=500)
    assert 0 < found.n["replicates without variation"] < 25
    assert found.low is not None


def test_reversed_agreement_is_below_zero():
    assert krippendorff_alpha([[1, 5], [5, 1], [2, 4], [4, 2]]).value < 0


def test_a_million_units_are_counted_by_pattern():
    ratings = np.random.default_rng(0).integers(1, 6, (1_000_000, 5)).astype(np.int8)
    found = krippendorff_alpha(ratings, replicates=100)
    assert math.isclose(found.value, 0, abs_tol=0.01)
    assert found.n["units"] == 1_000_000


@pytest.mark.parametrize("clusters", [False, True])
def test_alpha_of_scores_that_hardly_repeat_leaves_out_units_with_one_rating_and_keeps_those_with_two(clusters):
    rows = np.random.default_rng(7).uniform(0, 100, (60, 6))
    rows[:20, 2:] = np.nan  # two ratings
    rows[20:30, 1:] = np.nan  # one rating
    names = np.repeat(np.arange(12), 5) if clusters else None
    found = krippendorff_alpha(rows, "interval", clusters=names, replicates=50)
    plain = [[None if math.isnan(value) else value for value in row] for row in rows.tolist()]
    assert found.value == pytest.approx(plain_alpha(plain, "interval"), abs=1e-9)
    assert found.n["units"] == 50
