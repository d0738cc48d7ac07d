"""Quality of units, voters and prompts, against the definitions written out pair by pair."""

import math
from itertools import permutations

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from making_votes import vote_frame, vote_row
from venire.votes.analysis.crowd_truth import crowd_truth


def cosine(one, other):
    dot = one[0] * other[0] + one[1] * other[1]
    lengths = math.hypot(*one) * math.hypot(*other)
    return dot / lengths if lengths > 1e-15 else 0.0


def pair_by_pair(votes, rounds):
    """Compute one round after the other from the printed definitions; votes are {unit: {voter: vote}}."""
    unit_of = {unit: 1.0 for unit, cast in votes.items() if len(cast) > 1}
    voter_of = {voter: 1.0 for cast in votes.values() for voter in cast}
    for _ in range(rounds):
        vector = {unit: {voter: _unit((v, 1 - v)) for voter, v in cast.items()} for unit, cast in votes.items()}
        new_units = {}
        for unit in unit_of:
            pairs = list(permutations(vector[unit], 2))
            weight = sum(voter_of[i] * voter_of[j] for i, j in pairs)
            agreed = sum(cosine(vector[unit][i], vector[unit][j]) * voter_of[i] * voter_of[j] for i, j in pairs)
            new_units[unit] = agreed / weight
        new_voters = {}
        for voter in voter_of:
            own = [unit for unit in unit_of if voter in vector[unit]]
            with_units = sum(
                unit_of[unit] * cosine(vector[unit][voter], _others(vector[unit], voter, voter_of)) for unit in own
            )
            pairs = [(unit, other) for unit in own for other in vector[unit] if other != voter]
            with_voters = sum(
                cosine(vector[unit][voter], vector[unit][other]) * voter_of[other] * unit_of[unit]
                for unit, other in pairs
            )
            new_voters[voter] = (with_units / sum(unit_of[unit] for unit in own)) * (
                with_voters / sum(voter_of[other] * unit_of[unit] for unit, other in pairs)
            )
        unit_of, voter_of = new_units, new_voters
    return unit_of, voter_of


def _unit(vector):
    return tuple(part / math.hypot(*vector) for part in vector)


def _others(vectors, voter, quality):
    return tuple(sum(quality[other] * vectors[other][side] for other in vectors if other != voter) for side in (0, 1))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.sampled_from([0.1, 0.3, 0.5, 0.9]), min_size=4, max_size=4), min_size=2, max_size=4))
def test_sums_of_vectors_give_the_same_as_pair_by_pair(table):
    votes = {f"u{unit}": {f"v{voter}": vote for voter, vote in enumerate(row)} for unit, row in enumerate(table)}
    frame = vote_frame(
        [vote_row(vote, voter=voter, item=unit) for unit, cast in votes.items() for voter, vote in cast.items()]
    )
    for rounds in (1, 3):
        units, voters = pair_by_pair(votes, rounds)
        found = crowd_truth(frame, most_rounds=rounds)
        assert dict(found.units.select("inference_id", "quality").rows()) == pytest.approx(units)
        assert dict(found.voters.select("voter_id", "quality").rows()) == pytest.approx(voters)


def test_who_disagrees_with_everyone_has_the_lowest_quality_and_so_has_the_disputed_unit():
    rows = [vote_row(1.0, voter=name, item=str(item)) for name in "xyz" for item in range(5)]
    rows += [vote_row(0.0, voter="w", item=str(item)) for item in range(5)]
    rows += [vote_row(float(number % 2), voter=name, item="disputed") for number, name in enumerate("xyz")]
    found = crowd_truth(vote_frame(rows))
    assert found.converged
    assert found.voters.sort("quality")["voter_id"][0] == "w"
    assert found.units.sort("quality")["inference_id"][0] == "disputed"


def test_voters_of_one_mind_have_quality_one_and_so_has_their_prompt():
    rows = [vote_row(0.7, voter=name, item=str(item), prompt="p") for name in "xy" for item in range(3)]
    found = crowd_truth(vote_frame(rows))
    assert found.units["quality"].to_list() == pytest.approx([1.0] * 3)
    assert found.prompts.row(0) == ("p", "person", 3, pytest.approx(1.0))


def test_an_unclear_prompt_scores_below_a_clear_one():
    clear = [vote_row(1.0, voter=name, item=str(item), prompt="clear") for name in "xyz" for item in range(4)]
    unclear = [
        vote_row(float((number + item) % 2), voter=name, item=str(item), prompt="unclear")
        for number, name in enumerate("xyz")
        for item in range(4)
    ]
    prompts = dict(crowd_truth(vote_frame(clear + unclear)).prompts.select("voter_prompt_id", "quality").rows())
    assert prompts["unclear"] < 0.5 < prompts["clear"]


def test_a_voter_who_never_met_another_has_no_quality():
    found = crowd_truth(vote_frame([vote_row(1.0)]))
    assert found.voters["quality"].to_list() == [None]
    assert found.units["quality"].to_list() == [None]


def test_votes_of_judges_change_no_quality_of_people():
    rows = [
        vote_row(item / 4 if name != "z" else 0.9, voter=name, item=str(item)) for name in "xyz" for item in range(4)
    ]
    bots = [vote_row(1 - item / 4, voter=name, item=str(item), kind="judge") for name in "pb" for item in range(4)]
    alone, beside = crowd_truth(vote_frame(rows)), crowd_truth(vote_frame(rows + bots))
    for name in ("units", "voters", "prompts"):
        people = getattr(beside, name).filter(pl.col("voter_kind") == "person")
        assert people.drop("quality").equals(getattr(alone, name).drop("quality"))
        assert people["quality"].to_list() == pytest.approx(getattr(alone, name)["quality"].to_list())
