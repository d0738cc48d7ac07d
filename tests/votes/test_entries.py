"""Votes, prompts and decisions are written to a ledger and found again."""

from datetime import UTC, datetime

import pytest

from venire.domain.curation import Curation, Outcome
from venire.domain.vote import Vote, VoterPrompt
from venire.errors import UsageError
from venire.ledger.entry import Draft, Kind
from venire.ledger.memory import MemoryLedger
from venire.votes.entries import (
    VoteEntry,
    curation_draft,
    decode_vote,
    find_prompt,
    find_vote,
    read_curation,
    read_ledger_votes,
    read_vote,
    record_prompt,
    still_open,
    vote_draft,
)
from venire.votes.reading.duplicates import Duplicates

NOON = datetime(2025, 1, 1, 12, tzinfo=UTC)
PROMPT = VoterPrompt("helpful", "Is it helpful?\nThink of a beginner.")


def vote_of(value=0.75, **changes):
    fields = {"inference_id": "a", "voter_id": "x", "vote_time": NOON, "voter_prompt_id": PROMPT.id}
    return Vote(vote=value, **(fields | changes))


def decision(outcome=Outcome.ACCEPT):
    return Curation(inference_id="a", voter_prompt_id=PROMPT.id, outcome=outcome, curator="c", decided_at=NOON)


def test_a_vote_is_read_as_it_was_written():
    ledger, vote = MemoryLedger(), vote_of()
    written = VoteEntry(vote, PROMPT.digest, round=2, reason="clear")
    ledger.append([vote_draft(written, {"judgement": {"overall": 6}, "empty": ""})])
    entry = find_vote(ledger, vote.key)
    assert read_vote(entry.key, entry.payload) == decode_vote(entry.payload) == written
    assert set(entry.content) == {"vote", "prompt_digest", "round", "reason", "judgement"}  # what is empty is left out


def test_a_plain_vote_holds_the_vote_and_the_digest_of_its_prompt_only():
    assert set(vote_draft(VoteEntry(vote_of())).payload) == {"vote", "prompt_digest"}


def test_a_prompt_is_recorded_once_and_other_words_under_its_name_are_refused():
    ledger = MemoryLedger()
    record_prompt(ledger, PROMPT)
    record_prompt(ledger, PROMPT)
    assert ledger.head().sequence == 1
    assert find_prompt(ledger, "helpful") == PROMPT
    assert find_prompt(ledger, "other") is None
    with pytest.raises(UsageError, match="other words for the voter prompt 'helpful'"):
        record_prompt(ledger, VoterPrompt("helpful", "Is it true?"))


@pytest.mark.parametrize(
    ("policy", "votes", "superseded"),
    [(Duplicates.LATEST, [0.25], 1), (Duplicates.FIRST, [0.75], 1), (Duplicates.ALL, [0.75, 0.25], 0)],
)
def test_of_votes_under_one_key_those_count_that_the_policy_names(policy, votes, superseded):
    ledger = MemoryLedger()
    ledger.append([vote_draft(VoteEntry(vote_of()))])
    ledger.append([vote_draft(VoteEntry(vote_of(0.25)))])
    found = read_ledger_votes(ledger, policy)
    assert (found.frame["vote"].to_list(), found.superseded) == (votes, superseded)


def test_votes_prompts_and_decisions_are_told_apart():
    ledger = MemoryLedger()
    record_prompt(ledger, PROMPT)
    ledger.append([vote_draft(VoteEntry(vote_of(), PROMPT.digest)), curation_draft(decision())])
    ledger.append([Draft(Kind.DECISION, {"gate": "passed"}, "gate")])
    found = read_ledger_votes(ledger)
    assert found.frame.select("inference_id", "vote", "prompt_digest", "sequence").row(0) == (
        "a",
        0.75,
        PROMPT.digest,
        2,
    )
    assert read_vote(*next((entry.key, entry.payload) for entry in ledger.read())) == PROMPT
    assert found.prompts == {"helpful": PROMPT}
    assert found.decisions == ((3, decision()),)
    assert found.decisions_on("a", "helpful") == found.decisions
    assert found.decisions_on("a", "") == found.decisions_on("b", "helpful") == ()
    assert [read_curation(entry.payload) for entry in ledger.read(kinds=[Kind.DECISION])] == [decision(), None]


def test_an_item_comes_up_again_only_with_votes_after_another_round_was_asked_for():
    later = NOON.replace(hour=13)
    assert still_open(decision(Outcome.ANOTHER_ROUND), later)
    assert not still_open(decision(Outcome.ANOTHER_ROUND), NOON)
    assert not still_open(decision(Outcome.AMBIGUOUS), later)
