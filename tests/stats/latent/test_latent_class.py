import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from golden_values import golden
from venire.errors import UsageError
from venire.stats.latent.dawid_skene import dawid_skene
from venire.stats.latent.mace import mace
from venire.stats.latent.one_coin import one_coin

TABLE = golden("uncertainty_table")["votes"]


plain_mace = functools.partial(mace, variational=False)
plain_mace.__name__ = "plain_mace"
MODELS = [dawid_skene, one_coin, mace]
LIKELIEST = [dawid_skene, one_coin, plain_mace]
"""Models whose parameters are those of maximum likelihood."""


VOTES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=40)


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


def plain_em(rows, model, iterations):
    """EM written with loops and dictionaries, from the shares of votes."""
    units, judges, classes = (sorted(set(column)) for column in columns(rows))
    posteriors = {}
    for unit in units:
        votes = [c for u, _, c in rows if u == unit]
        posteriors[unit] = {k: votes.count(k) / len(votes) for k in classes}
    competence, guesses = dict.fromkeys(judges, 0.5), {j: dict.fromkeys(classes, 1 / len(classes)) for j in judges}
    for _ in range(iterations):
        rates = {}
        for judge in judges:
            own = [(u, c) for u, j, c in rows if j == judge]
            if model is dawid_skene:
                for k in classes:
                    weight = sum(posteriors[u][k] for u, _ in own)
                    for c in classes:
                        seen = sum(posteriors[u][k] for u, said in own if said == c)
                        rates[judge, k, c] = seen / weight if weight > 0 else 1 / len(classes)
                continue
            if model is one_coin:
                right = sum(posteriors[u][c] for u, c in own) / len(own)
                competence[judge] = right
            else:
                known = dict.fromkeys(classes, 0.0)
                for u, c in own:
                    theta, guess = competence[judge], guesses[judge][c]
                    known[c] += posteriors[u][c] * (theta / (theta + (1 - theta) * guess) if theta else 0.0)
                guessed = {c: sum(said == c for _, said in own) - known[c] for c in classes}
                competence[judge] = sum(known.values()) / len(own)
                amount = sum(guessed.values())
                guesses[judge] = {
                    c: guessed[c] / amount if amount > 1e-12 * len(own) else 1 / len(classes) for c in classes
                }
            for k in classes:
                for c in classes:
                    theta = competence[judge]
                    if model is one_coin:
                        rates[judge, k, c] = theta if k == c else (1 - theta) / (len(classes) - 1)
                    else:
                        rates[judge, k, c] = theta * (k == c) + (1 - theta) * guesses[judge][c]
        prior = {k: sum(posteriors[u][k] for u in units) / len(units) for k in classes}
        likelihood = 0.0
        for unit in units:
            evidence = {k: prior[k] * np.prod([rates[j, k, c] for u, j, c in rows if u == unit]) for k in classes}
            likelihood += np.log(sum(evidence.values()))
            posteriors[unit] = {k: value / sum(evidence.values()) for k, value in evidence.items()}
    return [[posteriors[u][k] for k in classes] for u in units], likelihood


@pytest.mark.parametrize("model", [dawid_skene, one_coin])
def test_posteriors_give_the_golden_table(model):
    fit = model(*columns(TABLE["rows"]), restarts=0, tolerance=1e-15, max_iterations=5000)
    expected = TABLE["expected"][model.__name__]
    assert np.abs(fit.posteriors - expected["posteriors"]).max() < 1e-6
    assert fit.class_probabilities == pytest.approx(expected["prior"], abs=1e-6)


@pytest.mark.parametrize("model", LIKELIEST)
@given(rows=VOTES)
@settings(max_examples=25, deadline=None)
def test_the_first_four_iterations_are_those_of_the_plain_algorithm(model, rows):
    if len({category for _, _, category in rows}) < 2:
        return
    fit = model(*columns(rows), restarts=0, tolerance=-1e9, max_iterations=4)
    posteriors, likelihood = plain_em(rows, model, len(fit.trace))
    assert np.abs(fit.posteriors - posteriors).max() < 1e-6
    assert fit.log_likelihood == pytest.approx(likelihood, abs=1e-6)


