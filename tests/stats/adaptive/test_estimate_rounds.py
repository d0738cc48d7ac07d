"""Estimates of a jury that is asked where it is uncertain: exact when all was asked, sound when it was not."""

import numpy as np
import pytest
from bench.adaptive_jury import JURIES, WORLDS, adaptive, uniform

from venire.stats.adaptive.drawn_asks import draw_probabilities, expected_variance
from venire.stats.adaptive.estimate_rounds import estimates, next_chances
from venire.stats.adaptive.expected_replies import expected_replies
from venire.stats.adaptive.jury_asks import JuryAsks
from venire.stats.adaptive.selected_mean import DrawnRound, selected_mean

WEIGHTS = np.array([0.25, 0.25, 0.5])


def _asks(values, answered=None, groups=None):
    values = np.asarray(values, dtype=float)
    answered = ~np.isnan(values) if answered is None else answered
    return JuryAsks(
        values=values,
        answered=answered,
        weights=WEIGHTS,
        judges=np.array([0, 1, 2]),
        start=2,
        groups=np.zeros(len(values), dtype=int) if groups is None else groups,
        span=8.0,
    )


def _round(shape, chance, drawn, expected=4.0, share=1.0):
    chances = np.zeros(shape)
    chances[:, 2] = chance
    return DrawnRound(
        probabilities=chances,
        expected=np.full(shape, expected),
        drawn=np.column_stack([np.zeros((shape[0], 2), dtype=bool), drawn]),
        shares=np.array([share]),
    )


def test_a_whole_jury_has_its_plain_mean_and_no_interval():
    values = [[2, 4, 6], [8, 8, 8], [0, 1, 3]]
    asks = _asks(values)
    found = selected_mean(asks, [_round((3, 3), 1.0, np.ones(3, dtype=bool))], 0, np.ones((3, 3)))
    assert found.value == pytest.approx(float((np.array(values) @ WEIGHTS).mean()))
    assert (found.half_width, found.drawn, found.whole) == (0.0, 3, 3)


def test_an_invalid_reply_does_not_count_as_a_low_one():
    values = np.array([[2.0, 4.0, 6.0], [8.0, 8.0, np.nan]])
    asks = _asks(values, answered=np.ones((2, 3), dtype=bool))
    found = selected_mean(asks, [_round((2, 3), 1.0, np.ones(2, dtype=bool))], 0, np.ones((2, 3)))
    given = np.array([2, 4, 6, 8, 8]) @ np.array([0.25, 0.25, 0.5, 0.25, 0.25]) / 1.5
    assert found.value == pytest.approx(given)


def test_asks_that_follow_uncertainty_leave_the_estimate_right_on_average_and_the_plain_mean_off():
    chance = np.random.default_rng(3)
    hard = chance.random(120) < 0.3
    strong = np.where(hard, 1.0, 7.0) + chance.normal(0, 0.5, 120)
    first = np.full((120, 2), 4.0)
    likely = np.where(hard, 0.8, 0.2)
    truth = float(np.column_stack([first, strong]).mean(axis=0) @ WEIGHTS)
    ours, plain = [], []
    for _ in range(400):
        drawn = chance.random(120) < likely
        asks = _asks(np.column_stack([first, np.where(drawn, strong, np.nan)]))
        ours.append(selected_mean(asks, [_round((120, 3), likely, drawn)], 0, np.ones((120, 3))).value)
        plain.append(0.5 * 4.0 + 0.5 * strong[drawn].mean())
    assert np.mean(ours) == pytest.approx(truth, abs=0.03)
    assert abs(np.mean(plain) - truth) > 0.3


def test_probabilities_follow_uncertainty_and_are_as_low_as_the_variance_allows():
    sizes = np.array([0.1] * 90 + [1.0] * 10)
    chances = draw_probabilities(sizes, 5.0, 0.0, np.inf)
    assert chances[-1] > 3 * chances[0] > 0
    assert expected_variance(sizes, chances) == pytest.approx(5.0, rel=0.01)
    assert draw_probabilities(sizes, 5.0, 0.0, 4.0).sum() == pytest.approx(4.0, rel=0.01)
    assert (draw_probabilities(sizes, 0.0, 0.0, np.inf) == 1).all()


def test_a_reply_is_expected_from_the_first_judges_and_further_off_where_they_part():
    chance = np.random.default_rng(5)
    apart = np.where(np.arange(300) % 3 == 0, 3.0, 0.0)
    good = chance.uniform(2, 6, 300)
    values = np.column_stack([good - apart / 2, good + apart / 2, good + 1 + apart * chance.normal(0, 0.5, 300)])
    found = expected_replies(_asks(np.where(np.arange(300)[:, None] < 200, values, [1, 1, np.nan] * values)))
    assert found.means[250:, 2] == pytest.approx(good[250:] + 1, abs=0.8)
    assert found.spreads[apart > 0, 2].min() > 2 * found.spreads[apart == 0, 2].max()


def test_nothing_more_is_drawn_once_every_group_is_narrow_enough():
    values = np.column_stack([np.full((50, 2), 4.0), np.full(50, 4.0)])
    asks = _asks(values)
    rounds = [_round((50, 3), 1.0, np.ones(50, dtype=bool))]
    assert next_chances(asks, rounds, 0.1) is None
    assert estimates(asks, [])[0] is None


@pytest.mark.parametrize(("world", "start", "half_width"), [("contested", "a, b", 0.06), ("even", "a", 0.1)])
def test_an_adaptive_jury_covers_the_whole_one_with_fewer_calls_than_a_uniform_one(world, start, half_width):
    """A small part of `python -m bench.adaptive_jury estimate`."""
    covered, ours, theirs, jury = 0, 0, 0, JURIES[start]
    for trial in range(25):
        chance = np.random.default_rng([trial, 9])
        scores = WORLDS[world](chance, 400, jury.judges)
        found = adaptive(jury, scores, half_width, chance)
        assert found.half_width <= half_width
        covered += abs(found.value - float((scores @ jury.weights).mean())) <= found.half_width
        ours, theirs = ours + found.calls, theirs + uniform(jury, scores, half_width, chance).calls
    assert covered >= 21
    assert ours < 0.75 * theirs


@pytest.mark.parametrize(("judges", "calls"), [((0, 1, 2), 40), ((0, 1, 2, 2, 2), 60)])
def test_the_pilot_draws_some_forty_asks_and_twenty_of_each(judges, calls):
    values = np.full((500, len(judges)), np.nan)
    values[:, :2] = 4.0
    asks = JuryAsks(
        values=values, answered=~np.isnan(values), weights=np.full(len(judges), 0.2), judges=np.array(judges), start=2,
        groups=np.zeros(500, dtype=int), span=8.0,
    )  # fmt: skip
    assert next_chances(asks, [], 0.1).probabilities.sum() == pytest.approx(calls)
