import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize

from golden_values import golden
from venire.errors import UsageError
from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.elo import elo, expected_score
from venire.stats.comparison.win_matrix import WinMatrix, count_wins, wins_from_scores

PUBLISHED = golden("uncertainty_published")
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


def test_agrestis_baseball_abilities_are_the_published_ones():
    case = PUBLISHED["bradley_terry"]
    wins = np.array(case["wins"], dtype=float)
    fit = bradley_terry(WinMatrix(models=tuple(case["teams"]), wins=wins, ties=np.zeros_like(wins)))
    against_baltimore = [fit.difference(team, "Baltimore") for team in case["teams"]]
    assert [round(difference.value, 2) for difference in against_baltimore] == case["abilities"]
    assert {round(difference.standard_error, 1) for difference in against_baltimore[:-1]} == {case["standard_error"]}
    assert (fit.tie.value, fit.converged) == (0.0, True)


def test_strengths_and_ties_give_the_golden_table():
    expected = TABLE["expected"]
    fit = bradley_terry(count_wins(*columns(TABLE["rows"])))
    assert values(fit) == pytest.approx(expected["strengths"], abs=1e-6)
    assert fit.tie.value == pytest.approx(expected["tie"], abs=1e-6)
    decided = bradley_terry(count_wins(*columns(row for row in TABLE["rows"] if row[2] != 0.5)))
    assert values(decided) == pytest.approx(expected["strengths without ties"], abs=1e-5)


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


def test_models_that_never_met_are_reported_as_disconnected():
    fit = bradley_terry(count_wins(["a", "b", "c", "d"], ["b", "a", "d", "c"], [1, 1, 1, 1]))
    assert values(fit) == [None] * 4
    assert fit.reason.startswith("disconnected")
    assert "a, b | c, d" in fit.reason


def test_a_model_that_always_won_is_reported_and_not_infinite():
    fit = bradley_terry(count_wins(["a", "a", "b", "c"], ["b", "c", "c", "b"], [1, 1, 1, 1]))
    assert fit.reason.startswith("separated")
    assert np.isnan(fit.covariance).all()


def test_ties_that_only_a_limit_explains_are_reported():
    fit = bradley_terry(count_wins([1, 1, 2], [2, 3, 3], [0.5, 0.5, 1]))
    assert fit.reason.startswith("separated")
    assert bradley_terry(count_wins([1, 2], [2, 1], [0.5, 0.5])).reason == "separated: every comparison is a tie"


def test_equal_records_give_equal_strengths_with_an_interval():
    fit = bradley_terry(count_wins(["a", "b"] * 10, ["b", "a"] * 10, [1] * 20))
    assert values(fit) == pytest.approx([0, 0], abs=1e-12)
    assert fit.difference("a", "b").standard_error == pytest.approx(2 / np.sqrt(20))


@pytest.mark.parametrize("rows", [([], [], []), (["a"], ["a"], [1]), (["a"], ["b"], [None])])
def test_no_comparison_gives_not_known(rows):
    fit = bradley_terry(count_wins(*rows))
    assert fit.reason == "no comparisons between different models"
    assert all(value is None for value in values(fit))


def test_a_million_comparisons_are_fitted():
    generator = np.random.default_rng(0)
    first = generator.integers(0, 50, 1_000_000)
    second = (first + generator.integers(1, 50, 1_000_000)) % 50
    fit = bradley_terry(count_wins(first, second, generator.integers(0, 3, 1_000_000) / 2))
    assert fit.converged
    assert max(abs(value) for value in values(fit)) < 0.06
    assert fit.tie.value == pytest.approx(1, abs=0.02)


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from([0, 0.5, 1, None])), min_size=1)
)
def test_the_win_matrix_counts_each_comparison_once(rows):
    matrix = count_wins(*columns(rows))
    whole = [row for row in rows if row[2] is not None and row[0] != row[1]]
    assert matrix.comparisons == len(whole)
    assert matrix.missing == len(rows) - len(whole)
    for (i, one), (j, two) in itertools.permutations(enumerate(matrix.models), 2):
        won = sum((a, b, o) in ((one, two, 1), (two, one, 0)) for a, b, o in whole)
        assert matrix.wins[i, j] == won
        assert matrix.ties[i, j] == sum({a, b} == {one, two} and o == 0.5 for a, b, o in whole)


def test_wins_are_derived_from_scores_with_ties_and_gaps():
    scores = [[5, 4, None], [0.1 + 0.2, 0.3, 0.3], [1, 2, 9]]
    matrix = wins_from_scores(scores, ["a", "b", "c"])
    assert matrix.wins.tolist() == [[0, 1, 0], [1, 0, 0], [1, 1, 0]]
    assert matrix.ties.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert matrix.missing == 2
    assert wins_from_scores(scores, ["a", "b", "c"], tie_margin=1).wins[0, 1] == 0


def test_outcomes_and_shapes_that_make_no_sense_are_errors():
    with pytest.raises(UsageError, match=r"0\.5 \(tie\)"):
        count_wins(["a"], ["b"], [2])
    with pytest.raises(UsageError, match=r"0\.5 \(tie\)"):
        count_wins(["a"], ["b"], [0.7])
    with pytest.raises(UsageError, match="column for each of 3 models"):
        wins_from_scores([[1, 2]], ["a", "b", "c"])


def test_expected_elo_scores_are_the_published_ones():
    case = PUBLISHED["elo"]
    found = [round(expected_score(case["rating"], opponent), 2) for opponent in case["opponents"]]
    assert found == case["expected"]


def test_elo_gives_the_golden_table():
    expected = TABLE["expected"]
    found = elo(*columns(TABLE["rows"]), initial=expected["elo initial"])
    assert list(found.ratings.values()) == pytest.approx(expected["elo"])


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from([0, 0.5, 1, None])), max_size=20)
)
def test_elo_points_are_only_moved_and_never_made(rows):
    found = elo(*(columns(rows) if rows else ([], [], [])))
    assert sum(found.ratings.values()) == pytest.approx(1000 * len(found.ratings))
    assert found.n["comparisons"] + found.n["missing"] == len(rows)


def test_a_flat_likelihood_far_out_is_not_mistaken_for_a_maximum():
    wins, ties = np.zeros((3, 3)), np.array([[0, 0, 1.0], [0, 0, 1], [1, 1, 0]])
    wins[2, 1] = 1
    fit = bradley_terry(WinMatrix(models=("a", "b", "c"), wins=wins, ties=ties))
    assert fit.reason.startswith("separated")
