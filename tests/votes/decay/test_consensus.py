"""The time-decayed consensus: worked numbers, edges, and properties against the plain recurrence."""

import math
from datetime import timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import draws
from making_votes import START, vote_frame, vote_row
from venire.votes.decay.consensus import score_votes
from venire.votes.decay.terms import Batching, Decay, decay_rate

BY_VOTE = Decay(decay_rate(0.1, "day"), Batching("vote"))


def only(frame, decay=None, **options):
    return score_votes(frame, decay, **options).frame.row(0, named=True)


@pytest.mark.parametrize(
    ("votes", "variance", "flagged"), [((0.9, 0.8, 0.6), 0.0156, False), ((1, 0, 0), 0.2222, True)]
)
def test_the_worked_variances_are_those_of_the_population(votes, variance, flagged):
    state = only(vote_frame([vote_row(vote, voter=str(number)) for number, vote in enumerate(votes)]))
    assert round(state["batch_variance"], 4) == variance
    assert state["ambiguous"] is flagged


def test_one_vote_is_its_own_consensus():
    state = only(vote_frame([vote_row(0.3)]))
    assert (state["score"], state["freshness"], state["variance"], state["votes"]) == (0.3, 1.0, 0.0, 1)
    assert state["effective_votes"] == 1.0
    assert state["last_update"] == START


def test_a_longer_wait_gives_the_newest_vote_more_weight():
    soon = only(vote_frame([vote_row(0.0), vote_row(1.0, day=1)]), BY_VOTE)
    late = only(vote_frame([vote_row(0.0), vote_row(1.0, day=9)]), BY_VOTE)
    assert soon["score"] < late["score"]
    assert late["score"] == pytest.approx(1 - math.exp(-0.9), abs=1e-15)


def test_votes_of_one_moment_are_averaged_whatever_their_order():
    rows = [vote_row(0.0), vote_row(1.0, day=5, voter="y"), vote_row(0.0, day=5, voter="z")]
    assert only(vote_frame(rows), BY_VOTE)["score"] == pytest.approx((1 - math.exp(-0.5)) / 2, abs=1e-15)
    assert only(vote_frame(rows), BY_VOTE)["score"] == only(vote_frame(rows[::-1]), BY_VOTE)["score"]


def test_without_decay_the_first_batch_stands():
    state = only(vote_frame([vote_row(1.0), vote_row(0.0, day=9)]), Decay(0.0, Batching("vote")))
    assert (state["score"], state["freshness"]) == (1.0, 0.0)


def test_with_a_huge_decay_only_the_last_batch_counts():
    state = only(vote_frame([vote_row(1.0), vote_row(0.25, day=9)]), Decay(1e300, Batching("vote")))
    assert (state["score"], state["freshness"]) == (0.25, 1.0)


@pytest.mark.parametrize(("heavy", "score"), [(0, 1.0), (1, 0.0)])
def test_reputations_from_tiny_to_huge_stay_in_range(heavy, score):
    reputations = [1e9, 1e-9] if heavy == 0 else [1e-9, 1e9]
    rows = [vote_row(1.0, reputation=reputations[0]), vote_row(0.0, voter="y", reputation=reputations[1])]
    state = only(vote_frame(rows))
    assert state["score"] == pytest.approx(score, abs=1e-15)
    assert state["effective_votes"] == pytest.approx(1.0)


def test_only_ratios_of_reputations_matter():
    small = [vote_row(1.0, reputation=1e-300), vote_row(0.0, voter="y", reputation=3e-300)]
    assert only(vote_frame(small))["score"] == pytest.approx(0.25)