@pytest.mark.parametrize("model", LIKELIEST)
@given(rows=VOTES)
@settings(max_examples=25, deadline=None)
def test_the_likelihood_never_falls_and_belongs_to_the_returned_parameters(model, rows):
    fit = model(*columns(rows), restarts=1)
    assert (np.diff(fit.trace) > -1e-8 * len(rows)).all()
    units, judges, categories = fit.units.tolist(), fit.judges, fit.categories
    evidence = np.tile(np.log(np.maximum(fit.class_probabilities, 1e-300)), (len(units), 1))
    for unit, judge, category in rows:
        told = fit.confusion[judges.index(judge), :, categories.index(category)]
        evidence[units.index(unit)] += np.log(np.maximum(told, 1e-300))
    total = np.logaddexp.reduce(evidence, axis=1)
    assert fit.log_likelihood == pytest.approx(total.sum(), abs=1e-6)
    assert np.abs(fit.posteriors - np.exp(evidence - total[:, None])).max() < 1e-6
    assert np.allclose(fit.confusion.sum(axis=2), 1)


@pytest.mark.parametrize("model", MODELS)
def test_good_judges_outvote_a_majority_of_guessers(model):
    generator = np.random.default_rng(6)
    truth = generator.integers(0, 3, 300)
    rows = [
        (u, j, truth[u] if j < 3 and generator.random() < 0.95 else generator.integers(0, 3))
        for u in range(300)
        for j in range(8)
    ]
    fit = model(*columns(rows))
    assert np.mean(np.array(fit.most_likely()) == truth) > 0.95
    assert min(fit.competence[:3]) > 0.85
    assert max(fit.competence[3:]) < 0.55


@pytest.mark.parametrize("model", MODELS)
def test_restarts_have_seeds_of_their_own_and_the_same_seed_gives_the_same_fit(model):
    votes = columns(TABLE["rows"])
    one, same = model(*votes, seed=3, restarts=3), model(*votes, seed=3, restarts=3)
    assert one.restarts == same.restarts
    assert np.array_equal(one.posteriors, same.posteriors)
    assert len(set(one.restarts)) == 4
    assert one.log_likelihood >= max(one.restarts) - 1e-6 * len(votes[0]) - 1e-12
    assert one.seed == 3


@pytest.mark.parametrize("model", MODELS)
def test_reaching_the_limit_is_not_convergence(model):
    fit = model(*columns(TABLE["rows"]), restarts=0, max_iterations=2)
    assert (fit.converged, fit.iterations) == (False, 2)


@pytest.mark.parametrize("model", MODELS)
def test_no_votes_give_a_record_with_the_reason(model):
    for votes in (([], [], []), ([1, 2], ["a", "b"], [None, None])):
        fit = model(*votes)
        assert (fit.log_likelihood, fit.reason, fit.converged) == (None, "no votes", False)
        assert set(fit.competence) <= {None}


@pytest.mark.parametrize("model", MODELS)
def test_one_category_leaves_competence_unknown(model):
    fit = model([1, 2, 3], ["a", "a", "b"], ["yes", "yes", "yes"])
    assert fit.competence == (None, None)
    assert "no variation" in fit.reason
    assert fit.most_likely() == ["yes"] * 3


@pytest.mark.parametrize("model", MODELS)
def test_one_judge_and_one_sample_are_fitted_without_an_exception(model):
    assert model([1, 2, 3], ["a"] * 3, [0, 1, 1]).most_likely() == [0, 1, 1]
    assert model([1], ["a"], [1]).iterations >= 1
    assert model([1, 1], ["a", "b"], [0, 1], restarts=0).most_likely() == [None]


@pytest.mark.parametrize("model", MODELS)
def test_a_missing_vote_is_not_a_category(model):
    fit = model([1, 1, 2, 2, 3], ["a", "b", "a", "b", "a"], ["x", "x", "y", None, "y"])
    assert fit.categories == ("x", "y")
    assert fit.n["missing"] == 1


def test_a_unit_without_a_vote_has_the_shares_of_the_classes():
    fit = dawid_skene([1, 1, 2, 2, 3], ["a", "b", "a", "b", "a"], ["x", "x", "y", "y", None], restarts=0)
    assert fit.posteriors[2] == pytest.approx(fit.class_probabilities)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize(
    ("votes", "reason"),
    [
        (([1, 2, 3], ["a"] * 3, [0, 1, 1]), "one judge alone"),
        (([1, 2, 3], ["a", "b", "c"], [0, 1, 1]), "no unit has two votes"),
    ],
)
def test_one_judge_or_one_vote_each_tells_nothing_of_competence(model, votes, reason):
    fit = model(*votes)
    assert set(fit.competence) == {None}
    assert reason in fit.reason


def test_votes_of_different_length_are_an_error():
    with pytest.raises(UsageError, match="as many units as categories"):
        dawid_skene([1, 2], ["a", "b"], [1])


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("restarts", [-1, 1.5])
def test_restarts_are_counted(model, restarts):
    with pytest.raises(UsageError, match="restarts"):
        model(*columns(TABLE["rows"]), restarts=restarts)
