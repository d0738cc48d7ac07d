import numpy as np
import pytest

from golden_values import golden
from venire.stats.comparison.bradley_terry import bradley_terry
from venire.stats.comparison.win_matrix import WinMatrix, count_wins

PUBLISHED = golden("uncertainty_published")


TABLE = golden("uncertainty_table")["comparisons"]


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def values(fit):
    return [strength.value for strength in fit.strengths]


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


def test_models_that_never_met_are_reported_as_disconnected():
    fit = bradley_terry(count_wins(["a", "b", "c", "d"], ["b", "a", "d", "c"], [1, 1, 1, 1]))
    assert values(fit) == [None] * 4
    assert fit.reason.startswith("disconnected")
    assert "a, b | c, d" in fit.reason


def test_a_model_that_always_won_is_reported_and_not_infinite():
    fit = bradley_terry(count_wins(["a", "a", "b", "c"], ["b", "c", "c", "b"], [1, 1, 1, 1]))
    assert fit.reason.startswith("some models only won or only lost against the rest")
    assert np.isnan(fit.covariance).all()


def test_ties_that_only_a_limit_explains_are_reported():
    fit = bradley_terry(count_wins([1, 1, 2], [2, 3, 3], [0.5, 0.5, 1]))
    assert fit.reason.startswith("wins are so one-sided")
    assert bradley_terry(count_wins([1, 2], [2, 1], [0.5, 0.5])).reason == "every comparison is a tie"


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


def test_a_flat_likelihood_far_out_is_not_mistaken_for_a_maximum():
    wins, ties = np.zeros((3, 3)), np.array([[0, 0, 1.0], [0, 0, 1], [1, 1, 0]])
    wins[2, 1] = 1
    fit = bradley_terry(WinMatrix(models=("a", "b", "c"), wins=wins, ties=ties))
    assert fit.reason.startswith("wins are so one-sided")
