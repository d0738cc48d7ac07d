import math
from datetime import timedelta

import pytest

from making_votes import START, vote_frame, vote_row
from venire.errors import UsageError
from venire.votes.decay.batches import iterate_batches
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.terms import Batching, Decay, decay_rate

BY_VOTE = Decay(decay_rate(0.1, "day"), Batching("vote"))


def only(frame, decay=None, **options):
    return score_votes(frame, decay, **options).frame.row(0, named=True)


def test_batches_by_count_and_window_average_first():
    rows = [vote_row(vote, day=day, voter=str(day)) for day, vote in ((0.1, 0.0), (0.2, 1.0), (1.1, 1.0), (1.2, 1.0))]
    expected = math.exp(-0.1) * 0.5 + (1 - math.exp(-0.1)) * 1.0
    for batching in (Batching("count", count=2), Batching("window", window_seconds=86400)):
        state = only(vote_frame(rows), Decay(decay_rate(0.1), batching))
        assert state["batches"] == 2
        assert state["score"] == pytest.approx(expected, abs=1e-14)


def test_windows_do_not_follow_daylight_saving():
    zone_change = [vote_row(0.0, day=day, voter=str(day)) for day in (88.9, 89.1, 89.9)]  # 30 March 2025
    state = only(vote_frame(zone_change), Decay(batching=Batching("window", window_seconds=86400)))
    assert state["batches"] == 2


def test_as_of_a_moment_only_earlier_votes_are_known():
    frame = vote_frame([vote_row(1.0), vote_row(0.0, day=5), vote_row(0.5, day=9)])
    early = only(frame, BY_VOTE, as_of=START + timedelta(days=5))
    assert early == only(vote_frame([vote_row(1.0), vote_row(0.0, day=5)]), BY_VOTE)
    assert score_votes(frame, as_of=START - timedelta(seconds=1)).frame.height == 0


def test_a_moment_without_a_zone_is_refused():
    with pytest.raises(UsageError, match="zone"):
        score_votes(vote_frame([vote_row(1.0)]), as_of=START.replace(tzinfo=None))


@pytest.mark.parametrize(("at_once", "parts"), [(1, [3, 3]), (2, [3, 3]), (3, [4, 2]), (4, [6]), (None, [6])])
def test_parts_are_of_whole_items_and_hold_what_was_asked_for(at_once, parts):
    """A part ends behind the item in which the vote after its last one stands."""
    rows = [vote_row(0.5, day=day, voter=str(day), item=item) for day, item in enumerate("aaabcc")]
    found = list(iterate_batches(vote_frame(rows), Batching("vote"), votes_at_once=at_once))
    assert [len(part.votes) for part in found] == parts
    assert [name for part in found for name in part.items["inference_id"]] == ["a", "b", "c"]


def test_no_votes_are_one_part_without_items():
    (part,) = iterate_batches(vote_frame([vote_row(1.0)]).head(0), Batching("vote"))
    assert (part.items.height, len(part.votes)) == (0, 0)
