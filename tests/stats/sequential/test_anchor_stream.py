import random

import pytest

from venire.stats.qualification.binomial_bounds import upper_bound
from venire.stats.sequential.anchor_stream import AnchorStream


def _enrolled(anchors, parted=0, **terms):
    stream = AnchorStream(tolerance=0.1, noise_alpha=0.01, **terms)
    for number in range(anchors):
        assert stream.take(f"a{number}", 0.5) is None
        assert stream.take(f"a{number}", 1.0 if number < parted else 0.5) is None
    return stream


def test_the_bound_is_half_of_how_often_first_verdicts_part_at_most():
    stream = _enrolled(100, parted=4)
    stream.take("a50", 0.5)
    parted = upper_bound(4, 100, alpha=0.01)
    assert (stream.pairs, stream.parted) == (100, 4)
    assert stream.bound == pytest.approx(parted / 2 / (1 - parted))


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


def test_nothing_is_lost_while_nothing_happens():
    stream = _enrolled(100)
    for number in range(100):
        stream.take(f"a{number}", 0.5)
    assert stream.e_value == 1.0


def _anchors_until_found(chance, noise, share, most=400):
    """Return after how many anchors a changed judge was found; None if it was not."""
    anchors = [f"a{number}" for number in range(200)]
    stream, changed = AnchorStream(tolerance=0.1, noise_alpha=0.01), set(chance.sample(anchors, round(share * 200)))

    def verdict(usual):
        return 1 - usual if chance.random() < noise / 2 else usual

    for anchor in anchors * 2:
        stream.take(anchor, verdict(0.0))
    for count in range(1, most + 1):
        anchor = anchors[(count * 7) % 200]
        stream.take(anchor, verdict(float(anchor in changed)))
        if stream.e_value >= 25:
            return count
    return None


def test_false_alarms_stay_within_the_level_at_every_look():
    chance = random.Random(4)
    assert sum(_anchors_until_found(chance, 0.05, 0.0) is not None for _ in range(400)) <= 0.05 * 400


def test_a_judge_that_changes_fifteen_percent_of_verdicts_is_found_within_fifty_anchors():
    chance = random.Random(5)
    found = sorted(_anchors_until_found(chance, 0.02, 0.15) or 9999 for _ in range(300))
    assert found[150] <= 50
    assert found[int(0.93 * 300)] < 9999
