"""What was planned and has no reply is missing, also from what is not known."""

from itertools import product

from venire.domain.completeness import Completeness, JudgeCompleteness, missing_combinations


def test_the_panel_is_the_sum_of_its_judges():
    panel = Completeness((JudgeCompleteness("oak", 10, 4), JudgeCompleteness("elm", 5, 5)))
    assert (panel.planned, panel.answered, panel.missing) == (15, 9, 6)
    assert panel.said() == "9 of 15 planned tasks were answered; missing: oak 6"


ALL = list(product(("q1", "q2"), ("a", "b"), ("m",)))


def test_what_is_complete_lacks_nothing():
    assert list(missing_combinations(ALL)) == []
    assert list(missing_combinations([])) == []


def test_exactly_half_of_the_combinations_are_enough_to_be_crossed():
    half = [("q1", "a", "m"), ("q2", "b", "m")]
    assert list(missing_combinations(half)) == [("q1", "b", "m"), ("q2", "a", "m")]
