"""A combination without a sample is missing only where samples were meant to be crossed."""

from itertools import product

from venire.domain.crossing import missing_combinations

ALL = list(product(("q1", "q2"), ("a", "b"), ("m",)))


def test_what_is_complete_lacks_nothing():
    assert list(missing_combinations(ALL)) == []
    assert list(missing_combinations([])) == []


def test_exactly_half_of_the_combinations_are_enough_to_be_crossed():
    half = [("q1", "a", "m"), ("q2", "b", "m")]
    assert list(missing_combinations(half)) == [("q1", "b", "m"), ("q2", "a", "m")]
