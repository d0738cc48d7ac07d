from making_votes import vote_frame, vote_row
from venire.votes.analysis.votes_distribution import votes_distribution


def named(frame, key, value):
    return dict(zip(frame[key], frame[value], strict=True))


def test_the_distribution_counts_votes_in_tenths():
    rows = [vote_row(value / 10, voter=str(value)) for value in range(11)]
    found = votes_distribution(vote_frame(rows))
    assert found.bins == (1, 1, 1, 1, 1, 1, 1, 1, 1, 2)
    assert found.frame["votes"].to_list() == [11]


def test_named_inferences_without_votes_are_in_the_distribution():
    found = votes_distribution(vote_frame([vote_row(1)]), ["a", "b"])
    assert named(found.frame, "inference_id", "votes") == {"a": 1, "b": 0}
