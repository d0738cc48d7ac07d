"""How strengths changed between two sets of comparisons."""

import numpy as np
import pytest

from venire.stats.comparison.sandwich import bradley_terry_clustered
from venire.stats.pairwise.strength_change import Comparisons, strength_changes

MODELS = np.array(["a", "b", "c"])


def drawn(seed, strengths, questions, taste=None, start=0):
    """Draw comparisons of every two of three models on so many questions, twice each."""
    generator = np.random.default_rng(seed)
    one, two = np.tile([0, 0, 1], 2 * questions), np.tile([1, 2, 2], 2 * questions)
    question = np.repeat(np.arange(questions), 6)
    liking = np.asarray(strengths) + (np.zeros((questions, 3)) if taste is None else taste)
    odds = liking[question, one] - liking[question, two]
    outcome = np.where(generator.random(len(odds)) < 0.1, 0.5, generator.random(len(odds)) < 1 / (1 + np.exp(-odds)))
    return Comparisons(MODELS[one], MODELS[two], outcome, question + start)


def test_the_same_comparisons_twice_changed_nothing_for_certain():
    found = strength_changes(*[drawn(1, [0.5, 0, -0.5], 30)] * 2)
    assert [each.model for each in found] == ["a", "b", "c"]
    assert all(each.change.value == 0 and each.change.standard_error == pytest.approx(0) for each in found)
    assert all(each.p_value is None for each in found)


def test_without_common_questions_errors_are_those_of_independent_fits():
    before, after = drawn(1, [0.5, 0, -0.5], 40), drawn(2, [0.5, 1.2, -1.7], 40, start=100)
    found = {each.model: each for each in strength_changes(before, after)}
    fits = [bradley_terry_clustered(*each[:4]) for each in (before, after)]
    for place, model in enumerate("abc"):
        values = [fit.strengths[place].value for fit in fits]
        assert found[model].change.value == pytest.approx(values[1] - values[0])
        # Each fit has the factor G/(G−1) of its 40 questions, the change that of all 80.
        variance = sum(fit.covariance[place, place] for fit in fits) * (39 / 40) * (80 / 79)
        assert found[model].change.standard_error ** 2 == pytest.approx(variance)
    assert found["b"].p_value < 0.01
    assert found["b"].adjusted_p >= found["b"].p_value


def test_models_and_rows_that_only_one_side_holds_are_left_out():
    before, after = drawn(1, [0.5, 0, -0.5], 40), drawn(2, [0.5, 0, -0.5], 40)
    more = Comparisons(
        [*after.first, "a", "d"], [*after.second, "d", "b"], [*after.outcome, 1, 1], [*after.clusters, 0, 0]
    )
    assert strength_changes(before, more) == strength_changes(before, after)
    assert strength_changes(Comparisons(["a"], ["b"], [1]), Comparisons(["a"], ["c"], [1])) == ()


def test_a_side_without_an_order_says_why():
    won = Comparisons(["a"] * 5, ["b"] * 5, [1] * 5, [1, 2, 3, 4, 5])
    mixed = Comparisons(["a"] * 4, ["b"] * 4, [1, 1, 0, 1], [1, 2, 3, 4])
    found = strength_changes(won, mixed)
    assert all(each.change.value is None and each.change.reason and each.p_value is None for each in found)


def test_without_questions_comparisons_are_independent():
    before, after = (drawn(seed, [0.5, 0, -0.5], 40)._replace(clusters=None) for seed in (1, 2))
    change = strength_changes(before, after)[0].change
    assert "clusters" not in change.n
    assert change.standard_error > 0


def test_intervals_of_changes_hold_where_questions_are_shared():
    held, narrow = 0, 0
    for seed in range(200):
        taste = np.random.default_rng([seed, 9]).normal(0, 1.5, (40, 3))
        sides = [drawn([seed, side], [0.5, 0, -0.5], 40, taste) for side in (1, 2)]
        first = next(each for each in strength_changes(*sides) if each.model == "a")
        held += first.change.low <= 0 <= first.change.high
        narrow += first.change.standard_error < np.hypot(first.before.standard_error, first.after.standard_error)
    assert 0.91 <= held / 200 <= 0.99
    assert narrow > 190


def test_questions_that_say_the_same_of_the_models_give_a_change_without_an_interval():
    sides = [
        Comparisons(["a"] * 8, ["b"] * 8, [1, 1, 1, 0] * 2, [1, 1, 1, 1, 2, 2, 2, 2]),
        Comparisons(["a"] * 8, ["b"] * 8, [1, 0, 0, 1, 1, 1, 1, 0], [1, 1, 1, 1, 2, 2, 2, 2]),
    ]
    for before, after in (sides, sides[::-1], (sides[0], sides[0])):
        for each in strength_changes(before, after):
            assert (each.change.low, each.p_value) == (None, None)
            assert each.change.reason.code == "reason.clusters_alike"
    assert all(each.change.low is not None for each in strength_changes(sides[1], sides[1]))
