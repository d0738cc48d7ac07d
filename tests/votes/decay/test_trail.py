import polars as pl
import pytest

from making_votes import vote_frame, vote_row
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.trail import trail


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
