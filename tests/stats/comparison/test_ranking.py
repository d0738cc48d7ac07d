"""Rankings from comparisons: order, ranges of ranks, and errors that allow for questions."""

import numpy as np
import pytest

from venire.errors import UsageError
from venire.stats.comparison.ranking import rank_models
from venire.stats.comparison.sandwich import bradley_terry_clustered
from venire.stats.comparison.score_comparisons import compare_by_scores


def played(strengths, comparisons, seed, ties=0.1):
    """Simulate comparisons of random pairs."""
    random = np.random.default_rng(seed)
    k = len(strengths)
    one = random.integers(0, k, comparisons)
    two = (one + random.integers(1, k, comparisons)) % k
    odds = 1 / (1 + np.exp(strengths[two] - strengths[one]))
    outcome = (random.random(comparisons) < odds).astype(float)
    outcome[random.random(comparisons) < ties] = 0.5
    return one, two, outcome


def test_models_come_in_the_order_of_their_strengths_with_their_counts():
    one, two, outcome = played(np.array([0.0, 1.5, -1.5]), 600, seed=1)
    found = rank_models(one, two, outcome)
    assert [each.model for each in found.models] == [1, 0, 2]
    assert [(each.rank, each.best, each.worst) for each in found.models] == [(1, 1, 1), (2, 2, 2), (3, 3, 3)]
    first = found.models[0]
    assert first.won == int(((one == 1) & (outcome == 1)).sum() + ((two == 1) & (outcome == 0)).sum())
    assert first.lost == int(((one == 1) & (outcome == 0)).sum() + ((two == 1) & (outcome == 1)).sum())
    assert first.tied == int((((one == 1) | (two == 1)) & (outcome == 0.5)).sum())


def test_ranks_that_cannot_be_told_apart_overlap():
    one, two, outcome = played(np.array([0.05, 0.0, -2.0]), 200, seed=2)
    found = {each.model: each for each in rank_models(one, two, outcome).models}
    assert (found[0].best, found[0].worst) == (found[1].best, found[1].worst) == (1, 2)
    assert (found[2].best, found[2].worst) == (3, 3)


def test_intervals_that_hold_together_are_wider_than_each_alone():
    one, two, outcome = played(np.linspace(1, -1, 8), 800, seed=3)
    found = rank_models(one, two, outcome)
    alone = dict(zip(found.fit.models, found.fit.strengths, strict=True))
    for each in found.models:
        assert each.strength.value == alone[each.model].value
        assert each.strength.low < alone[each.model].low
        assert each.strength.high > alone[each.model].high


def test_a_comparison_that_is_repeated_for_its_question_adds_no_certainty():
    one, two, outcome = played(np.array([0.5, 0.0, -0.5]), 300, seed=4)
    questions = np.arange(300)
    once = rank_models(one, two, outcome, clusters=questions)
    thrice = rank_models(*(np.tile(each, 3) for each in (one, two, outcome)), clusters=np.tile(questions, 3))
    for single, repeated in zip(once.models, thrice.models, strict=True):
        assert repeated.strength.standard_error == pytest.approx(single.strength.standard_error, rel=1e-9)
    assert thrice.clusters == 300
    independent = rank_models(*(np.tile(each, 3) for each in (one, two, outcome)))
    assert independent.models[0].strength.standard_error < 0.7 * once.models[0].strength.standard_error


