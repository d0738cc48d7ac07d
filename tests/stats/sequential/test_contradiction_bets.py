"""Bets on contradictions: the same as one bettor after another, step by step; wealth is nothing to gain by noise."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import betaln

from venire.stats.sequential.contradiction_bets import (
    AT_ONCE,
    BOUNDS,
    EACH_TIME,
    LARGEST_STAKE,
    LIKELY,
    SHARES,
    USUAL_NOISE,
    ContradictionBets,
)


def plain_logs(parted, pairs, later):
    """Do for one judge what is written of the bets, one number at a time."""
    ends = [0.0, *np.geomspace(0.004, 0.4, 160), 1.0]
    wealth = [0.0] * (len(ends) - 1)
    changed, unchanged = [AT_ONCE * each for each in LIKELY], 1 - AT_ONCE
    slips, verdicts = 0.5 + parted, 1.0 + 2 * pairs
    for failed in later:
        noise = slips / verdicts
        rates = [share + (1 - share) * noise for share in SHARES]
        expected = sum(c * r for c, r in zip(changed, rates, strict=True)) + unchanged * noise
        for place, high in enumerate(ends[1:]):
            bound = min(0.95, high / 2 / max(1 - high, 1e-9))
            stake = min(max((expected - bound) / (1 - bound), 0.0), LARGEST_STAKE)
            wealth[place] += math.log1p(stake * (1 - bound) / bound if failed else -stake)
        seen = [c * (r if failed else 1 - r) for c, r in zip(changed, rates, strict=True)]
        still = unchanged * (noise if failed else 1 - noise)
        total = sum(seen) + still
        still /= total
        slips, verdicts = slips + (still if failed else 0), verdicts + still
        changed = [each / total + EACH_TIME * still * likely for each, likely in zip(seen, LIKELY, strict=True)]
        unchanged = still * (1 - EACH_TIME)
    return [each + _first(parted, pairs, *ends[place : place + 2]) for place, each in enumerate(wealth)]


def _first(parted, pairs, low, high):
    likeliest = min(max(parted / max(pairs, 1), low), high)
    agreed = pairs - parted
    own = (parted * math.log(likeliest) if parted else 0) + (agreed * math.log(1 - likeliest) if agreed else 0)
    return betaln(parted + USUAL_NOISE[0], agreed + USUAL_NOISE[1]) - betaln(*USUAL_NOISE) - own


@pytest.mark.parametrize(("parted", "pairs"), [(0, 20), (3, 30), (1, 25), (1, 1), (0, 0)])
def test_the_wealth_of_each_bettor_is_that_of_a_plain_loop(parted, pairs):
    later = [False, True, False, False, True, True, False]
    bets = ContradictionBets()
    bets.enrol(np.array([float(parted)]), np.array([float(pairs)]))
    for failed in later:
        bets.bet(np.array([failed]), np.array([True]))
    expected = plain_logs(parted, pairs, later)[:-1]  # In the last interval first verdicts that agree cannot be.
    np.testing.assert_allclose(bets.logs()[0][:-1], expected, rtol=1e-9)


def test_a_judge_whose_verdict_is_not_there_is_left_as_it_was():
    alone, beside = ContradictionBets(1), ContradictionBets(2)
    alone.enrol(np.array([1.0]), np.array([20.0]))
    beside.enrol(np.array([1.0, 1.0]), np.array([20.0, 20.0]))
    alone.bet(np.array([True]), np.array([True]))
    beside.bet(np.array([True, True]), np.array([True, True]))
    beside.bet(np.array([True, True]), np.array([False, True]))
    np.testing.assert_array_equal(beside.logs()[0], alone.logs()[0])
    assert (beside.logs()[1] > beside.logs()[0])[20:60].all()
    alone.bet(np.array([True]), np.array([True]))
    np.testing.assert_allclose(alone.logs()[0], beside.logs()[1])


def test_first_verdicts_add_up():
    once, twice = ContradictionBets(), ContradictionBets()
    once.enrol(np.array([2.0]), np.array([30.0]))
    for parted, pairs in ((1.0, 10.0), (1.0, 20.0)):
        twice.enrol(np.array([parted]), np.array([pairs]))
    np.testing.assert_array_equal(once.logs(), twice.logs())
    assert (twice.pairs[0], twice.parted[0]) == (30, 2)


def test_what_is_believed_at_first_adds_up_to_one_and_no_bettor_is_bet_against_a_certainty():
    assert LIKELY.sum() == pytest.approx(1)
    assert (np.diff(BOUNDS) >= 0).all()
    assert 0 < BOUNDS[0] < BOUNDS[-1] < 1
