from making_votes import vote_frame, vote_row
from venire.votes.analysis.vote_bursts import vote_bursts


def test_a_burst_of_votes_is_found_and_steady_voting_is_not():
    steady = [vote_row(1, voter="steady", item=str(day), day=day) for day in range(30)]
    sudden = [vote_row(1, voter="sudden", item=str(day), day=day) for day in range(30)]
    sudden += [vote_row(1, voter="sudden", item=f"s{number}", day=5.00001 + number / 1e7) for number in range(10)]
    found = vote_bursts(vote_frame(steady + sudden), window_seconds=3600)
    assert found.frame["voter_id"].to_list() == ["sudden"]
    assert found.frame["votes"].to_list() == [11]


def test_a_voter_whose_votes_all_came_at_once_is_compared_with_everyone():
    steady = [vote_row(1, voter="steady", item=str(day), day=day) for day in range(30)]
    once = [vote_row(1, voter="once", item=str(number), day=10) for number in range(20)]
    assert vote_bursts(vote_frame(steady + once)).frame["voter_id"].to_list() == ["once"]


def test_no_votes_have_no_bursts():
    assert vote_bursts(vote_frame([vote_row(None)])).frame.height == 0
