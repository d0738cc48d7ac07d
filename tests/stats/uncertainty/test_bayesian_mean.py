"""Bayesian intervals of means and shares from few questions."""

import numpy as np
import pytest
from scipy import integrate, stats

from venire.errors import UsageError
from venire.stats.uncertainty.bayesian_mean import FEW, bayesian_mean, with_prior
from venire.stats.uncertainty.clustered import clustered_mean


@pytest.mark.parametrize(
    ("passes", "trials", "low", "high"),
    # statsmodels 0.15.0, proportion_confint(passes, trials, method="jeffreys")
    [
        (1, 7, 0.0158765242127468, 0.5007974616190776),
        (3, 7, 0.13886421910489025, 0.7654987507479063),
        (2, 10, 0.044059413552630794, 0.5027744964399932),
        (29, 30, 0.8545822226459798, 0.9963795356262083),
    ],
)
def test_passes_and_fails_have_the_interval_of_jeffreys(passes, trials, low, high):
    found = bayesian_mean([1] * passes + [0] * (trials - passes))
    assert [found.low, found.high] == pytest.approx([low, high], rel=1e-9)
    assert found.value == passes / trials
    assert "Jeffreys" in found.method


def test_scores_have_the_posterior_of_their_dirichlet_weights():
    # Of two scores in the middle and the two ends, the mean is ½ + (top − bottom)/2 of Dirichlet(½, 2, ½) weights.
    found = bayesian_mean([3.0, 3.0], scale=(1, 5))

    def below(mean):
        def density(bottom):
            room = min(1 - bottom, 2 * mean - 1 + bottom)
            if room <= 0:
                return 0.0
            share = stats.beta(0.5, 2).cdf(room / (1 - bottom))
            return share * stats.beta(0.5, 2.5).pdf(bottom)

        return integrate.quad(density, 0, 1, limit=200)[0]

    assert below((found.low - 1) / 4) == pytest.approx(0.025, abs=0.006)
    assert below((found.high - 1) / 4) == pytest.approx(0.975, abs=0.006)


def test_drawn_intervals_agree_with_jeffreys_where_both_can_be_had():
    passes = [1] * 7 + [0] * 3
    exact = bayesian_mean(passes)
    drawn = bayesian_mean(np.repeat(passes, 2), np.repeat(np.arange(10), 2))
    assert [drawn.low, drawn.high] == pytest.approx([exact.low, exact.high], abs=0.01)
    assert (exact.seed, drawn.seed, drawn.n["clusters"]) == (None, 0, 10)


def test_outputs_to_one_question_add_less_than_as_many_questions():
    scores = np.tile([1, 1, 0, 1, 0], 4).astype(float)
    apart = bayesian_mean(scores)
    together = bayesian_mean(scores, np.tile(np.arange(5), 4))
    assert together.high - together.low > 1.5 * (apart.high - apart.low)


def test_where_everything_passes_there_is_an_interval_that_ends_at_the_top():
    found = bayesian_mean([5.0] * 12, scale=(1, 5))
    assert clustered_mean([5.0] * 12, range(12)).low is None
    assert (found.value, found.high) == (5.0, 5.0)
    assert 3.5 < found.low < 5


def test_a_value_off_the_scale_is_an_error():
    with pytest.raises(UsageError, match="from 0 to 1, found 7"):
        bayesian_mean([0, 1, 7])
    with pytest.raises(UsageError, match="scale"):
        bayesian_mean([1.0], scale=(5, 5))
    assert not bayesian_mean([]).known


def test_a_hundred_questions_keep_the_usual_interval():
    values = np.arange(FEW) % 5 + 1.0
    usual = clustered_mean(values, range(FEW))
    assert with_prior(usual, values, range(FEW), (1, 5)) is usual
    few = clustered_mean(values[:-1], range(FEW - 1))
    changed = with_prior(few, values[:-1], range(FEW - 1), (1, 5))
    assert (changed.value, changed.standard_error) == (few.value, few.standard_error)
    assert "Bayesian" in changed.method
    assert with_prior(few, values[:-1], range(FEW - 1), None) is few


def test_the_interval_of_few_skewed_scores_covers_as_often_as_it_says():
    # The whole table is `python -m bench.stats.coverage`.
    generator, covered, runs = np.random.default_rng(6), 0, 300
    truth = float(np.clip(np.rint(4.3 + 1.1 * np.random.default_rng(1).normal(size=400_000)), 1, 5).mean())
    for _ in range(runs):
        shared = np.repeat(generator.normal(size=12), 3)
        values = np.clip(np.rint(4.3 + 1.1 * np.sqrt(0.5) * (shared + generator.normal(size=36))), 1, 5)
        found = bayesian_mean(values, np.repeat(np.arange(12), 3), scale=(1, 5))
        covered += found.low <= truth <= found.high
    assert covered >= 0.93 * runs


def test_few_passes_or_fails_are_marked_rough():
    assert "only 2 passed or failed" in bayesian_mean([1, 1] + [0] * 40).note
    assert not bayesian_mean([1] * 20 + [0] * 20).note
    assert not bayesian_mean([1] * 20).note
