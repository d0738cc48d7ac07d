"""What follows from scores: those on the scale, their overall score, and closed gates."""

import pytest

from valid_replies import DRIFT_BUNDLE, DRIFT_SAMPLE
from venire.validation.scores import (
    admissible_scores,
    as_number,
    check_gates,
    check_overall,
    gives_no_score,
    is_on_scale,
)

SCALE = DRIFT_SAMPLE.scale()


@pytest.mark.parametrize(
    ("value", "fits"),
    [(0, True), (2, True), (3, False), (-1, False), (1.0, True), (1.5, False), (True, False), ("1", False)],
)
def test_only_numbers_of_the_scale_are_on_it(value, fits):
    assert is_on_scale(value, SCALE) is fits


def test_what_is_off_the_scale_stays_missing():
    assert admissible_scores({"a": 1.0, "b": 9, "c": 2}, "abcd", SCALE) == {"a": 1, "c": 2}
    assert admissible_scores([1], "a", SCALE) == {}


def test_a_number_off_the_scale_is_still_a_score_given():
    assert not gives_no_score({"a": 9}, "ab")
    assert gives_no_score({"a": "9", "z": 1}, "ab")


@pytest.mark.parametrize(
    ("value", "number"), [(1, 1), (2.5, 2.5), (True, None), ("1", None), (float("nan"), None), (2**60, 2.0**60)]
)
def test_finite_numbers_alone_are_numbers(value, number):
    assert as_number(value) == number


def test_a_stated_overall_must_follow_from_the_scores():
    assert check_overall(DRIFT_SAMPLE, 4, 4, "/x") == ()
    assert check_overall(DRIFT_SAMPLE, None, 4, "/x") == ()
    (finding,) = check_overall(DRIFT_SAMPLE, 5, 4, "/x")
    assert (finding.rule, finding.expected, finding.found) == ("overall.mismatch", "4 (computed from the scores)", "5")


def test_a_closed_gate_allows_no_other_score_above_the_lowest():
    gate, other = (
        DRIFT_BUNDLE.gates[0].dimension,
        next(d for d in DRIFT_BUNDLE.dimension_ids if d != DRIFT_BUNDLE.gates[0].dimension),
    )
    scale = DRIFT_BUNDLE.scale()
    assert check_gates(DRIFT_BUNDLE, {gate: 0, other: 0}, scale, "") == ()
    assert check_gates(DRIFT_BUNDLE, {gate: 1, other: 2}, scale, "") == ()
    assert [each.rule for each in check_gates(DRIFT_BUNDLE, {gate: 0, other: 1}, scale, "")] == ["score.gate"]
