"""Difficulty and discrimination of questions by the two-parameter logistic model."""

import numpy as np
import pytest
from scipy.optimize import minimize

from golden_values import golden
from venire.errors import UsageError
from venire.stats.latent.item_response import item_response


def drawn(respondents, slopes, difficulties, seed):
    generator = np.random.default_rng(seed)
    ability = generator.normal(size=(respondents, 1))
    return (generator.random((respondents, len(slopes))) < 1 / (1 + np.exp(-slopes * (ability - difficulties)))) * 1.0


def test_without_priors_it_is_the_marginal_likelihood_of_another_package():
    kept = golden("item_response")
    answers = np.array([[int(each) for each in row] for row in kept["answers"]])
    found = item_response(answers, has_priors=False).items
    assert [each.discrimination.value for each in found] == pytest.approx(kept["discrimination"], abs=0.005)
    assert [each.difficulty.value for each in found] == pytest.approx(kept["difficulty"], abs=0.01)


def penalised(answers):
    """Return a plain second implementation: minus the log of the posterior of log a and b."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)

    def value(parameters):
        log_a, b = parameters.reshape(2, -1)
        chance = 1 / (1 + np.exp(-np.exp(log_a)[:, None] * (nodes - b[:, None])))
        total = (log_a**2).sum() / (2 * 0.25) + (b**2).sum() / (2 * 4)
        for row in answers:
            there = ~np.isnan(row)
            each = np.where(row[there, None] == 1, chance[there], 1 - chance[there]).prod(axis=0)
            total -= np.log((weights * each).sum() / weights.sum())
        return total

    return value


@pytest.fixture(scope="module")
def small():
    answers = drawn(25, np.array([0.8, 1.2, 1.5, 1.0, 0.6, 1.1]), np.array([-1, 0, 0.5, 1, 0.2, -0.3]), seed=4)
    answers[3, 2] = answers[10, 4] = np.nan
    return answers


def test_it_is_told_how_many_answered_each_question(small):
    found = item_response(small).items
    assert [each.difficulty.n for each in found] == [{"respondents": count} for count in (25, 25, 24, 25, 24, 25)]
    assert [each.answered for each in found] == [25, 25, 24, 25, 24, 25]
    assert [each.passed for each in found] == np.nansum(small, axis=0).astype(int).tolist()


def test_with_priors_it_is_the_mode_of_the_posterior(small):
    best = minimize(penalised(small), np.zeros(12), method="BFGS").x.reshape(2, -1)
    found = item_response(small).items
    assert [each.discrimination.value for each in found] == pytest.approx(np.exp(best[0]), abs=0.01)
    assert [each.difficulty.value for each in found] == pytest.approx(best[1], abs=0.01)


def test_errors_are_the_curvature_of_the_posterior(small):
    value, found = penalised(small), item_response(small).items
    point = np.array([[np.log(each.discrimination.value) for each in found], [each.difficulty.value for each in found]])

    def moved(first, second):
        shifted = point.copy()
        shifted[0, 1] += first
        shifted[1, 1] += second
        return value(shifted.ravel())

    h, middle = 1e-3, moved(0, 0)
    curves = [(moved(h, 0) - 2 * middle + moved(-h, 0)) / h**2, (moved(0, h) - 2 * middle + moved(0, -h)) / h**2]
    cross = (moved(h, h) - moved(h, -h) - moved(-h, h) + moved(-h, -h)) / (4 * h**2)
    covariance = np.linalg.inv([[curves[0], cross], [cross, curves[1]]])
    assert found[1].difficulty.standard_error == pytest.approx(np.sqrt(covariance[1, 1]), rel=0.01)
    reach = np.log(found[1].discrimination.high / found[1].discrimination.low) / 2 / 1.959964
    assert reach == pytest.approx(np.sqrt(covariance[0, 0]), rel=0.01)


def test_intervals_of_few_models_cover_and_are_marked_rough():
    covered = total = 0
    for seed in range(40):
        generator = np.random.default_rng(seed)
        slopes, difficulties = np.exp(0.5 * generator.normal(size=20)), 1.2 * generator.normal(size=20)
        for place, each in enumerate(item_response(drawn(8, slopes, difficulties, seed)).items):
            if each.difficulty.low is not None:
                covered += each.difficulty.low <= difficulties[place] <= each.difficulty.high
                total += 1
                assert "rough: 8 models" in each.difficulty.note
    assert covered >= 0.93 * total


@pytest.mark.parametrize(
    ("answers", "reason"),
    [
        (np.tile([[1, 0], [0, 1]], (2, 5)), "models or judges; 5 are needed"),
        (np.ones((8, 9)), "failed by others; 5 are needed"),
    ],
)
def test_of_too_little_nothing_is_known(answers, reason):
    found = item_response(answers)
    assert reason in found.reason
    assert all(each.difficulty.value is None and reason in each.difficulty.reason for each in found.items)


def test_a_question_that_all_passed_is_not_known_beside_others_that_are(small):
    found = item_response(np.column_stack([small, np.ones(25)]), items=list("abcdefg"))
    assert found.items[6].difficulty.reason == "everybody passed, or everybody failed"
    assert (found.items[6].item, found.items[6].passed, found.items[6].answered) == ("g", 25, 25)
    assert found.items[0].difficulty.value == pytest.approx(item_response(small).items[0].difficulty.value)


@pytest.mark.parametrize("bad", [[1, 0, 1], [[1, 0.5]], [[1, 2]]])
def test_what_is_no_table_of_passes_is_an_error(bad):
    with pytest.raises(UsageError):
        item_response(bad)
    with pytest.raises(UsageError, match="name for each of 2"):
        item_response([[1, 0]], ["a"])


@pytest.mark.parametrize("seed", [0, 1, 5, 24])
def test_answers_that_no_finite_curve_fits_best_are_not_known_without_priors(seed):
    generator = np.random.default_rng(seed)
    answers = (generator.normal(size=(12, 1)) > np.linspace(-1, 1, 7)) * 1.0  # Who passes one passes all easier ones.
    answers[:2] = [[1] * 7, [0] * 7]
    found = item_response(answers, has_priors=False).items
    assert any("no finite estimate" in each.difficulty.reason for each in found)
    assert all(each.discrimination.value is None or 0 < each.discrimination.value < 55 for each in found)
    assert all(each.difficulty.value is not None for each in item_response(answers).items)