def test_errors_equal_those_of_comparisons_derived_from_scores():
    random = np.random.default_rng(5)
    scores = random.integers(1, 6, (40, 3)).astype(float)
    questions = np.repeat(np.arange(10), 4)
    derived = compare_by_scores(scores, ("a", "b", "c"), questions)
    rows = [
        (("a", "b", "c")[i], ("a", "b", "c")[j], (np.sign(scores[cell, i] - scores[cell, j]) + 1) / 2, questions[cell])
        for cell in range(40)
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    found = rank_models(*([row[place] for row in rows] for place in range(3)), clusters=[row[3] for row in rows])
    expected = dict(zip(derived.fit.models, derived.fit.strengths, strict=True))
    for each in found.models:
        assert each.strength.value == pytest.approx(expected[each.model].value, abs=1e-9)
        assert each.strength.standard_error == pytest.approx(expected[each.model].standard_error, rel=1e-9)


def test_many_questions_give_the_same_errors_in_parts(monkeypatch):
    one, two, outcome = played(np.array([0.5, 0.0, -0.5]), 500, seed=6)
    questions = np.random.default_rng(7).integers(0, 90, 500)
    whole = rank_models(one, two, outcome, clusters=questions)
    monkeypatch.setattr("venire.stats.comparison.cluster_sums._MOST", 28)
    parts = rank_models(one, two, outcome, clusters=questions)
    assert parts.clusters == whole.clusters
    assert parts.fit.covariance == pytest.approx(whole.fit.covariance, rel=1e-9)


def test_sums_of_many_clusters_are_held_shorter_with_the_same_errors(monkeypatch):
    one, two, outcome = played(np.linspace(1, -1, 5), 2000, seed=11)
    questions = np.random.default_rng(12).integers(0, 300, 2000)
    exact = bradley_terry_clustered(one, two, outcome, questions)
    monkeypatch.setattr("venire.stats.comparison.cluster_sums._EXACT", 1)
    short = bradley_terry_clustered(one, two, outcome, questions)
    assert short.covariance == pytest.approx(exact.covariance, rel=1e-4, abs=1e-9)
    assert exact.n["clusters"] == len(np.unique(questions))


def test_a_comparison_with_a_weight_counts_as_often():
    one, two, outcome = played(np.linspace(1, -1, 4), 400, seed=13)
    questions = np.arange(400) % 40
    weights = np.random.default_rng(14).integers(1, 4, 400)
    weighed = rank_models(one, two, outcome, clusters=questions, weights=weights)
    often = rank_models(
        *(np.repeat(each, weights) for each in (one, two, outcome)), clusters=np.repeat(questions, weights)
    )
    assert weighed.fit.covariance == pytest.approx(often.fit.covariance, rel=1e-9)
    assert [each.model for each in weighed.models] == [each.model for each in often.models]
    for one_way, other in zip(weighed.models, often.models, strict=True):
        assert one_way.strength.value == pytest.approx(other.strength.value, abs=1e-9)
    assert weighed.wins.comparisons == weights.sum()


def test_a_weight_of_nothing_is_refused():
    with pytest.raises(UsageError, match="weight"):
        rank_models(["a", "b"], ["b", "a"], [1, 1], weights=[1, 0])


def test_rows_without_a_question_or_an_outcome_do_not_count_in_the_errors():
    one, two, outcome = played(np.array([0.5, 0.0, -0.5]), 300, seed=8)
    whole = rank_models(one, two, outcome, clusters=[f"q{place % 50}" for place in range(300)])
    one, two, outcome = (np.append(each, more) for each, more in ((one, 0), (two, 1), (outcome, np.nan)))
    missing = rank_models(one, two, outcome, clusters=[*(f"q{place % 50}" for place in range(300)), None])
    assert missing.fit.covariance == pytest.approx(whole.fit.covariance, rel=1e-9)


def test_models_that_never_met_have_no_order():
    found = rank_models(["a", "c"], ["b", "d"], [1, 0.5])
    assert found.reason
    assert all(each.best is None and each.strength.value is None for each in found.models)


def test_one_question_alone_gives_strengths_without_ranges():
    one, two, outcome = played(np.array([0.5, 0.0, -0.5]), 100, seed=9)
    found = rank_models(one, two, outcome, clusters=["q"] * 100)
    assert all(each.best is None and each.strength.low is None for each in found.models)
    assert found.models[0].strength.value > 0


def test_all_true_strengths_and_ranks_lie_within_their_ranges_as_often_as_stated():
    truth = np.linspace(0.8, -0.8, 6)
    held = ranked = 0
    for trial in range(60):
        one, two, outcome = played(truth, 900, seed=1000 + trial, ties=0.0)
        found = rank_models(one, two, outcome)
        held += all(each.strength.low <= truth[each.model] <= each.strength.high for each in found.models)
        ranked += all(each.best <= 1 + each.model <= each.worst for each in found.models)
    assert held >= 52  # 57 expected; fewer than 52 of 60 has a probability under 1 in 100
    assert ranked >= 52


def test_a_model_without_errors_may_stand_anywhere_and_nobody_is_surely_before_it():
    one, two, outcome = played(np.array([3.0, 0.0, -3.0]), 900, seed=7)
    rows = (np.append(one, [3, 3]), np.append(two, [1, 1]), np.append(outcome, [0.5, 0]))
    found = rank_models(*rows, clusters=np.append(np.arange(900) % 90, [5, 5]))
    ranges = {each.model: (each.best, each.worst) for each in found.models}
    assert ranges == {0: (1, 2), 1: (2, 3), 2: (3, 4), 3: (1, 4)}
    assert (found.without_errors, found.why_no_errors, found.level) == ((3,), "", 0.95)
    newcomer = next(each for each in found.models if each.model == 3)
    assert newcomer.strength.low is None
    assert newcomer.strength.reason
