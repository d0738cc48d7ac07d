from making_votes import vote_frame, vote_row
from venire.votes.analysis.majority_good_votes import majority_good_votes


def named(frame, key, value):
    return dict(zip(frame[key], frame[value], strict=True))


def test_good_votes_are_a_majority_only_above_the_threshold():
    rows = [vote_row(1, voter="1"), vote_row(1, voter="2"), vote_row(0, voter="3"), vote_row(1, item="b", voter="1"),
            vote_row(0, item="b", voter="2")]  # fmt: skip
    found = majority_good_votes(vote_frame(rows))
    assert named(found.frame, "inference_id", "majority") == {"a": True, "b": False}
    assert (found.count, found.inferences) == (1, 2)


def test_good_votes_can_be_those_that_reject_or_an_exact_number():
    frame = vote_frame([vote_row(0.2, voter="1"), vote_row(0.2, voter="2"), vote_row(0.9, voter="3")])
    assert majority_good_votes(frame, good_vote=False).frame["good"].to_list() == [2]
    assert majority_good_votes(frame, good_vote=0.9).frame["good"].to_list() == [1]


def test_nobody_makes_a_majority_alone_by_voting_often():
    rows = [vote_row(1, day=day) for day in range(5)] + [vote_row(0, voter="y"), vote_row(0, voter="z")]
    assert majority_good_votes(vote_frame(rows)).count == 0
