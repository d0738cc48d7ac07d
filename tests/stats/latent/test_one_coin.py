import numpy as np
import pytest

from venire.stats.latent.one_coin import one_coin


def crowd(accuracies, *, units=4000, classes=3, seed=2):
    """Return votes of judges that are right with the given probabilities, and wrong in every way alike."""
    draw = np.random.default_rng(seed)
    truth = draw.integers(classes, size=units)
    wrong = (truth[:, None] + draw.integers(1, classes, size=(units, len(accuracies)))) % classes
    stated = np.where(draw.random((units, len(accuracies))) < accuracies, truth[:, None], wrong)
    unit, judge = np.divmod(np.arange(stated.size), len(accuracies))
    return unit, judge, stated.ravel()


def test_each_judge_has_the_accuracy_it_votes_with():
    accuracies = [0.9, 0.75, 0.6, 0.45]
    assert one_coin(*crowd(accuracies)).competence == pytest.approx(accuracies, abs=0.03)


def test_all_errors_of_a_judge_are_equally_likely():
    fit = one_coin(*crowd([0.9, 0.75, 0.6]))
    for rates, right in zip(fit.confusion, fit.competence, strict=True):
        assert rates[np.eye(3, dtype=bool)] == pytest.approx(right)
        assert rates[~np.eye(3, dtype=bool)] == pytest.approx((1 - right) / 2)
