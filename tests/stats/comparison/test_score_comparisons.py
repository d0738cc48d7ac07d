"""Comparisons derived from scores: intervals allow for clusters, and degenerate tables are not known."""

import numpy as np
import pytest

from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.score_comparisons import compare_by_scores
from venire.stats.comparison.win_matrix import count_wins


def drawn_scores(cells, models=3, seed=3):
    generator = np.random.default_rng(seed)
    strengths = np.linspace(0, 1, models)
    return np.round(strengths + generator.normal(size=(cells, models)), 1)


def test_strengths_and_wins_are_those_of_the_comparisons_written_out():
    table = drawn_scores(60)
    found = compare_by_scores(table, ["a", "b", "c"], np.arange(60))
    first, second, outcome = [], [], []
    for row in table:
        for i, j in ((0, 1), (0, 2), (1, 2)):
            first.append("abc"[i])
            second.append("abc"[j])
            outcome.append(0.5 if row[i] == row[j] else float(row[i] > row[j]))
    plain = bradley_terry(count_wins(first, second, outcome))
    assert found.wins.wins.tolist() == count_wins(first, second, outcome).wins.tolist()
    assert [each.value for each in found.fit.strengths] == pytest.approx([each.value for each in plain.strengths])
    assert found.elo.ratings["c"] > found.elo.ratings["a"]


def test_two_models_on_independent_cells_have_the_errors_of_the_model_itself():
    table = drawn_scores(3000, models=2)
    found = compare_by_scores(table, ["a", "b"], np.arange(3000))
    plain = bradley_terry(found.wins)
    assert found.fit.difference("b", "a").standard_error == pytest.approx(
        plain.difference("b", "a").standard_error, rel=0.05
    )


def test_repeating_every_cell_of_a_question_does_not_narrow_the_interval():
    table = drawn_scores(80)
    once = compare_by_scores(table, ["a", "b", "c"], np.arange(80)).fit
    repeated = compare_by_scores(np.repeat(table, 5, axis=0), ["a", "b", "c"], np.repeat(np.arange(80), 5)).fit
    naive = bradley_terry(compare_by_scores(np.repeat(table, 5, axis=0), ["a", "b", "c"], np.arange(400)).wins)
    assert repeated.strengths[0].standard_error == pytest.approx(once.strengths[0].standard_error)
    assert naive.strengths[0].standard_error < 0.6 * once.strengths[0].standard_error


def test_the_intervals_cover_the_truth_as_often_as_they_say():
    truth, inside = np.array([0.0, 0.8]), 0
    for seed in range(300):
        generator = np.random.default_rng(seed)
        # Three cells of a question share its luck, which shifts the second model's chances.
        luck = np.repeat(generator.normal(size=40), 3)
        wins = generator.random(120) < 1 / (1 + np.exp(-(truth[1] + luck)))
        table = np.column_stack([np.zeros(120), np.where(wins, 1.0, -1.0)])
        estimate = compare_by_scores(table, ["a", "b"], np.repeat(np.arange(40), 3)).fit.difference("b", "a")
        # The mean chance over luck of variance 1: the integral of the logistic curve, by quadrature.
        nodes, weights = np.polynomial.hermite_e.hermegauss(40)
        share = float((weights / weights.sum()) @ (1 / (1 + np.exp(-(truth[1] + nodes)))))
        target = np.log(share / (1 - share))
        inside += abs(estimate.value - target) <= 2.02 * estimate.standard_error
    assert 0.91 <= inside / 300 <= 0.98


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (np.full((5, 2), 3.0), "every comparison is a tie"),
        (np.column_stack([np.zeros(5), np.ones(5)]), "only won or only lost"),
        (np.full((5, 2), np.nan), "no comparisons"),
        (np.zeros((0, 2)), "no comparisons"),
    ],
)
def test_tables_without_a_finite_fit_say_why(table, reason):
    found = compare_by_scores(table, ["a", "b"], np.arange(len(table)))
    assert reason in found.fit.reason
    assert found.fit.strengths[0].value is None


def test_a_single_cluster_gives_strengths_without_intervals():
    found = compare_by_scores(drawn_scores(30), ["a", "b", "c"], np.zeros(30))
    assert found.fit.strengths[0].value is not None
    assert found.fit.strengths[0].low is None
    assert "one cluster" in found.fit.strengths[0].reason
