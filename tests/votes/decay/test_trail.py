import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from making_votes import vote_frame, vote_row
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.terms import Batching, Decay
from venire.votes.decay.trail import trail, trajectories


def test_the_trail_shows_weights_that_sum_to_one_and_give_the_score():
    rows = [vote_row(i % 3 / 2, day=i * 0.7, voter=str(i), reputation=1 + i, item="ab"[i % 2]) for i in range(12)]
    frame = vote_frame(rows)
    walked = (
        trail(frame)
        .group_by(pl.col("inference_id").cast(str))
        .agg(pl.col("weight").sum().alias("total"), (pl.col("weight") * pl.col("vote")).sum().alias("again"))
    )
    joined = walked.join(score_votes(frame).frame, on="inference_id")
    assert joined["total"].to_list() == pytest.approx([1.0, 1.0], abs=1e-14)
    assert joined["again"].to_list() == pytest.approx(joined["score"].to_list(), abs=1e-14)


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


@settings(max_examples=60, deadline=None)
@given(st.lists(VOTES, min_size=1, max_size=20), st.lists(VOTES, min_size=1, max_size=20), TERMS)
def test_trajectories_end_in_the_scores_and_pass_through_each_earlier_state(rows, others, decay):
    frame = vote_frame([*rows, *({**row, "inference_id": "b"} for row in others)])
    path = trajectories(frame, decay)
    ends = path.group_by("inference_id", maintain_order=True).last()
    assert ends["score"].to_list() == pytest.approx(score_votes(frame, decay).frame["score"].to_list(), abs=1e-12)
    middle = path.row(path.height // 2, named=True)
    before = score_votes(frame, decay, as_of=middle["time"]).frame.filter(
        pl.col("inference_id") == middle["inference_id"]
    )
    assert before["score"][0] == pytest.approx(middle["score"], abs=1e-12)
