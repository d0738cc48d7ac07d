from making_votes import vote_frame, vote_row
from venire.votes.analysis.suspicious_votes import suspicious_votes

MINUTE = 1 / 24 / 60


def test_bursts_come_first_then_ballots_that_are_alike_then_votes_cast_again():
    steady = [vote_row(n % 2, voter="slow", item=f"s{n}", day=n) for n in range(20)]
    burst = [vote_row(1, voter="bot", item=f"b{n}", day=3 + n * MINUTE / 60) for n in range(40)]
    alike = [vote_row(n % 2, voter=name, item=f"k{n}", day=30 + 7 * n) for n in range(6) for name in ("one", "two")]
    again = [vote_row(1, voter="again", item="a", day=80), vote_row(0, voter="again", item="a", day=90)]
    found = suspicious_votes(vote_frame([*steady, *burst, *alike, *again]))
    signs = found["sign"].unique(maintain_order=True).to_list()
    assert signs == [
        s for s in ("burst of a voter", "burst on an output", "ballots alike", "votes again") if s in signs
    ]
    assert found.filter(found["sign"] == "burst of a voter")["voter_id"].to_list() == ["bot"]
    pair = found.filter(found["sign"] == "ballots alike").row(0, named=True)
    assert (pair["voter_id"], pair["votes"]) == ("one, two", 12)
    changed = found.filter(found["sign"] == "votes again").row(0, named=True)
    assert (changed["voter_id"], changed["found"]) == ("again", "voted again, differently")


def test_no_votes_give_no_signs_and_the_same_columns():
    assert suspicious_votes(vote_frame([vote_row(1)]).clear()).is_empty()
