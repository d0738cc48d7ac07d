"""Ranges of ranks from scores: which places a model may have among all, with errors clustered by question."""

import itertools

import numpy as np
import pytest

from venire.stats.comparison.rank_ranges import rank_scores


def drawn(means, questions, seed, noise=1.0):
    """Scores of models on the same questions, which are of unlike difficulty."""
    generator = np.random.default_rng(seed)
    shared = generator.normal(0, 3, questions)
    scores = np.asarray(means) + shared[:, None] + noise * generator.normal(size=(questions, len(means)))
    names = [f"m{place}" for place in range(len(means))]
    return scores.ravel(), names * questions, np.repeat(np.arange(questions), len(means))


def ends(found):
    return {name: (each.best, each.worst) for name, each in found.items()}


def test_models_far_apart_have_one_place_and_near_ones_share_theirs():
    found = rank_scores(*drawn([5, 5.05, 2, 8], 40, seed=1))
    assert list(found) == ["m3", "m0", "m1", "m2"]
    assert ends(found) == {"m3": (1, 1), "m1": (2, 3), "m0": (2, 3), "m2": (4, 4)}
    assert [each.rank for each in found.values()] == [1, 2, 3, 4]


def test_what_questions_have_in_common_is_not_counted_as_error():
    scores, names, questions = drawn([5, 6], 30, seed=2, noise=0.5)
    assert ends(rank_scores(scores, names, questions)) == {"m1": (1, 1), "m0": (2, 2)}
    apart = np.arange(len(scores))
    assert ends(rank_scores(scores, names, apart)) == {"m1": (1, 2), "m0": (1, 2)}


def test_two_models_are_told_apart_where_the_paired_t_test_tells_them_apart():
    for seed in range(40):
        scores, names, questions = drawn([5, 5.6], 12, seed)
        differences = np.subtract(*scores.reshape(-1, 2).T)
        t = differences.mean() / (differences.std(ddof=1) / np.sqrt(12))
        if abs(abs(t) - 2.20099) > 0.15:  # the quantile is drawn
            found = rank_scores(scores, names, questions)["m0"]
            assert (found.best == found.worst) == (abs(t) > 2.20099)


def test_all_ranges_hold_at_once_where_models_are_equal_or_nearly_so():
    missed, runs = 0, 300
    means = [5, 5, 5, 5.2, 5.4, 6]
    better = [sum(other > mean for other in means) for mean in means]
    tied = [means.count(mean) for mean in means]
    for seed in range(runs):
        found = ends(rank_scores(*drawn(means, 15, seed)))
        held = (
            found[f"m{place}"][0] <= above + each and found[f"m{place}"][1] >= above + 1
            for place, (above, each) in enumerate(zip(better, tied, strict=True))
        )
        missed += not all(held)
    assert missed <= 0.05 * runs + 2 * np.sqrt(0.05 * 0.95 * runs)


def test_a_model_with_a_single_question_has_no_range_and_may_stand_anywhere():
    scores, names, questions = drawn([5, 8], 20, seed=3)
    found = rank_scores([*scores, 9.0], [*names, "new"], [*questions, 0])
    assert (found["new"].best, found["new"].worst, found["new"].rank) == (None, None, 1)
    assert "two questions" in found["new"].reason
    assert ends(found) | {"new": None} == {"new": None, "m1": (1, 2), "m0": (2, 3)}


def test_models_whose_difference_does_not_vary_are_not_told_apart():
    found = rank_scores([1, 2, 3, 2, 3, 4], list("aaabbb"), [1, 2, 3, 1, 2, 3])
    assert ends(found) == {"b": (1, 2), "a": (1, 2)}


@pytest.mark.parametrize("scores", [[], [np.nan, np.nan]])
def test_without_scores_there_are_no_ranks(scores):
    assert rank_scores(scores, ["a", "b"][: len(scores)], [1, 2][: len(scores)]) == {}


def test_ranges_of_all_models_cover_all_places():
    for seed in range(10):
        found = ends(rank_scores(*drawn(np.random.default_rng(seed).normal(size=7), 25, seed)))
        covered = set(itertools.chain.from_iterable(range(low, high + 1) for low, high in found.values()))
        assert covered == set(range(1, 8))
