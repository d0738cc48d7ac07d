"""Judges beside people: agreement on sides, bias and correlation, over all outputs and within slices."""

import pytest

from making_votes import vote_frame, vote_row
from venire.votes.analysis.judges_against_people import judges_against_people

PEOPLE = {"a": (1, 1), "b": (0, 0.2), "c": (0.5, 0.5), "d": (1, 0.8), "e": (0, 0)}
JUDGE = {"a": 0.9, "b": 0.7, "c": 1.0, "d": 0.5, "e": 0.1, "nobody": 1.0}


def frame(**judges):
    rows = [vote_row(vote, item=item, voter=f"p{n}") for item, votes in PEOPLE.items() for n, vote in enumerate(votes)]
    for name, votes in judges.items():
        rows += [vote_row(vote, item=item, voter=name, kind="judge") for item, vote in votes.items()]
    return vote_frame(rows)


def test_a_judge_is_compared_where_people_voted_too():
    [found] = judges_against_people(frame(oak=JUDGE))
    assert (found.judge, found.slice, found.inferences, found.people) == ("oak", "all", 5, 2)
    assert found.agreement.value == pytest.approx(2 / 3)  # c and d are ties of one side, b differs
    means = {"a": 1, "b": 0.1, "c": 0.5, "d": 0.9, "e": 0}
    assert found.bias.value == pytest.approx(sum(JUDGE[item] - mean for item, mean in means.items()) / 5)
    assert found.kappa.value is not None
    assert found.correlation.value is not None
    assert found.agreement.level == 0.95


def test_judges_are_told_apart_and_slices_come_after_the_whole():
    found = judges_against_people(
        frame(oak=JUDGE, elm={"a": 1.0, "b": 0.0}), slices={"a": "x", "b": "y", "e": "x"}, level=0.8
    )
    listed = {(each.judge, each.slice): each.inferences for each in found}
    assert listed["oak", "all"] == 5
    assert listed["oak", "x"] == 2
    assert listed["oak", "y"] == 1
    assert (listed["elm", "all"], listed["elm", "x"], listed["elm", "y"]) == (2, 1, 1)
    assert found[0].agreement.level == 0.8


def test_without_a_common_output_there_is_nothing_to_compare():
    assert judges_against_people(frame(oak={"nobody": 1.0})) == ()
    assert judges_against_people(frame()) == ()
