"""Votes are brought into a ledger once, and corrections as the policy says."""

import msgspec
import pytest

from experiment import make_samples
from making_votes import vote_frame, vote_row
from venire.domain.vote import VoterPrompt
from venire.errors import InputError
from venire.ledger.entry import Kind
from venire.ledger.memory import MemoryLedger
from venire.votes.entries import decode_vote, find_vote
from venire.votes.reading.duplicates import Duplicates
from venire.workflows.import_votes import VoteImport, import_votes, open_voting, votes_of_frame

PROMPT = VoterPrompt("p", "Is it good?")
VOTES = list(votes_of_frame(vote_frame([vote_row(0.5), vote_row(1.0, voter="y", prompt="p")])))
OTHER = msgspec.structs.replace(VOTES[0], vote=0.0)


def test_votes_that_name_no_prompt_are_filed_under_the_given_one():
    frame = vote_frame([vote_row(0.5), vote_row(1.0, voter="y", prompt="p")])
    assert [vote.voter_prompt_id for vote in votes_of_frame(frame, "q")] == ["q", "p"]


def test_importing_again_adds_nothing_and_votes_know_the_words_of_their_prompt():
    ledger, seen = MemoryLedger(), []
    assert import_votes(ledger, VOTES, prompts=[PROMPT], on_progress=seen.append) == VoteImport(2, 0, 0)
    assert import_votes(ledger, VOTES) == VoteImport(0, 2, 0)
    assert seen == [2]
    digests = [decode_vote(find_vote(ledger, vote.key).payload).prompt_digest for vote in VOTES]
    assert digests == ["", PROMPT.digest]


@pytest.mark.parametrize(
    ("policy", "done", "entries"),
    [
        (Duplicates.LATEST, VoteImport(1, 0, 1), 3),
        (Duplicates.ALL, VoteImport(1, 0, 1), 3),
        (Duplicates.FIRST, VoteImport(0, 0, 1), 2),
    ],
)
def test_a_vote_with_other_content_is_added_as_the_policy_says(policy, done, entries):
    ledger = MemoryLedger()
    import_votes(ledger, VOTES)
    assert import_votes(ledger, [OTHER], duplicates=policy) == done
    assert len(list(ledger.read(kinds=[Kind.VOTE]))) == entries


def test_a_vote_with_other_content_is_an_error_where_none_may_be():
    ledger = MemoryLedger()
    import_votes(ledger, VOTES)
    with pytest.raises(InputError, match="holds another vote of 'x' on 'a'"):
        import_votes(ledger, [OTHER], duplicates=Duplicates.ERROR)


def test_a_correction_in_the_same_table_is_seen():
    assert import_votes(MemoryLedger(), [VOTES[0], OTHER, OTHER]) == VoteImport(2, 1, 1)


def test_opening_a_vote_counts_the_outputs_that_are_new():
    ledger = MemoryLedger()
    samples = make_samples(3)
    assert open_voting(ledger, samples[:2], PROMPT) == 2
    assert open_voting(ledger, samples, PROMPT) == 1
