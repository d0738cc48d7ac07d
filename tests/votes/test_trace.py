"""A score is walked back to its votes."""

from datetime import timedelta

import msgspec
import pytest

from making_votes import START, vote_frame, vote_row
from venire.errors import UsageError
from venire.votes.reading.source import VoteSource
from venire.votes.trace import trace_votes

ROWS = [
    vote_row(1.0, day=0, voter="x"),
    vote_row(0.0, day=3, voter="y"),
    vote_row(0.5, voter="bot", kind="judge"),
    vote_row(0.25, item="b"),
]


def test_each_kind_of_voter_has_a_score_that_its_votes_give_again():
    person, judge = sorted(trace_votes(VoteSource(vote_frame(ROWS)), "a"), key=lambda each: each.voter_kind != "person")
    assert (person.votes.height, judge.votes.height) == (2, 1)
    assert person.holds
    assert person.recomputed == pytest.approx(person.score)
    assert person.total_weight == pytest.approx(1)
    assert (judge.voter_kind, judge.score, judge.prompt, judge.prompt_digest) == ("judge", 0.5, None, "")


def test_a_score_that_its_votes_do_not_give_does_not_hold():
    (found,) = trace_votes(VoteSource(vote_frame(ROWS[:2])), "a")
    assert not msgspec.structs.replace(found, score=found.score + 1e-6).holds
    assert not msgspec.structs.replace(found, total_weight=1 - 1e-6).holds


def test_what_nobody_voted_on_by_then_is_refused():
    source = VoteSource(vote_frame(ROWS))
    assert len(trace_votes(source, "a", as_of=START)) == 2
    with pytest.raises(UsageError, match="nobody voted on the output 'c'\\n"):
        trace_votes(source, "c")
    with pytest.raises(UsageError, match=r"nobody had voted on the output 'a' by then$"):
        trace_votes(source, "a", as_of=START - timedelta(days=1))
