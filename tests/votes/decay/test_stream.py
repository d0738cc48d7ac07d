import math
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import draws
from making_votes import START, vote_frame, vote_row
from venire.errors import UsageError
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.stream import ItemState
from venire.votes.decay.terms import Batching, Decay, decay_rate


def only(frame, decay=None, **options):
    return score_votes(frame, decay, **options).frame.row(0, named=True)


def plainly(rows, decay):
    """Score one item by the recurrence as it is printed, batch by batch."""
    rows = sorted(rows, key=lambda row: row["vote_time"])
    batches: dict[int, list] = {}
    for row in rows:
        microseconds = (row["vote_time"] - START) // timedelta(microseconds=1) + int(START.timestamp()) * 10**6
        before = sum(other["vote_time"] < row["vote_time"] for other in rows)
        batches.setdefault(decay.batching.label(microseconds, before), []).append(row)
    score = time = None
    for batch in batches.values():
        now = max(row["vote_time"] for row in batch)
        mean = math.fsum(row["vote"] * row["reputation"] for row in batch) / math.fsum(
            row["reputation"] for row in batch
        )
        alpha = 0.0 if score is None else math.exp(-decay.rate_per_second * (now - time).total_seconds())
        score = mean if score is None else alpha * score + (1 - alpha) * mean
        time = now
    return score, 1 - alpha


def test_the_worked_example_gives_0_7321():
    state = ItemState.resumed(0.72, START, Decay(decay_rate(0.1, "day")))
    for vote in (0.9, 0.8, 0.6):
        state = state.with_vote(vote, START + timedelta(days=3))
    assert round(state.score, 4) == 0.7321
    assert round(state.freshness, 4) == 0.2592
    assert round(state.batch_variance, 4) == 0.0156
    assert not state.ambiguous


def test_an_older_vote_cannot_be_added_to_a_state():
    state = ItemState().with_vote(1.0, START)
    with pytest.raises(UsageError, match="order of time"):
        state.with_vote(0.0, START - timedelta(microseconds=1))


@pytest.mark.parametrize(
    ("vote", "reputation"), [(1.1, 1.0), (-0.1, 1.0), (0.5, 0.0), (0.5, math.inf), (math.nan, 1.0)]
)
def test_a_state_refuses_what_is_no_vote(vote, reputation):
    with pytest.raises(UsageError):
        ItemState().with_vote(vote, START, reputation)


VOTES = st.builds(
    lambda vote, ticks, voter, reputation: vote_row(vote, day=ticks / 8, voter=f"v{voter}", reputation=reputation),
    st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)),
    st.integers(0, 40),
    st.integers(0, 3),
    st.sampled_from([1e-9, 0.5, 1.0, 7.0, 1e9]),
)


TERMS = st.builds(
    Decay,
    st.sampled_from([0.0, 1e-9, 0.1 / 86400, 3 / 86400, 1.0, 1e200]),
    st.sampled_from([Batching("vote"), Batching("count", count=3), Batching("window", window_seconds=86400.0)]),
)


@settings(max_examples=draws(150), deadline=None)
@given(st.lists(VOTES, min_size=1, max_size=20), TERMS)
def test_batch_form_streaming_form_and_plain_recurrence_agree(rows, decay):
    state = ItemState(decay)
    for row in sorted(rows, key=lambda row: row["vote_time"]):
        state = state.with_vote(row["vote"], row["vote_time"], row["reputation"])
    batch = only(vote_frame(rows), decay)
    score, freshness = plainly(rows, decay)
    assert batch["score"] == pytest.approx(score, abs=1e-12)
    assert batch["freshness"] == pytest.approx(freshness, abs=1e-12)
    for name in ("score", "freshness", "variance", "batch_variance"):
        assert getattr(state, name) == pytest.approx(batch[name], abs=1e-12)
    assert state.effective_votes == pytest.approx(batch["effective_votes"], rel=1e-9)
    assert (state.votes, state.batches, state.last_update) == (batch["votes"], batch["batches"], batch["last_update"])
