"""Scores window after window: the same as those of votes sorted by item."""

from datetime import timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alike_scores import assert_alike
from making_votes import START, vote_frame, vote_row
from venire.votes.decay.batches import count_votes, iterate_batches
from venire.votes.decay.consensus import score_batches, score_votes
from venire.votes.decay.items import ITEM
from venire.votes.decay.terms import Batching, Decay
from venire.votes.decay.windows import are_dense, score_windows

VOTES = st.lists(
    st.builds(
        vote_row,
        st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.floats(0, 1)),
        day=st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.5, 40.0]) | st.floats(0, 3),
        item=st.sampled_from("abc"),
        kind=st.sampled_from(["person", "judge"]),
    ),
    min_size=1,
    max_size=40,
)


@given(
    rows=VOTES,
    batch=st.sampled_from(["1d", "12h", "30d"]),
    by=st.sampled_from([ITEM, ("inference_id",)]),
    days=st.sampled_from([None, 1.0]),
    rate=st.sampled_from([0.0, 1e-6, 1e-3]),
)
def test_windows_score_as_sorted_votes_do(rows, batch, by, days, rate):
    decay = Decay(rate, Batching.parse(batch))
    as_of = None if days is None else START + timedelta(days=days)
    frame = vote_frame(sorted(rows, key=lambda row: row["vote_time"]))
    counted = count_votes(frame, by=by, as_of=as_of)
    if not counted.frame.height:
        return
    parts = iterate_batches(frame, decay.batching, by=by, as_of=as_of)
    assert_alike(score_windows(counted, decay), pl.concat(score_batches(part, decay) for part in parts))


@pytest.mark.parametrize("vote", [0.1, 0.3, 0.7, 0.9])
@pytest.mark.parametrize("rate", [0.01, 0.03, 0.1, 0.5])
def test_rounding_carries_no_score_beyond_equal_votes_and_gives_them_no_variance(vote, rate):
    frame = vote_frame([vote_row(vote, day=day, voter=f"{day} {voter}") for day in range(12) for voter in range(3)])
    (state,) = score_windows(count_votes(frame), Decay(rate / 86400)).to_dicts()
    assert (state["score"], state["variance"], state["batch_variance"]) == (vote, 0.0, 0.0)


def many(order: str = "time") -> pl.DataFrame:
    generator = np.random.default_rng(4)
    count = 70_000
    frame = pl.DataFrame(
        {
            "inference_id": generator.integers(500, size=count).astype(str),
            "vote": generator.integers(11, size=count) / 10,
            "vote_time": pl.Series(generator.integers(0, 30 * 86_400_000_000, size=count)).cast(
                pl.Datetime("us", "UTC")
            ),
            "voter_prompt_id": ["p"] * count,
            "voter_kind": ["person"] * count,
            "reputation": [1.0] * count,
        }
    )
    return frame.sort("vote_time") if order == "time" else frame


def test_many_votes_score_alike_in_the_order_of_time_and_in_none():
    in_order, in_none = many(), many("none")
    assert are_dense(count_votes(in_order), Decay())
    assert not are_dense(count_votes(in_none), Decay())
    assert_alike(score_votes(in_order).frame, score_votes(in_none).frame)


@pytest.mark.parametrize(
    ("frame", "decay"),
    [
        (many().with_columns(reputation=pl.lit(2.0)), Decay()),
        (many(), Decay(batching=Batching("vote"))),
        (many(), Decay(batching=Batching("window", window_seconds=60))),
        (many().head(1000), Decay()),
    ],
    ids=["reputations", "every vote by itself", "narrow windows", "few votes"],
)
def test_other_votes_are_sorted(frame, decay):
    assert not are_dense(count_votes(frame), decay)
