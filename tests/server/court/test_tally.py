"""Summaries that are kept up to date give the numbers that computing them anew gives."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import draws
from venire.domain.vote import Vote, VoterKind
from venire.server.court.tally import VoteTally
from venire.server.court.tally_item import ItemName
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.terms import Batching, Decay
from venire.votes.entries import VoteEntry

START = datetime(2026, 1, 1, tzinfo=UTC)
NUMBERS = ("score", "freshness", "batch_variance", "variance", "effective_votes")

votes = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.integers(0, 3),
        st.sampled_from([None, 0.0, 0.25, 0.5, 1.0]),
        st.integers(0, 200),
        st.sampled_from([0.5, 1.0, 3.0]),
    ),
    max_size=30,
)
batchings = st.sampled_from([Batching("vote"), Batching("count", count=3), Batching("window", window_seconds=86400)])


def vote_of(item, voter, value, hours, reputation, kind=VoterKind.PERSON):
    return Vote(
        inference_id=f"item-{item}",
        vote=value,
        voter_id=f"voter-{voter}",
        vote_time=START + timedelta(hours=hours),
        voter_prompt_id="p",
        reputation=reputation,
        voter_kind=kind,
    )


def assert_like_computed_anew(tally, decay):
    expected = {row["inference_id"]: row for row in score_votes(tally.frame(), decay).frame.iter_rows(named=True)}
    found = {item.name.inference_id: item.numbers for item in tally.by_number if item.numbers.votes}
    assert found.keys() == expected.keys()
    for name, numbers in found.items():
        row = expected[name]
        for field in NUMBERS:
            assert getattr(numbers, field) == pytest.approx(row[field], abs=1e-12), field
        assert (numbers.votes, numbers.batches) == (row["votes"], row["batches"])
        assert numbers.last_update == row["last_update"]


@settings(max_examples=draws(60), deadline=None)
@given(votes, batchings)
def test_votes_in_any_order_and_taken_back_give_what_all_at_once_gives(drawn, batching):
    decay = Decay(batching=batching)
    tally = VoteTally(decay)
    for each in drawn:
        vote = vote_of(*each)
        tally.add(VoteEntry(vote), vote.key)
        assert_like_computed_anew(tally, decay)


@settings(max_examples=draws(30), deadline=None)
@given(votes, votes, batchings)
def test_a_loaded_tally_goes_on_as_one_that_saw_every_vote(before, after, batching):
    decay = Decay(batching=batching)
    tally = VoteTally(decay)
    tally.begin_loading()
    for each in before:
        tally.add(VoteEntry(vote_of(*each)), vote_of(*each).key)
    tally.end_loading()
    assert_like_computed_anew(tally, decay)
    for each in after:
        tally.add(VoteEntry(vote_of(*each)), vote_of(*each).key)
    assert_like_computed_anew(tally, decay)
    scores = [item.numbers.score for item in tally.by_number if item.numbers.score is not None]
    assert tally.score_sum == pytest.approx(sum(scores), abs=1e-9)
    assert tally.scored_items == len(scores)
    assert tally.votes == tally.frame().height


def test_votes_of_judges_are_items_of_their_own_and_never_wait():
    tally = VoteTally(Decay())
    for voter, value in enumerate([0.0, 1.0, 0.0]):
        for kind in VoterKind:
            vote = vote_of(0, f"{voter}-{kind}", value, voter, 1.0, kind)
            tally.add(VoteEntry(vote), vote.key)

    assert {name.voter_kind for name in tally.items} == set(VoterKind)
    assert list(tally.waiting) == [ItemName("item-0", "p", VoterKind.PERSON)]


def test_taking_in_the_same_entry_twice_changes_nothing():
    tally = VoteTally(Decay())
    vote = vote_of(0, 0, 1.0, 1, 1.0)
    tally.add(VoteEntry(vote), vote.key)
    tally.add(VoteEntry(vote), vote.key)

    assert tally.votes == 1
    assert tally.votes_by_day == {"2026-01-01": 1}
