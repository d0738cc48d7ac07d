from making_votes import vote_frame, vote_row
from venire.votes.analysis.duplicate_ballots import duplicate_ballots


def test_repeated_votes_and_identical_ballots_are_found():
    pattern = [1, 0, 1, 1, 0, 1]
    copies = [vote_row(vote, voter=name, item=str(item)) for name in "pq" for item, vote in enumerate(pattern)]
    honest = [vote_row(1 - vote, voter="r", item=str(item)) for item, vote in enumerate(pattern)]
    again = [vote_row(0, voter="r", item="0", day=1)]
    found = duplicate_ballots(vote_frame(copies + honest + again))
    assert found.identical["voters"].to_list() == [["p", "q"]]
    assert found.repeated.select("voter_id", "inference_id", "votes", "changed").rows() == [("r", "0", 2, False)]


def test_voters_who_like_everything_are_no_copies_of_each_other():
    rows = [vote_row(1, voter=name, item=str(item)) for name in "pq" for item in range(9)]
    assert duplicate_ballots(vote_frame(rows)).identical.height == 0
