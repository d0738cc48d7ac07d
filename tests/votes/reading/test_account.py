"""What became of rows that were read apart adds up."""

from venire.votes.reading.account import VoteAccount
from venire.votes.reading.values import Refusal


def test_accounts_add_up():
    one = VoteAccount(where="one", rows=5, votes=2, blank=1, duplicated=2, refused={Refusal.OUTSIDE: 2})
    two = VoteAccount(rows=3, no_vote=1, refused={Refusal.OUTSIDE: 1, Refusal.NO_VOTER: 1})
    both = one.plus(two)
    assert (both.where, both.rows, both.votes, both.no_vote, both.blank, both.duplicated) == ("one", 8, 2, 1, 1, 2)
    assert both.refused == {Refusal.NO_VOTER: 1, Refusal.OUTSIDE: 3}
    assert both.refused_count == 4


def test_what_is_not_known_of_one_is_not_known_of_both():
    assert VoteAccount().plus(VoteAccount(duplicated=None)).duplicated is None
