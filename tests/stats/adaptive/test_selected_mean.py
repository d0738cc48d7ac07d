"""The mean of a whole jury from asks that were drawn: right on average, and exact where all were asked."""

import math

import numpy as np
import pytest

from venire.stats.adaptive.jury_asks import JuryAsks
from venire.stats.adaptive.selected_mean import DrawnRound, selected_mean, share_of, variance_so_far
from venire.stats.uncertainty.quantile import t_quantile


def jury(values, groups=None, weights=None):
    table = np.array(values, dtype=float)
    return JuryAsks(
        values=table, answered=~np.isnan(table), weights=np.array(weights or [1.0] * table.shape[1]),
        judges=np.arange(table.shape[1]), start=1, groups=np.array(groups or [0] * len(table)), span=4.0,
    )  # fmt: skip


def drawn_round(chances, drawn, expected=0.0, share=1.0, groups=1):
    chances = np.array(chances, dtype=float)
    return DrawnRound(
        probabilities=chances, expected=np.full(chances.shape, expected) * (chances > 0),
        drawn=np.array(drawn, dtype=bool), shares=np.full(groups, share),
    )  # fmt: skip


def test_where_all_were_asked_the_mean_is_exact():
    asks = jury([[1, 3], [2, 4], [9, 9]], groups=[0, 0, 1])
    everything = drawn_round([[0, 1], [0, 1], [0, 1]], [[0, 1], [0, 1], [0, 1]], groups=2)
    found = selected_mean(asks, [everything], 0, np.ones((3, 2)))
    assert (found.value, found.half_width, found.drawn, found.whole) == (2.5, 0.0, 2, 2)
    assert selected_mean(asks, [everything], 1, np.ones((3, 2))).value == 9.0


def test_without_a_round_or_a_valid_reply_nothing_is_known():
    asks = jury([[np.nan, np.nan]])
    assert selected_mean(asks, [], 0, np.ones((1, 2))) is None
    assert selected_mean(asks, [drawn_round([[0, 1]], [[0, 1]])], 0, np.ones((1, 2))) is None


def test_what_was_drawn_counts_by_its_probability_and_the_rest_as_expected():
    asks = jury([[1, 3], [2, np.nan], [3, np.nan]])
    one = drawn_round([[0, 0.5]] * 3, [[0, 1], [0, 0], [0, 0]], expected=2.0)
    found = selected_mean(asks, [one], 0, np.zeros((3, 2)))
    total = (1 + 2 + 3) + (2 + (3 - 2) / 0.5) + 2 + 2
    assert found.value == pytest.approx(total / 6)
    assert (found.drawn, found.whole) == (1, 3)
    error = math.sqrt((3 - 2) ** 2 * 0.5 / 0.5**2) / 6
    assert found.half_width == pytest.approx(t_quantile(0.95, 2.0) * error)
    assert selected_mean(asks, [one], 0, np.zeros((3, 2)), level=0.8).half_width < found.half_width


def test_an_interval_is_never_narrower_than_what_expectations_may_be_off():
    asks = jury([[1, 3], [2, np.nan], [3, np.nan]])
    lucky = drawn_round([[0, 0.5]] * 3, [[0, 1], [0, 0], [0, 0]], expected=3.0)
    supposed = math.sqrt(3 * 2.0**2 * 0.5 / 0.5) / 6
    found = selected_mean(asks, [lucky], 0, np.full((3, 2), 2.0))
    # No difference was seen, so that nothing says how few made up the variance.
    assert found.half_width == pytest.approx(t_quantile(0.95, 1000.0) * supposed)


def test_an_invalid_reply_does_not_count_as_a_low_one():
    asks = jury([[4, np.nan], [4, 4]])
    all_asked = drawn_round([[0, 1], [0, 1]], [[0, 1], [0, 1]])
    assert selected_mean(asks, [all_asked], 0, np.ones((2, 2))).value == 4.0


def test_asks_count_by_their_weight():
    asks = jury([[1, 4]], weights=[3.0, 1.0])
    assert selected_mean(asks, [drawn_round([[0, 1]], [[0, 1]])], 0, np.ones((1, 2))).value == pytest.approx(7 / 4)


def test_rounds_are_joined_by_their_shares_and_what_is_known_stays():
    asks = jury([[1, 3], [2, 1]])
    first = drawn_round([[0, 0.5], [0, 0.5]], [[0, 1], [0, 0]], expected=2.0)
    second = drawn_round([[0, 0], [0, 0.5]], [[0, 0], [0, 1]], expected=2.0, share=0.25)
    found = selected_mean(asks, [first, second], 0, np.zeros((2, 2)))
    in_first = 1 + 2 + (2 + 1 / 0.5) + 2
    in_second = 1 + 2 + 3 + (2 - 1 / 0.5)
    assert found.value == pytest.approx((0.75 * in_first + 0.25 * in_second) / 4)
    assert found.drawn == 2
    variance = 0.75**2 * 1 * 0.5 / 0.25 + 0.25**2 * 1 * 0.5 / 0.25
    squares = (0.75**2 * 2) ** 2 + (0.25**2 * 2) ** 2
    margin = t_quantile(0.95, max(2.0, variance**2 / squares - 1)) * math.sqrt(variance) / 4
    assert found.half_width == pytest.approx(margin)


def test_the_variance_so_far_follows_the_shares():
    asks = jury([[1, 3], [2, 1]], weights=[1.0, 2.0])
    first = drawn_round([[0, 0.5], [0, 0.5]], [[0, 1], [0, 0]])
    second = drawn_round([[0, 0], [0, 0.25]], [[0, 0], [0, 1]], share=0.25)
    spreads = np.full((2, 2), 3.0)
    size = (2.0 * 3.0) ** 2
    assert variance_so_far(asks, [first], 0, spreads) == pytest.approx(2 * size)
    expected = 0.75**2 * 2 * size + 0.25**2 * size * 0.75 / 0.25
    assert variance_so_far(asks, [first, second], 0, spreads) == pytest.approx(expected)
    assert variance_so_far(asks, [], 0, spreads) == 0.0


def test_the_better_of_two_rounds_counts_more():
    assert share_of(3.0, 1.0) == 0.75
    assert share_of(3.0, 0.0) == 1.0
    assert share_of(0.0, 1.0) == 0.0
