"""EM over patterns of votes says what EM over units says."""

from __future__ import annotations

import numpy as np
import pytest

from venire.stats.latent.dawid_skene import dawid_skene, error_rates
from venire.stats.latent.latent_class import keep_likeliest, maximise, read_votes
from venire.stats.latent.mace import mace
from venire.stats.latent.vote_patterns import collapse


def _votes(units: int, judges: int):
    generator = np.random.default_rng(4)
    truth = generator.integers(0, 3, units)
    rows = [(unit, judge) for unit in range(units) for judge in range(judges) if generator.random() < 0.9]
    rows += rows[:7]  # some judges vote twice
    stated = [truth[unit] if generator.random() < 0.7 else generator.integers(0, 3) for unit, _ in rows]
    return [unit for unit, _ in rows], [judge for _, judge in rows], stated


def test_a_fit_by_patterns_is_the_fit_by_units():
    data = _votes(300, 3)
    votes = read_votes(*data)
    patterns, pattern = collapse(votes)
    assert pattern is not None
    assert patterns.matrix.shape[0] < 150
    by_units, reached = keep_likeliest(
        votes,
        lambda start: maximise(votes, start, error_rates, tolerance=1e-8, max_iterations=1000),
        restarts=2,
        seed=5,
    )
    found = dawid_skene(*data, restarts=2, seed=5)
    assert found.posteriors == pytest.approx(by_units.posteriors, abs=1e-9)
    assert found.confusion == pytest.approx(by_units.confusion, abs=1e-9)
    assert found.class_probabilities == pytest.approx(by_units.prior, abs=1e-9)
    assert found.restarts == pytest.approx(reached)


def test_units_that_share_no_pattern_stay_as_they_are():
    votes = read_votes(*_votes(30, 12))
    assert collapse(votes) == (votes, None)
    assert mace(*_votes(30, 12), restarts=0).n["units"] == 30


def test_patterns_count_how_often_a_judge_stated_a_category():
    units, judges, stated = [0, 0, 1, 2, 2, 3, 4, 5], [0] * 8, [1, 1, 1, 1, 1, 1, 1, 1]
    patterns, pattern = collapse(read_votes(units, judges, stated))
    assert pattern is not None
    assert pattern[0] == pattern[2] != pattern[1]
    assert patterns.multiplicity is not None
    assert sorted(patterns.multiplicity.tolist()) == [2.0, 4.0]