@pytest.mark.long
def test_ten_million_votes_on_one_item_are_scored():
    count = 10_000_000
    frame = pl.DataFrame({"vote": np.tile([0.0, 1.0], count // 2)}).select(
        pl.lit("a").alias("inference_id"),
        "vote",
        pl.lit("x").alias("voter_id"),
        (pl.int_range(count) + 1_735_689_600_000_000).cast(pl.Datetime("us", "UTC")).alias("vote_time"),
        pl.lit("").alias("voter_prompt_id"),
        pl.lit(1.0).alias("reputation"),
        pl.lit("person").alias("voter_kind"),
    )
    state = only(frame)
    assert (state["votes"], state["score"], state["variance"]) == (count, 0.5, 0.25)


def test_one_vote_on_each_of_very_many_items_is_scored():
    count = 1_000_000
    frame = pl.select(
        pl.int_range(count).cast(pl.String).alias("inference_id"),
        pl.lit(1.0).alias("vote"),
        pl.lit("x").alias("voter_id"),
        pl.lit(START).cast(pl.Datetime("us", "UTC")).alias("vote_time"),
        pl.lit("").alias("voter_prompt_id"),
        pl.lit(1.0).alias("reputation"),
        pl.lit("person").alias("voter_kind"),
    )
    scores = score_votes(frame).frame
    assert scores.height == count
    assert scores["score"].min() == 1.0
    assert scores["inference_id"].n_unique() == count


def test_no_votes_give_no_items():
    assert score_votes(vote_frame([vote_row(1.0)]).clear()).frame.height == 0


def test_those_who_did_not_vote_do_not_count():
    state = only(vote_frame([vote_row(0.5), vote_row(None, voter="y")]))
    assert state["votes"] == 1


def test_votes_under_different_prompts_are_mixed_only_if_asked():
    frame = vote_frame([vote_row(1.0, prompt="p"), vote_row(0.0, prompt="q")])
    assert score_votes(frame).frame["score"].sort().to_list() == [0.0, 1.0]
    assert only(frame, by=("inference_id", "voter_kind"))["score"] == 0.5


def test_votes_of_people_and_judges_are_mixed_only_if_asked():
    frame = vote_frame([vote_row(1.0), vote_row(0.0, kind="judge")])
    assert score_votes(frame).frame.height == 2
    assert only(frame, by=("inference_id", "voter_prompt_id"))["score"] == 0.5


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


@settings(max_examples=draws(60), deadline=None)
@given(st.lists(VOTES, min_size=1, max_size=20), TERMS, st.randoms(use_true_random=False))
def test_neither_the_order_of_rows_nor_the_names_of_voters_matter(rows, decay, random):
    shuffled = [row | {"voter_id": f"other {row['voter_id']}"} for row in random.sample(rows, len(rows))]
    one, other = only(vote_frame(rows), decay), only(vote_frame(shuffled), decay)
    assert {name: pytest.approx(value, abs=1e-12) if isinstance(value, float) and not math.isinf(value) else value
            for name, value in one.items() if name != "effective_votes"} == {
                name: value for name, value in other.items() if name != "effective_votes"}  # fmt: skip


@settings(max_examples=draws(100), deadline=None)
@given(st.lists(VOTES, min_size=1, max_size=20), TERMS)
def test_a_score_never_leaves_the_hull_of_the_votes(rows, decay):
    votes = [row["vote"] for row in rows]
    assert min(votes) <= only(vote_frame(rows), decay)["score"] <= max(votes)


def test_rounding_does_not_carry_a_score_below_ten_equal_votes():
    # The weights of these ten batches sum to 1 − 2⁻⁵³: without the cut the score is 0.8999999999999999.
    times = (START + timedelta(hours=15 * number) for number in range(10))
    rows = [{"item_id": "i", "voter_id": f"v{n}", "vote": 0.9, "vote_time": time} for n, time in enumerate(times)]
    assert only(vote_frame(rows), Decay(0.1 / 86400, Batching("vote")))["score"] == 0.9


@settings(max_examples=draws(60), deadline=None)
@given(st.lists(VOTES, min_size=1, max_size=20), TERMS, st.integers(0, 40))
def test_later_votes_never_change_what_was_known_as_of_a_moment(rows, decay, ticks):
    moment = START + timedelta(days=ticks / 8)
    known = [row for row in rows if row["vote_time"] <= moment]
    as_of = score_votes(vote_frame(rows), decay, as_of=moment).frame
    assert as_of.height == bool(known)
    if known:
        assert as_of["score"][0] == pytest.approx(only(vote_frame(known), decay)["score"], abs=1e-12)
        assert as_of["votes"][0] == len(known)
