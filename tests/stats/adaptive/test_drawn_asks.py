"""Probabilities of asks: large ones likelier, as few as the wanted variance allows, and none left out for good."""

import numpy as np
import pytest

from venire.stats.adaptive.drawn_asks import UNIFORM, draw_probabilities, expected_variance

SIZES = np.array([1.0, 2.0, 3.0, 6.0])


def test_the_variance_of_a_total_is_that_of_independent_draws():
    chances = np.array([0.5, 0.25])
    by_hand = 2.0**2 * 0.5 / 0.5 + 3.0**2 * 0.75 / 0.25
    assert expected_variance(np.array([2.0, 3.0]), chances) == pytest.approx(by_hand)
    assert expected_variance(np.array([2.0]), np.array([1.0])) == 0.0


def test_probabilities_follow_sizes_and_a_part_is_uniform():
    chances = draw_probabilities(SIZES, 1e9, 1.0, 4.0)
    shape = (1 - UNIFORM) * SIZES / 3.0 + UNIFORM
    assert chances.sum() == pytest.approx(1.0, abs=1e-5)
    assert chances == pytest.approx(shape / shape.sum(), abs=1e-5)
    assert np.array_equal(chances, np.round(chances, 6))


def test_no_more_is_asked_than_the_wanted_variance_needs():
    chances = draw_probabilities(SIZES, 10.0, 0.0, 4.0)
    assert expected_variance(SIZES, chances) == pytest.approx(10.0, rel=1e-4)


def test_the_most_asks_are_kept_to_even_if_the_variance_stays_too_large():
    chances = draw_probabilities(SIZES, 0.001, 0.0, 2.0)
    assert chances.sum() == pytest.approx(2.0, abs=1e-5)
    assert expected_variance(SIZES, chances) > 0.001


def test_where_nothing_may_be_left_open_all_are_asked():
    assert draw_probabilities(SIZES, 0.0, 1.0, 4.0).tolist() == [1.0] * 4
    assert draw_probabilities(SIZES, 1e9, 100.0, 100.0).tolist() == [1.0] * 4
    assert draw_probabilities(np.zeros(0), 1.0, 1.0, 1.0).tolist() == []


def test_no_ask_is_impossible():
    sizes = np.array([1e-9, 1e9])
    assert draw_probabilities(sizes, 1e300, 0.0, 2.0).min() >= 1e-6
