"""Sums of batches: however votes are split, merging them scores as all votes together do."""

from datetime import timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from alike_scores import assert_alike
from making_votes import START, vote_frame, vote_row
from venire.errors import UsageError
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.items import ITEM
from venire.votes.decay.sums import batch_sums, may_repeat, score_sums
from venire.votes.decay.terms import Batching, Decay

ROWS = st.lists(
    st.builds(
        vote_row,
        st.one_of(st.none(), st.sampled_from([0.0, 0.1, 0.5, 1.0]), st.floats(0, 1)),
        day=st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.5, 40.0]) | st.floats(0, 3),
        item=st.sampled_from("abc"),
        prompt=st.sampled_from(["", "p"]),
        reputation=st.sampled_from([1.0, 1.0, 0.5, 1e-200, 1e200]),
        kind=st.sampled_from(["person", "judge"]),
    ),
    min_size=1,
    max_size=40,
)


def sums_of(shards, decay, by=ITEM, as_of=None):
    found = [batch_sums(shard, decay.batching, by=by, as_of=as_of) for shard in shards]
    return pl.concat([sums.with_columns(shard=pl.lit(number)) for number, sums in enumerate(found)], how="diagonal")


@given(
    rows=ROWS,
    where=st.lists(st.integers(0, 3), min_size=40, max_size=40),
    batch=st.sampled_from(["1d", "12h", "vote"]),
    by=st.sampled_from([ITEM, ("inference_id",), ("inference_id", "voter_kind")]),
    days=st.sampled_from([None, 1.0]),
)
def test_merged_sums_score_as_the_votes_together_do(rows, where, batch, by, days):
    decay = Decay(1e-5, Batching.parse(batch))
    as_of = None if days is None else START + timedelta(days=days)
    frame = vote_frame(rows)
    shards = [frame.filter(pl.Series(where[: len(rows)]) == number) for number in range(4)]
    merged = score_sums(sums_of(shards, decay, by, as_of), decay, by=by)
    assert_alike(merged, score_votes(frame, decay, as_of=as_of, by=by).frame)


def test_equal_votes_in_many_shards_have_no_variance_at_all():
    shards = [vote_frame([vote_row(0.1, voter=str(number))] * 3) for number in range(7)]
    assert score_sums(sums_of(shards, Decay()), Decay())["variance"].to_list() == [0.0]


def test_rounding_does_not_carry_merged_sums_below_ten_equal_votes():
    # The weights of these ten batches sum to 1 − 2⁻⁵³: without the cut the score is 0.8999999999999999.
    rows = [vote_row(0.9, voter=str(number), day=15 * number / 24) for number in range(10)]
    decay = Decay(0.1 / 86400, Batching("vote"))
    sums = sums_of([vote_frame(rows[:5]), vote_frame(rows[5:])], decay)
    assert score_sums(sums, decay)["score"].to_list() == [0.9]


def test_sums_without_votes_score_nothing():
    sums = sums_of([vote_frame([vote_row(None)])], Decay())
    assert sums.height == 1
    assert score_sums(sums, Decay()).height == 0


def test_batches_of_so_many_votes_are_refused():
    with pytest.raises(UsageError, match="cannot be merged"):
        batch_sums(vote_frame([vote_row(1)]), Batching("count", count=10))


@pytest.mark.parametrize(
    ("one", "other", "wanted"),
    [
        ([0.1, 0.2], [0.3, 0.4], False),
        ([0.1, 0.3], [0.2], True),
        ([0.1, 0.3], [0.3], True),
        ([0.1, 0.9], [1.2], False),
    ],
)
def test_a_vote_may_stand_again_only_where_times_meet(one, other, wanted):
    shards = [vote_frame([vote_row(1, day=day) for day in days]) for days in (one, other)]
    assert may_repeat(sums_of(shards, Decay())) is wanted


@pytest.mark.parametrize(
    ("change", "wanted"), [({"item": "b"}, False), ({"prompt": "q"}, False), ({"kind": "judge"}, True)]
)
def test_a_vote_on_something_else_is_another_one_but_that_of_a_judge_is_not(change, wanted):
    shards = [vote_frame([vote_row(1)]), vote_frame([vote_row(1, **change)])]
    assert may_repeat(sums_of(shards, Decay())) is wanted


def test_prompts_that_are_mixed_are_not_told_apart():
    shards = [vote_frame([vote_row(1)]), vote_frame([vote_row(1, prompt="q")])]
    assert may_repeat(sums_of(shards, Decay(), ("inference_id",)), ("inference_id",))


def test_one_who_did_not_vote_may_still_repeat_a_vote():
    shards = [vote_frame([vote_row(1)]), vote_frame([vote_row(None)])]
    assert may_repeat(sums_of(shards, Decay()))


def test_a_vote_after_the_moment_may_still_repeat_another():
    shards = [vote_frame([vote_row(1, day=2)])] * 2
    assert may_repeat(sums_of(shards, Decay(), as_of=START))


def test_votes_of_one_shard_do_not_repeat_those_of_another():
    assert not may_repeat(sums_of([vote_frame([vote_row(1), vote_row(0), vote_row(1, kind="judge")])], Decay()))
