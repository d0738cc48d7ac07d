import pytest

from making_votes import vote_frame, vote_row
from venire.errors import UsageError
from venire.votes.analysis.grand_jury_counts import (
    majority_count,
    rows_by_bucket,
    rows_by_inference,
    share_of_voters,
    shares_by_inference,
)

VOTES = vote_frame(
    [
        vote_row(1, voter="x", item="a"),
        vote_row(0, voter="y", item="a", day=0.5),
        vote_row(1, voter="x", item="b", day=1),
        vote_row(None, voter="z", item="b", day=1.01),
    ]
)


def test_rows_are_counted_by_bucket_and_empty_buckets_are_left_out():
    assert rows_by_bucket(VOTES, 60).rows() == [
        ("2025-01-01 00:00:00", 1), ("2025-01-01 12:00:00", 1), ("2025-01-02 00:00:00", 2),
    ]  # fmt: skip
    assert rows_by_bucket(VOTES, 1440, by_inference=True).rows() == [
        ("a", "2025-01-01 00:00:00", 2), ("b", "2025-01-02 00:00:00", 2),
    ]  # fmt: skip
    assert rows_by_bucket(VOTES, 1 / 60).height == 4
    with pytest.raises(UsageError, match="a second or more"):
        rows_by_bucket(VOTES, 0.9 / 60)


def test_shares_are_of_the_voters_that_are_listed():
    assert share_of_voters(VOTES, ["x", "z", "nobody", "other"]) == 0.5
    assert share_of_voters(VOTES, []) is None
    assert shares_by_inference(VOTES, ["x", "z"], ["a", "b", "c"]) == {"a": 0.5, "b": 1.0, "c": 0.0}


def test_a_majority_is_more_than_the_threshold_of_those_who_answered():
    assert majority_count(VOTES, [1.0], 0.5) == 1
    assert majority_count(VOTES, [1.0], 0.49) == 2
    assert majority_count(VOTES, [1.0], 1.0) == 0
    assert majority_count(VOTES, [1.0], 0.0) == 2
    for wrong in (-0.1, 1.1):
        with pytest.raises(UsageError, match="threshold"):
            majority_count(VOTES, [1.0], wrong)


def test_inferences_are_listed_by_their_rows_with_those_that_have_none():
    assert list(rows_by_inference(VOTES, ["c", "b", "a"]).items()) == [("b", 2), ("a", 2), ("c", 0)]
    assert rows_by_inference(VOTES) == {"a": 2, "b": 2}
