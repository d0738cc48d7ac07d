import pytest

from making_votes import vote_frame, vote_row
from venire.votes.analysis.vote_completeness import vote_completeness


def named(frame, key, value):
    return dict(zip(frame[key], frame[value], strict=True))


def test_completeness_is_told_by_voter_by_inference_and_over_all():
    frame = vote_frame([vote_row(1, voter="1"), vote_row(0, voter="2"), vote_row(1, voter="1", item="b")])
    done = vote_completeness(frame, [1, 2, 3], ["a", "b"])
    assert named(done.by_inference, "inference_id", "completeness") == {
        "a": pytest.approx(2 / 3),
        "b": pytest.approx(1 / 3),
    }
    assert named(done.by_voter, "voter_id", "completeness") == {"1": 1.0, "2": 0.5, "3": 0.0}
    assert (done.overall, done.voted, done.expected) == (0.5, 3, 6)


def test_voting_twice_or_not_at_all_or_unasked_does_not_make_voting_more_complete():
    frame = vote_frame([vote_row(1), vote_row(0, day=1), vote_row(None, voter="y"), vote_row(1, voter="stranger")])
    done = vote_completeness(frame, ["x", "y"])
    assert (done.overall, done.unexpected_voters) == (0.5, 1)


def test_completeness_without_anything_expected_is_not_known():
    assert vote_completeness(vote_frame([vote_row(1)]), []).overall is None
