import random

import numpy as np
import pytest
from scipy.stats import betabinom, binom

from venire.stats.sequential.anchor_stream import AnchorStream
from venire.stats.sequential.contradiction_bets import BOUNDS, USUAL_NOISE, ContradictionBets


def _enrolled(anchors, parted=0, **terms):
    stream = AnchorStream(tolerance=0.1, **terms)
    for number in range(anchors):
        assert stream.take(f"a{number}", 0.5) is None
        assert stream.take(f"a{number}", 1.0 if number < parted else 0.5) is None
    return stream


def test_first_verdicts_count_against_a_noise_by_how_unlikely_it_makes_them():
    bets = ContradictionBets()
    bets.enrol(np.array([4.0]), np.array([100.0]))
    mixed = betabinom(100, *USUAL_NOISE).logpmf(4)
    for place in (20, 60, 100, 140):
        # An interval of noise counts by its likeliest rate, at one of its ends, and is bet against by its highest.
        lower, upper = (2 * BOUNDS[end] / (1 + 2 * BOUNDS[end]) for end in (place - 1, place))
        assert bets.logs()[0, place] == pytest.approx(
            mixed - max(binom(100, each).logpmf(4) for each in (lower, upper))
        )


def test_whatever_the_noise_a_judge_that_does_not_change_earns_nothing_on_average():
    for noise in (0.02, 0.2):
        parted = np.arange(51)
        likely = binom(50, noise).pmf(parted)
        bets = ContradictionBets(51)
        bets.enrol(parted.astype(float), np.full(51, 50.0))
        place = np.searchsorted(2 * BOUNDS / (1 + 2 * BOUNDS), noise)
        assert likely @ np.exp(bets.logs()[:, place]) <= 1 + 1e-9
        rate = noise / 2 / (1 - noise)
        before = np.exp(bets.logs()[:, place])
        outcomes = []
        for failed in (True, False):
            after = ContradictionBets(51)
            after.enrol(parted.astype(float), np.full(51, 50.0))
            after.bet(np.full(51, failed), np.full(51, True))
            outcomes.append(np.exp(after.logs()[:, place]))
        assert np.all(rate * outcomes[0] + (1 - rate) * outcomes[1] <= before + 1e-9)


def test_anchors_that_part_from_themselves_at_first_tell_nothing_later():
    stream = _enrolled(100, parted=4)
    assert stream.take("a3", 0.0) is None
    assert stream.take("a4", 0.0) is True
    assert stream.observations == 1


def test_an_anchor_is_bet_on_until_it_is_contradicted_and_told_of_after():
    stream = _enrolled(100)
    assert [stream.take("a0", verdict) for verdict in (0.5, 0.0, 0.0, 0.5)] == [False, True, True, False]
    assert (stream.observations, stream.contradictions) == (2, 1)


def test_verdicts_within_the_tolerance_are_the_same():
    assert _enrolled(100).take("a0", 0.58) is False
    assert _enrolled(100).take("a0", 0.6) is True


def test_where_only_greater_values_count_a_smaller_one_is_no_contradiction():
    assert _enrolled(100, only_above=True).take("a0", 0.0) is False
    assert _enrolled(100, only_above=True).take("a0", 1.0) is True


def test_nothing_is_bet_before_the_retest_noise_is_known():
    stream = _enrolled(19)
    assert [stream.take(f"a{number}", 0.0) for number in range(19)] == [True] * 19
    assert (stream.bound, stream.e_value, stream.observations) == (None, 1.0, 0)


def test_a_change_is_found_soon_after_a_long_time_without_one():
    stream = _enrolled(100)
    for number in range(1000):
        stream.take(f"a{number % 100}", 0.5)
    assert stream.e_value < 1
    for number in range(30):
        stream.take(f"a{number}", 0.0 if number % 6 == 5 else 0.5)
    assert stream.e_value >= 20


def test_judges_that_are_followed_together_fare_as_if_alone():
    chance = random.Random(7)
    both, alone = ContradictionBets(2), [ContradictionBets(), ContradictionBets()]
    both.enrol(np.array([3.0, 0.0]), np.array([40.0, 40.0]))
    for bets, parted in zip(alone, (3.0, 0.0), strict=True):
        bets.enrol(np.array([parted]), np.array([40.0]))
    for _ in range(30):
        failed = np.array([chance.random() < 0.3, chance.random() < 0.1])
        there = np.array([chance.random() < 0.7, True])
        both.bet(failed, there)
        for place, bets in enumerate(alone):
            bets.bet(failed[place : place + 1], there[place : place + 1])
    assert both.logs() == pytest.approx(np.concatenate([bets.logs() for bets in alone]))


def _anchors_until_found(chance, noise, share, most=400):
    """Return after how many anchors a changed judge was found; None if it was not."""
    anchors = [f"a{number}" for number in range(200)]
    stream, changed = AnchorStream(tolerance=0.1), set(chance.sample(anchors, round(share * 200)))

    def verdict(usual):
        return 1 - usual if chance.random() < noise / 2 else usual

    for anchor in anchors * 2:
        stream.take(anchor, verdict(0.0))
    for count in range(1, most + 1):
        anchor = anchors[(count * 7) % 200]
        stream.take(anchor, verdict(float(anchor in changed)))
        if stream.e_value >= 20:
            return count
    return None


def test_false_alarms_stay_within_the_level_at_every_look():
    chance = random.Random(4)
    assert sum(_anchors_until_found(chance, 0.05, 0.0) is not None for _ in range(80)) <= 0.05 * 80


def test_a_judge_that_changes_fifteen_percent_of_verdicts_is_found_within_fifty_anchors():
    chance = random.Random(5)
    for noise in (0.02, 0.05):
        found = sorted(_anchors_until_found(chance, noise, 0.15) or 9999 for _ in range(60))
        assert found[30] <= 50
        assert found[int(0.93 * 60)] < 9999
