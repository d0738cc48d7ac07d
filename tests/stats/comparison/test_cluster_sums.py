"""Sums of derivatives by cluster: as a plain loop over comparisons gives them, in one go or in parts."""

import numpy as np
import pytest

from venire.stats.comparison import cluster_sums
from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.cluster_sums import ClusterSums, cluster_squares
from venire.stats.comparison.win_matrix import count_wins

RANDOM = np.random.default_rng(2)
ONE = RANDOM.integers(0, 3, 60)
TWO = (ONE + RANDOM.integers(1, 3, 60)) % 3
CLUSTERS = RANDOM.integers(0, 7, 60)
WEIGHTS = RANDOM.random(60) + 0.5


def results(*, ties):
    return RANDOM.permutation(np.resize([1.0, 0.0, 0.5] if ties else [1.0, 0.0], 60))


def fitted(outcome):
    names = np.array(["a", "b", "c"])
    return bradley_terry(count_wins(names[ONE], names[TWO], outcome))


def by_hand(fit, outcome, weights):
    """Add up the score of each comparison in its cluster, by Davidson's model."""
    strengths = np.array([each.value for each in fit.strengths])
    nu = fit.tie.value or 0.0
    sums = np.zeros((7, 4 if nu else 3))
    for one, two, seen, cluster, weight in zip(ONE, TWO, outcome, CLUSTERS, weights, strict=True):
        wins, loses = np.exp(strengths[one]), np.exp(strengths[two])
        tied = nu * np.sqrt(wins * loses)
        total = wins + loses + tied
        pull = weight * (seen - (wins + tied / 2) / total)
        sums[cluster, one] += pull
        sums[cluster, two] -= pull
        if nu:
            sums[cluster, 3] += weight * ((seen == 0.5) - tied / total)
    return sums


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_sums_are_those_of_a_loop_over_comparisons(ties, weights):
    outcome = results(ties=ties)
    fit = fitted(outcome)
    expected = by_hand(fit, outcome, np.ones(60) if weights is None else weights)
    sums = ClusterSums(fit, 7)
    sums.add(ONE, TWO, outcome, CLUSTERS, weights)
    assert sums.table() == pytest.approx(expected, abs=1e-9)
    assert sums.squares() == pytest.approx(expected.T @ expected, abs=1e-9)
    squares, count = cluster_squares(fit, ONE, TWO, outcome, CLUSTERS, weights)
    assert squares == pytest.approx(expected.T @ expected, abs=1e-9)
    assert count == 7


@pytest.mark.parametrize("ties", [False, True])
def test_clusters_in_parts_give_the_same(monkeypatch, ties):
    outcome = results(ties=ties)
    fit = fitted(outcome)
    whole = cluster_squares(fit, ONE, TWO, outcome, CLUSTERS, WEIGHTS)
    monkeypatch.setattr(cluster_sums, "_MOST", 2 * len(fit.information))
    monkeypatch.setattr(cluster_sums, "_CHUNK", 7)
    parts = cluster_squares(fit, ONE, TWO, outcome, CLUSTERS, WEIGHTS)
    assert parts[0] == pytest.approx(whole[0], abs=1e-9)
    assert parts[1] == whole[1] == 7


def test_numbers_that_stand_for_no_cluster_are_not_counted():
    outcome = results(ties=False)
    fit = fitted(outcome)
    squares, count = cluster_squares(fit, ONE, TWO, outcome, 3 * CLUSTERS)
    assert count == 7
    assert squares == pytest.approx(cluster_squares(fit, ONE, TWO, outcome, CLUSTERS)[0], abs=1e-9)
    sums = ClusterSums(fit, 8)
    sums.add(ONE, TWO, outcome, CLUSTERS)
    assert sums.may_lack_clusters()


def test_squares_over_several_blocks_of_clusters_are_those_of_the_whole_table():
    generator = np.random.default_rng(8)
    one = generator.integers(0, 3, 6000)
    two = (one + generator.integers(1, 3, 6000)) % 3
    outcome, clusters = generator.integers(0, 3, 6000) / 2, generator.integers(0, 2500, 6000)
    sums = ClusterSums(bradley_terry(count_wins(one, two, outcome)), 2500)
    sums.add(one, two, outcome, clusters)
    table = sums.table()
    assert table.shape == (2500, 4)
    assert sums.squares() == pytest.approx(table.T @ table, rel=1e-9, abs=1e-9)
