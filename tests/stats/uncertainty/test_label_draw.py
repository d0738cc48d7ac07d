"""Draws of outputs to label: their probabilities are the ones stated, and are higher where judges doubt."""

import numpy as np
import pytest
from bench.stats.labelling import simulate

from venire.errors import UsageError
from venire.stats.uncertainty.label_draw import FLOOR, draw_outputs, judges_doubt, label_chances

QUESTIONS = np.repeat(np.arange(60), 2)
OPEN = np.ones(120, dtype=bool)


def test_outputs_on_which_judges_part_are_doubtful_and_so_is_their_question_where_questions_are_alike():
    scores = np.tile([4.0, 4.0, 4.0], (8, 1))
    scores[0] = (1, 3, 5)
    questions = np.repeat(np.arange(4), 2)
    alone = judges_doubt(scores, questions)
    assert alone[0] > alone[1] == alone[2] == alone[7] > 0
    scores[[2, 3]] = (2, 3, 5)
    scores[1] = (3, 3, 4)
    alike = judges_doubt(scores, questions)
    assert alike[0] > alike[1] > alike[4] == alike[7] > 0
    apart = judges_doubt(scores, np.arange(8))
    assert alike[0] / alike[1] < apart[0] / apart[1]


def test_one_judge_gives_no_doubt_and_a_missing_score_the_usual_one():
    assert judges_doubt(np.array([[1.0], [5.0]]), np.array([0, 1])).tolist() == [1, 1]
    assert judges_doubt(np.full((3, 2), 4.0), np.arange(3)).tolist() == [1, 1, 1]
    scores = np.array([[1.0, 5.0], [3.0, np.nan], [3.0, 3.0]])
    doubt = judges_doubt(scores, np.arange(3))
    assert doubt[0] > doubt[1] > doubt[2]


def test_chances_go_by_weight_and_add_up_to_what_is_asked_for():
    weights = np.array([1.0, 2.0, 100.0, 1.0, 2.0])
    chances = label_chances(weights, np.ones(5, dtype=bool), 3)
    assert chances[2] == 1
    assert chances[1] == pytest.approx(2 * chances[0], abs=1e-5)
    assert chances.sum() == pytest.approx(3, abs=1e-5)


def test_what_was_drawn_before_has_the_chance_that_it_would_have_had():
    is_open = np.array([True, True, True, False])
    chances = label_chances(np.ones(4), is_open, 1)
    assert chances[:3].sum() == pytest.approx(1, abs=1e-5)
    assert chances[3] == chances[0]


def test_more_than_there_are_cannot_be_drawn():
    with pytest.raises(UsageError, match="3 outputs were asked for, but only 2 outputs"):
        label_chances(np.ones(3), np.array([True, True, False]), 3)


def test_outputs_are_drawn_as_often_as_their_chances_say_and_never_those_that_are_taken():
    generator = np.random.default_rng(3)
    is_open = np.arange(120) != 7
    chances = label_chances(1 + 3.0 * (QUESTIONS % 3 == 0), is_open, 50)
    drawn = np.zeros(120)
    for _ in range(400):
        places = draw_outputs(chances, QUESTIONS, is_open, 50, generator)
        assert len(set(places.tolist())) == 50
        drawn[places] += 1
    assert drawn[7] == 0
    apart = (drawn / 400 - chances)[is_open] / np.sqrt(chances * (1 - chances) / 400)[is_open]
    assert np.abs(apart).max() < 4


def test_outputs_to_one_question_are_drawn_together():
    places = draw_outputs(np.full(120, 0.5), QUESTIONS, OPEN, 60, np.random.default_rng(1))
    assert len(set(QUESTIONS[places].tolist())) == 30


def test_few_labels_are_spread_over_many_questions():
    places = draw_outputs(np.full(120, 0.2), QUESTIONS, OPEN, 24, np.random.default_rng(1))
    assert len(set(QUESTIONS[places].tolist())) > 18


@pytest.mark.parametrize("kind", ["verdicts", "scores"])
def test_sought_labels_are_narrower_than_more_random_ones_and_cover(kind):
    plain, sought = (simulate(kind, 5, labels, is_sought=labels == 70, repetitions=60) for labels in (100, 70))
    assert sought.width < 1.06 * plain.width
    assert sought.covers >= 0.87


def test_doubt_is_the_variance_between_judges_drawn_to_its_question_by_how_alike_its_outputs_are():
    scores = np.random.default_rng(4).normal(5, 2, (11, 3)) * np.repeat([0.3, 1.0, 2.0, 0.5], (3, 2, 4, 2))[:, None]
    scores[3, 2] = scores[7, 0] = np.nan
    questions = np.repeat([0, 1, 2, 3], (3, 2, 4, 2))
    own = [np.nanvar(row, ddof=1) for row in scores]
    groups = [[own[place] for place in np.flatnonzero(questions == name)] for name in range(4)]
    within = sum(sum((each - np.mean(group)) ** 2 for each in group) for group in groups) / (11 - 4)
    between = sum(len(group) * (np.mean(group) - np.mean(own)) ** 2 for group in groups) / (4 - 1)
    usual_size = (11 - sum(len(group) ** 2 for group in groups) / 11) / (4 - 1)
    correlation = (between - within) / (between + (usual_size - 1) * within)
    assert 0 < correlation < 1
    expected = []
    for group in groups:
        share = len(group) * correlation / (1 + (len(group) - 1) * correlation)
        expected += [np.sqrt((1 - share) * each + share * np.mean(group) + FLOOR * np.mean(own)) for each in group]
    assert judges_doubt(scores, questions) == pytest.approx(np.array(expected))
