from making_votes import vote_frame, vote_row
from venire.votes.analysis.ballots import cast_ballots


def test_the_last_vote_of_a_voter_is_the_ballot():
    frame = vote_frame([vote_row(0, day=2), vote_row(1, day=1)])
    assert cast_ballots(frame)["vote"].to_list() == [0.0]
