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
    for variational in (True, False):
        fit = mace(unit, judge, stated.ravel(), variational=variational)
        assert fit.competence == pytest.approx(knows, abs=0.05)
        expected = knows[2] * np.eye(3) + (1 - knows[2]) * guesses[2]
        assert fit.confusion[2] == pytest.approx(expected, abs=0.05)
        assert fit.class_probabilities == pytest.approx([1 / 3] * 3, abs=0.03)


@pytest.mark.parametrize("share", [0.05, 0.1, 0.5])
def test_it_does_not_fall_below_the_majority_where_one_class_prevails(share):
    above = []
    for seed in range(4):
        draw = np.random.default_rng(seed)
        truth = (draw.random(300) < share).astype(int)
        stated = np.where(draw.random((300, 5)) < [0.9, 0.8, 0.75, 0.7, 0.65], truth[:, None], 1 - truth[:, None])
        unit, judge = np.divmod(np.arange(stated.size), 5)
        fit = mace(unit, judge, stated.ravel(), restarts=2)
        found, majority = np.array(fit.most_likely()), (stated.mean(axis=1) > 0.5).astype(int)
        above.append((found == truth).mean() - (majority == truth).mean())
        assert fit.against_majority == (found != majority).sum() > 0
        assert fit.class_probabilities[1] == pytest.approx(share, abs=0.1)
    assert np.mean(above) > 0


def test_the_variational_bound_never_rises_above_the_likelihood_of_its_best_parameters():
    draw = np.random.default_rng(2)
    truth = draw.integers(2, size=80)
    stated = np.where(draw.random((80, 4)) < [0.9, 0.8, 0.6, 0.5], truth[:, None], 1 - truth[:, None])
    unit, judge = np.divmod(np.arange(stated.size), 4)
    bound, plain = (mace(unit, judge, stated.ravel(), variational=each) for each in (True, False))
    assert (np.diff(bound.trace) > -1e-9).all()
    assert bound.log_likelihood < plain.log_likelihood
