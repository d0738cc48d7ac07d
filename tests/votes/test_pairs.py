"""Votes on pairs: what each counts for after aging, and the order of models that they make."""

import math

import pytest

from making_votes import vote_frame, vote_row
from venire.votes.decay.terms import Decay
from venire.votes.pairs import VotedPair, rank_votes, weigh_pair_votes, win_chance

PAIRS = {
    "p1": VotedPair(first="oak", second="elm", question="q1"),
    "p2": VotedPair(first="elm", second="ash", question="q2"),
    "p3": VotedPair(first="oak", second="ash", question="q3"),
}


def votes(*rows):
    return vote_frame([vote_row(vote, item=item, voter=voter, **more) for item, voter, vote, more in rows])


def test_votes_are_for_one_of_two_or_neither():
    frame = votes(("p1", "a", 1, {}), ("p1", "b", 0.2, {}), ("p1", "c", 0.5, {}), ("p1", "d", 0.6, {}))
    found = weigh_pair_votes(frame, PAIRS, Decay())
    assert dict(zip(found.voters, found.outcome.tolist(), strict=True)) == {"a": 1.0, "b": 0.0, "c": 0.5, "d": 1.0}
    assert found.pairs == ["p1"] * 4
    assert found.weights == pytest.approx([1.0] * 4)


def test_older_votes_count_for_less_than_one_each():
    frame = votes(("p1", "a", 1, {"day": 0}), ("p1", "b", 0, {"day": 30}))
    found = weigh_pair_votes(frame, PAIRS, Decay())
    weights = dict(zip(found.voters, found.weights.tolist(), strict=True))
    assert weights["a"] < weights["b"]
    assert 1.0 <= sum(weights.values()) < 2.0


def test_judges_other_items_and_abstentions_are_left_out():
    frame = votes(("p1", "a", 1, {}), ("p1", "j", 0, {"kind": "judge"}), ("other", "a", 1, {}), ("p1", "b", None, {}))
    assert weigh_pair_votes(frame, PAIRS, Decay()).voters == ["a"]
    nothing = votes(("other", "a", 1, {}))
    assert weigh_pair_votes(nothing, PAIRS, Decay()).pairs == []
    assert rank_votes(nothing, PAIRS, Decay()) is None


def ballots():
    return votes(
        *(("p1", f"v{n}", 1 if n else 0, {}) for n in range(4)),
        *(("p2", f"v{n}", 1 if n > 1 else 0, {}) for n in range(4)),
        *(("p3", f"v{n}", 0.5 if n == 3 else 1 if n else 0, {}) for n in range(4)),
    )  # fmt: skip


def test_models_are_ranked_with_how_many_votes_pairs_and_voters_each_has():
    found = rank_votes(ballots(), PAIRS, Decay())
    assert found.ranking.models[0].model == "oak"
    assert found.votes == {"oak": 8, "elm": 8, "ash": 8}
    assert found.outputs == {"oak": 2, "elm": 2, "ash": 2}
    assert found.voters == {"oak": 4, "elm": 4, "ash": 4}
    assert found.points("oak") == pytest.approx((3 + 2 + 0.5) / 8)
    assert found.points("ash") == pytest.approx((2 + 1 + 0.5) / 8)
    assert found.ranking.clusters == 3


def test_without_questions_each_vote_stands_for_itself():
    unnamed = {**PAIRS, "p3": VotedPair(first="oak", second="ash", question="")}
    assert rank_votes(ballots(), unnamed, Decay()).ranking.clusters == 0


def test_a_strength_is_a_chance_to_win():
    assert win_chance(0.0) == 0.5
    assert win_chance(math.log(3)) == pytest.approx(0.75)
    assert win_chance(None) is None
