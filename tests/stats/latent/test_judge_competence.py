"""Three models of the hidden verdict together: what they say of judges, how sure, and when they stay silent."""

from __future__ import annotations

import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.latent.dawid_skene import dawid_skene
from venire.stats.latent.judge_competence import MODELS, judge_competence


def votes(accuracies, units=120, seed=1, classes=3):
    """Return votes of judges who are right with given probabilities."""
    generator = np.random.default_rng(seed)
    truth = generator.integers(0, classes, units)
    right = generator.random((units, len(accuracies))) < accuracies
    wrong = (truth[:, None] + generator.integers(1, classes, right.shape)) % classes
    stated = np.where(right, truth[:, None], wrong)
    judges = np.tile([f"judge-{place}" for place in range(len(accuracies))], units)
    return np.repeat(np.arange(units), len(accuracies)), judges, stated.ravel()


def test_all_models_expose_the_judge_who_guesses():
    found = judge_competence(*votes([0.9, 0.85, 0.9, 0.4]))
    assert found.exposed == ("judge-3",)
    assert {model.lowest for model in found.models.values()} == {"judge-3"}
    assert all(model.fit.converged for model in found.models.values())
    first = found.models["dawid_skene"].competence["judge-0"]
    assert first.low < 0.9 < first.high


def test_judges_who_are_alike_are_not_exposed():
    assert judge_competence(*votes([0.8, 0.8, 0.8])).exposed == ()


def test_competence_is_that_of_the_model_itself():
    given = votes([0.9, 0.8, 0.6])
    fit = dawid_skene(*given)
    found = judge_competence(*given).models["dawid_skene"]
    assert [each.value for each in found.competence.values()] == pytest.approx(fit.competence)
    assert found.fit.judges == ("judge-0", "judge-1", "judge-2")
    assert found.apart["judge-0"].value == pytest.approx(fit.competence[0] - np.mean(fit.competence[1:]))


def test_intervals_are_those_of_a_plain_jackknife_over_questions():
    units, judges, stated = votes([0.9, 0.8, 0.6], units=60)
    questions = units % 6
    found = judge_competence(units, judges, stated, clusters=questions).models["dawid_skene"].competence["judge-2"]
    again = []
    for question in range(6):
        kept = questions != question
        again.append(dawid_skene(units[kept], judges[kept], stated[kept], restarts=0).competence[2])
    assert found.standard_error == pytest.approx(np.sqrt(5 / 6 * np.sum((again - np.mean(again)) ** 2)))
    assert found.n["groups"] == 6


def test_models_say_how_often_they_infer_the_same():
    found = judge_competence(*votes([0.9, 0.85, 0.7])).models
    for name, model in found.items():
        assert set(model.same_class) == {*MODELS} - {name}
        for other, share in model.same_class.items():
            classes = zip(model.fit.most_likely(), found[other].fit.most_likely(), strict=True)
            assert share.value == pytest.approx(np.mean([one == two for one, two in classes]))


def test_the_same_seed_gives_the_same_numbers():
    one, two = (judge_competence(*votes([0.8, 0.7, 0.6]), seed=5) for _ in range(2))
    assert [model.competence for model in one.models.values()] == [model.competence for model in two.models.values()]


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        (votes([0.9, 0.8]), "only 2 judges with verdicts, fewer than the 3 needed"),
        (votes([0.9, 0.8, 0.7], units=19), "only 19 outputs with verdicts of 3 judges, fewer than the 20"),
        ((np.repeat(range(30), 3), [*"abc"] * 30, ["PASS"] * 90), "no variation: every verdict is the same"),
        (([], [], []), "only 0 judges with verdicts, fewer than the 3 needed"),
    ],
)  # fmt: skip
def test_too_little_gives_no_model_and_the_reason(given, reason):
    found = judge_competence(*given)
    assert (found.models, found.exposed) == ({}, ())
    assert found.reason.startswith(reason)


def test_votes_with_a_missing_part_are_left_out():
    units, judges, stated = votes([0.9, 0.8, 0.6])
    more = judge_competence([*units, 0], [*judges, "absent"], [*(f"c{each}" for each in stated), None])
    assert set(more.votes) == {"judge-0", "judge-1", "judge-2"}
    assert more.models["mace"].fit.categories == ("c0", "c1", "c2")


def test_lists_of_different_length_are_refused():
    with pytest.raises(UsageError, match="as many units as judges"):
        judge_competence([1, 2], ["a"], ["x", "y"])


def test_a_judge_who_is_always_right_has_no_interval():
    units, judges, stated = votes([1.0, 1.0, 0.6])
    found = judge_competence(units, judges, stated).models["one_coin"].competence["judge-0"]
    assert found.value == pytest.approx(1, abs=1e-3)
    assert (found.low, found.reason) == (None, "no interval: at the end of its range")


def test_two_questions_give_an_interval_and_one_does_not():
    units, judges, stated = votes([0.9, 0.8, 0.6])
    for questions, known in ((2, True), (1, False)):
        found = judge_competence(units, judges, stated, clusters=units % questions).models["one_coin"]
        assert [each.low is not None for each in found.competence.values()] == [known] * 3
