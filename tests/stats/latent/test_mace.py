import numpy as np
import pytest

from venire.stats.latent.mace import mace


def test_a_judge_has_the_share_of_votes_that_it_does_not_guess_and_its_own_guesses():
    draw = np.random.default_rng(5)
    truth = draw.integers(3, size=6000)
    knows = np.array([0.9, 0.7, 0.4])
    guesses = np.array([[1, 1, 1], [1, 1, 1], [8, 1, 1]]) / [[3], [3], [10]]
    guessed = np.column_stack([draw.choice(3, size=len(truth), p=each) for each in guesses])
    stated = np.where(draw.random(guessed.shape) < knows, truth[:, None], guessed)
    unit, judge = np.divmod(np.arange(stated.size), 3)
    fit = mace(unit, judge, stated.ravel())
    assert fit.competence == pytest.approx(knows, abs=0.05)
    expected = knows[2] * np.eye(3) + (1 - knows[2]) * guesses[2]
    assert fit.confusion[2] == pytest.approx(expected, abs=0.05)
    assert fit.class_probabilities == pytest.approx([1 / 3] * 3)
