import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize

from golden_values import golden
from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.win_matrix import WinMatrix, count_wins

TABLE = golden("uncertainty_table")["comparisons"]


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def values(fit):
    return [strength.value for strength in fit.strengths]


def negative_log_likelihood(parameters, outcomes):
    k, total = len(outcomes.models), 0.0
    strengths, tie = np.exp(parameters[:k]), np.exp(parameters[k])
    for i, j in itertools.combinations(range(k), 2):
        both = tie * np.sqrt(strengths[i] * strengths[j])
        scale = strengths[i] + strengths[j] + both
        total += outcomes.wins[i, j] * np.log(strengths[i] / scale) + outcomes.wins[j, i] * np.log(strengths[j] / scale)
        total += outcomes.ties[i, j] * np.log(both / scale)
    return -total


COUNTS = st.lists(st.integers(0, 6), min_size=9, max_size=9)


@given(COUNTS, st.lists(st.integers(0, 4), min_size=3, max_size=3))
@settings(max_examples=30, deadline=None)
def test_the_fit_is_the_maximum_that_a_general_optimiser_finds(wins, ties):
    wins = np.array(wins, dtype=float).reshape(3, 3)
    np.fill_diagonal(wins, 0)
    tied = np.zeros((3, 3))
    for (i, j), count in zip(itertools.combinations(range(3), 2), ties, strict=True):
        tied[i, j] = tied[j, i] = count
    outcomes = WinMatrix(models=("a", "b", "c"), wins=wins, ties=tied)
    fit = bradley_terry(outcomes)
    assume(fit.converged and tied.any())
    found = np.array([*values(fit), np.log(fit.tie.value)])
    best = optimize.minimize(negative_log_likelihood, np.zeros(4), args=(outcomes,), method="BFGS")
    assert -fit.log_likelihood == pytest.approx(negative_log_likelihood(found, outcomes), abs=1e-9)
    assert -fit.log_likelihood <= best.fun + 1e-7


def test_the_covariance_is_the_inverse_curvature_of_the_likelihood():
    outcomes = count_wins(*columns(TABLE["rows"]))
    fit = bradley_terry(outcomes)
    point = np.array([*values(fit), np.log(fit.tie.value)])
    step, size = 1e-4, len(point)
    curvature = np.empty((size, size))
    for a, b in itertools.product(range(size), repeat=2):
        moves = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
        corner = [point + step * (s * np.eye(size)[a] + t * np.eye(size)[b]) for s, t in moves]
        f = [negative_log_likelihood(c, outcomes) for c in corner]
        curvature[a, b] = (f[0] - f[1] - f[2] + f[3]) / (4 * step**2)
    expected = np.linalg.pinv(curvature, rcond=1e-6)
    assert np.abs(fit.covariance - expected[:-1, :-1]).max() < 1e-4
    assert fit.covariance.sum(axis=0) == pytest.approx(np.zeros(6), abs=1e-9)
