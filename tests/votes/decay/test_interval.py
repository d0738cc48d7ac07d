"""Intervals of a consensus: from the spread of votes, and from drawing voters anew."""

import math

import numpy as np
import pytest

from making_votes import vote_frame, vote_row
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.interval import bootstrap_interval, weighted_intervals
from venire.votes.decay.terms import Batching, Decay


def test_equal_weights_give_the_interval_of_a_mean():
    values = [0.1, 0.4, 0.5, 0.9, 0.6]
    found = weighted_intervals(vote_frame([vote_row(value, voter=str(value)) for value in values])).row(0, named=True)
    error = np.std(values, ddof=1) / math.sqrt(len(values))
    assert found["standard_error"] == pytest.approx(error)
    assert found["high"] == pytest.approx(0.5 + 2.7764451051977987 * error)  # Student's t, 4 degrees


@pytest.mark.parametrize(("value", "end", "where"), [(0.0, "low", 0.0), (1.0, "high", 1.0)])
def test_an_interval_is_cut_at_the_ends_of_the_scale(value, end, where):
    rows = [vote_row(value, voter=str(number)) for number in range(3)]
    found = weighted_intervals(vote_frame([*rows, vote_row(0.5, voter="other")])).row(0, named=True)
    reach = 3.182446305284263 * found["standard_error"]
    assert reach > abs(found["score"] - where) > 0  # Without the cut the end would lie beyond.
    assert found[end] == where


def test_votes_of_one_voter_are_not_independent():
    one = [vote_row(value, voter=str(number)) for number, value in enumerate((0.0, 1.0, 0.0, 1.0))]
    same = [vote_row(value, voter=str(value)) for value in (0.0, 1.0, 0.0, 1.0)]
    spread = weighted_intervals(vote_frame(one))["standard_error"][0]
    assert weighted_intervals(vote_frame(same))["standard_error"][0] > spread


@pytest.mark.parametrize("rows", [[vote_row(0.5)], [vote_row(0.5), vote_row(0.5, day=2)]])
def test_one_voter_has_no_interval(rows):
    found = weighted_intervals(vote_frame(rows)).row(0, named=True)
    assert (found["low"], found["high"]) == (None, None)
    assert found["score"] == 0.5


@pytest.mark.parametrize(("value", "low", "high"), [(1.0, 0.398, 1.0), (0.0, 0.0, 0.602), (0.5, 0.199, 0.801)])
def test_voters_of_one_mind_leave_room_for_those_whom_nobody_asked(value, low, high):
    rows = [vote_row(value, voter=str(number)) for number in range(4)]
    found = weighted_intervals(vote_frame(rows)).row(0, named=True)
    assert (found["low"], found["high"]) == (pytest.approx(low, abs=5e-4), pytest.approx(high, abs=5e-4))
    assert found["standard_error"] is None
    wider = weighted_intervals(vote_frame(rows[:3])).row(0, named=True)
    assert wider["high"] - wider["low"] > found["high"] - found["low"]


def test_the_interval_of_few_voters_covers_the_mean_as_often_as_it_says():
    generator = np.random.default_rng(7)
    rows = [
        vote_row(float(value), voter=str(voter), item=str(item))
        for item, values in enumerate(generator.random(size=(600, 4)))
        for voter, value in enumerate(values)
    ]
    found = weighted_intervals(vote_frame(rows))
    assert (
        (found["low"] <= 0.5) & (found["high"] >= 0.5)
    ).mean() > 0.91  # Of uniform votes; the normal quantile reaches 0.84.


def test_every_item_has_its_own_interval_beside_its_score():
    rows = [vote_row(value, voter=str(value), item=item) for item in "ab" for value in (0.2, 0.4)]
    frame = vote_frame([*rows, vote_row(1.0, voter="z", item="b")])
    found = weighted_intervals(frame)
    assert found["score"].to_list() == score_votes(frame).frame["score"].to_list()
    assert found["standard_error"].n_unique() == 2


def test_the_bootstrap_keeps_the_score_and_is_repeatable():
    frame = vote_frame([vote_row(number % 4 / 3, voter=str(number), day=number) for number in range(20)])
    decay = Decay(batching=Batching("vote"))
    one, again = (bootstrap_interval(frame, decay, seed=5) for _ in range(2))
    assert one == again
    assert one.value == pytest.approx(score_votes(frame, decay).frame["score"][0])
    assert one.low < one.value < one.high
    assert bootstrap_interval(frame, decay, seed=6).low != one.low


def test_the_bootstrap_is_near_the_weighted_interval_where_both_hold():
    generator = np.random.default_rng(3)
    frame = vote_frame(
        [vote_row(float(value), voter=str(number)) for number, value in enumerate(generator.random(200))]
    )
    drawn, weighted = bootstrap_interval(frame, seed=1), weighted_intervals(frame).row(0, named=True)
    assert drawn.standard_error == pytest.approx(weighted["standard_error"], rel=0.1)


def test_one_voter_or_none_has_no_bootstrap_interval():
    assert bootstrap_interval(vote_frame([vote_row(1.0)]), seed=1).low is None
    assert not bootstrap_interval(vote_frame([vote_row(None)]), seed=1).known


def test_the_weighted_interval_covers_the_mean_about_as_often_as_it_says():
    generator = np.random.default_rng(11)
    rows = [
        vote_row(float(value), voter=str(voter), item=str(item))
        for item, values in enumerate(generator.beta(2, 3, size=(400, 25)))
        for voter, value in enumerate(values)
    ]
    found = weighted_intervals(vote_frame(rows))
    covered = ((found["low"] <= 0.4) & (found["high"] >= 0.4)).mean()
    assert 0.89 < covered < 0.98
