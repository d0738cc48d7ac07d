"""Disagreement by each metric: alpha as Krippendorff's coincidences give it, pair by pair."""

import itertools

import numpy as np
import pytest

from venire.stats.agreement.disagreement import CountedDisagreement, IntervalDisagreement, alpha_method

COUNTS = np.array([[2, 0, 1, 0], [0, 3, 0, 1], [1, 1, 1, 0], [0, 0, 0, 2]], dtype=float)
VALUES = np.array([1.0, 2.0, 4.0, 5.0])


def by_pairs(metric):
    """Compute alpha from all ordered pairs of ratings, as Krippendorff (2011) defines it."""
    totals = COUNTS.sum(axis=0)

    def apart(c, k):
        low, high = min(c, k), max(c, k)
        return {
            "nominal": float(c != k),
            "interval": (VALUES[c] - VALUES[k]) ** 2,
            "ratio": ((VALUES[c] - VALUES[k]) / (VALUES[c] + VALUES[k])) ** 2,
            "ordinal": (totals[low : high + 1].sum() - (totals[c] + totals[k]) / 2) ** 2,
        }[metric]

    observed = expected = 0.0
    for row in COUNTS:
        ratings = [value for value, times in enumerate(row) for _ in range(int(times))]
        observed += sum(apart(c, k) for c, k in itertools.permutations(ratings, 2)) / (len(ratings) - 1)
    everyone = [value for value, times in enumerate(totals) for _ in range(int(times))]
    expected = sum(apart(c, k) for c, k in itertools.permutations(everyone, 2)) / (len(everyone) - 1)
    return 1 - observed / expected


@pytest.mark.parametrize("metric", ["nominal", "ordinal", "ratio"])
def test_alpha_of_counts_is_that_of_all_pairs(metric):
    found = CountedDisagreement(COUNTS, VALUES, metric)
    assert found.reason == ""
    assert found.sizes.tolist() == [3, 4, 3, 2]
    assert found.alpha(np.ones((1, 4)))[0] == pytest.approx(by_pairs(metric))


def test_alpha_of_differences_is_the_same_from_counts_and_from_scores():
    scores = np.full((4, 4), np.nan)
    for row, counts in enumerate(COUNTS):
        ratings = np.repeat(VALUES, counts.astype(int))
        scores[row, : len(ratings)] = ratings
    for found in (IntervalDisagreement.from_scores(scores), IntervalDisagreement.from_counts(COUNTS, VALUES)):
        assert found.sizes.tolist() == [3, 4, 3, 2]
        assert not found.constant
        assert found.reason == ""
        assert found.alpha(np.ones((1, 4)))[0] == pytest.approx(by_pairs("interval"))


def test_weights_stand_for_repeated_patterns():
    twice = CountedDisagreement(np.vstack([COUNTS, COUNTS[:1]]), VALUES, "ordinal").alpha(np.ones((1, 5)))
    assert CountedDisagreement(COUNTS, VALUES, "ordinal").alpha(np.array([[2.0, 1, 1, 1]])) == pytest.approx(twice)
    interval = IntervalDisagreement.from_counts(np.vstack([COUNTS, COUNTS[:1]]), VALUES).alpha(np.ones((1, 5)))
    assert IntervalDisagreement.from_counts(COUNTS, VALUES).alpha(np.array([[2.0, 1, 1, 1]])) == pytest.approx(interval)


def test_without_variation_or_pairs_alpha_is_not_known():
    alike = np.array([[3.0, 0.0], [2.0, 0.0]])
    for found in (
        CountedDisagreement(alike, np.array([1.0, 2.0]), "nominal"),
        IntervalDisagreement.from_counts(alike, np.array([1.0, 2.0])),
        IntervalDisagreement.from_scores(np.array([[4.0, 4.0], [4.0, 4.0]])),
    ):
        assert found.reason.code == "reason.no_variation"
    for found in (
        CountedDisagreement(np.zeros((0, 2)), np.array([1.0, 2.0]), "nominal"),
        IntervalDisagreement.from_counts(np.zeros((0, 2)), np.array([1.0, 2.0])),
        IntervalDisagreement.from_scores(np.zeros((0, 2))),
    ):
        assert found.reason
        assert found.reason != "reason.no_variation"
    some = CountedDisagreement(COUNTS, VALUES, "nominal").alpha(np.array([[0.0, 0, 0, 1], [1, 1, 1, 1]]))
    assert np.isnan(some).tolist() == [True, False]
    drawn = IntervalDisagreement.from_counts(COUNTS, VALUES).alpha(np.array([[0.0, 0, 0, 1], [1, 1, 1, 1]]))
    assert np.isnan(drawn).tolist() == [True, False]


def test_ratios_need_values_from_zero_on_and_not_too_many():
    two = np.array([[1.0, 1.0], [2.0, 0.0]])
    assert CountedDisagreement(two, np.array([-1.0, 2.0]), "ratio").reason.code == "reason.ratio_negative"
    assert CountedDisagreement(two, np.array([0.0, 2.0]), "ratio").reason == ""
    assert CountedDisagreement(two, np.array([-1.0, 2.0]), "ordinal").reason == ""
    many = CountedDisagreement(np.ones((1, 4097)), np.arange(4097.0), "ratio")
    assert many.reason.values == {"limit": 4096, "found": 4097}
    assert CountedDisagreement(np.ones((1, 4096)), np.arange(4096.0), "ratio").reason == ""


def test_a_method_names_its_metric():
    assert len({str(alpha_method(metric)) for metric in ("nominal", "ordinal", "interval", "ratio")}) == 4
