import numpy as np
import pytest

from venire.stats.latent.glad import glad


@pytest.fixture(scope="module")
def crowd():
    """Votes drawn from the model itself: abilities 3 to −1, and units of which half are hard."""
    draw = np.random.default_rng(8)
    truth, ability = draw.integers(3, size=800), np.array([3.0, 2.0, 1.5, 1.0, 0.0, -1.0])
    sharp = np.where(np.arange(800) % 2, 2.0, 0.4)
    right = draw.random((800, 6)) < 1 / (1 + np.exp(-ability * sharp[:, None]))
    stated = np.where(right, truth[:, None], (truth[:, None] + draw.integers(1, 3, size=(800, 6))) % 3)
    unit, judge = np.divmod(np.arange(stated.size), 6)
    return truth, ability, (unit, judge, stated.ravel())


def test_it_finds_abilities_in_their_order_and_which_units_are_hard(crowd):
    truth, ability, votes = crowd
    found = glad(*votes)
    assert np.corrcoef(found.ability, ability)[0, 1] > 0.97
    assert found.ability[5] < 0 < found.ability[0]
    easy, hard = (np.median(found.difficulty[start::2]) for start in (1, 0))
    assert hard > easy
    majority = [np.bincount(row, minlength=3).argmax() for row in votes[2].reshape(800, 6)]
    assert np.mean(np.array(found.fit.most_likely()) == truth) > np.mean(np.array(majority) == truth)


def test_the_penalised_likelihood_never_falls_and_is_that_of_a_plain_loop(crowd):
    _, _, votes = crowd
    few = [column[:120] for column in votes]
    found = glad(*few)
    assert (np.diff(found.fit.trace) > -1e-6).all()
    total = -0.5 * sum((value - 1) ** 2 for value in (*found.ability, *np.log(1 / found.difficulty)))
    for unit in range(20):
        evidence = np.log(found.fit.class_probabilities)
        for row, judge, said in zip(*few, strict=True):
            if row == unit:
                right = 1 / (1 + np.exp(-found.ability[judge] / found.difficulty[unit]))
                evidence = evidence + [np.log(right if said == k else (1 - right) / 2) for k in range(3)]
        total += np.log(np.exp(evidence).sum())
    assert found.fit.log_likelihood == pytest.approx(total, abs=1e-8)


def test_one_judge_has_no_ability_and_no_votes_have_a_reason():
    assert glad([1, 2], ["a", "a"], [0, 1]).ability == (None,)
    assert glad([], [], []).fit.reason == "no votes"
