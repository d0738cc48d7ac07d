"""Which two models are compared next."""

import numpy as np
import pytest

from venire.stats.comparison.active_pairs import UNIFORM, draw_pairs, pair_probabilities

MANY = np.full((4, 4), 50)


def judged(counts):
    """Return wins of four models that are about equal, each pair having met so often."""
    wins = np.zeros((4, 4))
    for (one, two), count in counts.items():
        wins[one, two] = wins[two, one] = count / 2
    return wins


def chances(counts, available=MANY, **more):
    return pair_probabilities(judged(counts), np.zeros((4, 4)), available, **more)


def test_the_pair_of_the_least_known_models_is_the_likeliest():
    met = {(0, 1): 40, (0, 2): 40, (0, 3): 4, (1, 2): 40, (1, 3): 4, (2, 3): 4}
    found = chances(met)
    assert found.sum() == pytest.approx(1)
    assert min(found[0, 3], found[1, 3], found[2, 3]) > 3 * max(found[0, 1], found[0, 2], found[1, 2])


def test_every_pair_keeps_a_part_of_the_uniform_draw_and_one_without_outputs_none():
    left = MANY.copy()
    left[0, 1] = 0
    found = chances({(0, 1): 2}, left)
    assert found[0, 1] == 0
    assert found[np.triu_indices(4, 1)][1:].min() >= UNIFORM / 5 - 1e-8
    assert not chances({}, np.zeros((4, 4), dtype=int)).any()


def test_with_a_top_only_leaders_and_who_may_be_one_count():
    wins = np.zeros((4, 4))
    for strong in (0, 1):
        for weak in (2, 3):
            wins[strong, weak], wins[weak, strong] = 190, 10
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 10
    ties = np.zeros((4, 4))
    everyone = pair_probabilities(wins, ties, MANY)
    leaders = pair_probabilities(wins, ties, MANY, top=1)
    assert leaders[0, 1] > everyone[0, 1]
    assert leaders[2, 3] < 0.5 * everyone[2, 3]


def test_draws_follow_the_probabilities_and_the_seed_and_end_with_the_outputs():
    found = chances({(0, 1): 40, (2, 3): 2})
    drawn = draw_pairs(found, np.full((4, 4), 10_000), 4000, [1, 2])
    assert drawn == draw_pairs(found, np.full((4, 4), 10_000), 4000, [1, 2])
    shares = np.zeros((4, 4))
    for pair in drawn:
        shares[pair] += 1 / len(drawn)
    assert np.abs(shares - found).max() < 0.03
    assert len(draw_pairs(found, np.full((4, 4), 3), 1000, [0])) == 18
