"""Stages that decide what they are sure of: the order of tests, the guarantee, and no favoured verdict."""

import numpy as np
import pytest
from bench.adaptive_jury import KINDS, decide_one

from venire.stats.adaptive.cascade import fewest_labels, score_and_confidence, try_thresholds


def test_thresholds_are_tested_from_the_surest_on_until_one_fails():
    sure = np.linspace(1, 0, 200)
    agrees = np.arange(200) < 120
    tests = try_thresholds(sure, agrees, level=0.85, delta=0.05)
    assert [test.threshold for test in tests] == sorted((test.threshold for test in tests), reverse=True)
    assert [test.holds for test in tests] == [True] * (len(tests) - 1) + [False]
    assert tests[-2].outputs <= 140 < tests[-1].outputs + 10


def test_a_stage_without_enough_labels_decides_nothing():
    assert fewest_labels(0.85, 0.05) == 19
    assert try_thresholds(np.ones(18), np.ones(18, dtype=bool), level=0.85, delta=0.05) == ()
    [test] = try_thresholds(np.ones(19), np.ones(19, dtype=bool), level=0.85, delta=0.05)
    assert test.holds


def test_what_fails_and_what_passes_is_equally_sure():
    scores = np.array([[0.0, 1.0], [8.0, 7.0], [3.0, 4.0], [5.0, 4.0], [np.nan, np.nan]])
    means, sure = score_and_confidence(scores, np.array([0.5, 0.5]), (3.5, 6.5), 8.0)
    mirrored_means, mirrored = score_and_confidence(8 - scores, np.array([0.5, 0.5]), (1.5, 4.5), 8.0)
    assert sure[:4] == pytest.approx(mirrored[:4])
    assert means[:4] == pytest.approx(8 - mirrored_means[:4])
    assert sure[0] > sure[3] > sure[2]
    assert np.isnan(sure[4])


def test_the_less_judges_agree_the_less_sure_their_verdict_is():
    _, sure = score_and_confidence(np.array([[8.0, 8.0], [9.0, 7.0]]), np.array([0.5, 0.5]), (3.5, 6.5), 8.0)
    assert sure[0] > sure[1]


@pytest.mark.parametrize("kind", KINDS)
def test_the_guarantee_is_kept_over_splits_of_simulated_data(kind):
    """A small part of `python -m bench.adaptive_jury decide`."""
    missed = 0
    for split in range(30):
        chance = np.random.default_rng([split, 11])
        scores, people = KINDS[kind](chance)
        agreement, _, _, _ = decide_one(scores, people, chance, 0.92)
        missed += agreement < 0.92
    assert missed <= 6
