"""What a judge is expected to reply: the plain rule with few replies, a regression with more."""

import numpy as np
import pytest

from venire.stats.adaptive.expected_replies import (
    FEWEST,
    LEAST_SPREAD,
    PRIOR_REPLIES,
    PRIOR_SPREAD,
    expected_replies,
)
from venire.stats.adaptive.jury_asks import JuryAsks


def jury(values, judges=(0, 1, 2, 2), start=2, span=4.0):
    table = np.array(values, dtype=float)
    return JuryAsks(
        values=table, answered=~np.isnan(table), weights=np.ones(table.shape[1]), judges=np.array(judges), start=start,
        groups=np.zeros(len(table), dtype=int), span=span,
    )  # fmt: skip


def open_rows(count, reply=None):
    """Give outputs whose first judges say n and n, of which some have a reply of the later judge."""
    return [[n % 5, n % 5, np.nan if reply is None else reply(n), np.nan] for n in range(count)]


def test_before_there_are_replies_the_first_judges_mean_is_expected():
    found = expected_replies(jury([[1, 3, np.nan, np.nan], [2, 2, np.nan, np.nan]]))
    assert found.means[:, 2:].tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert found.means[:, :2].tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert found.spreads[:, 2:] == pytest.approx(np.full((2, 2), PRIOR_SPREAD * 4), abs=1e-6)


def test_a_regression_needs_eight_replies():
    def with_replies(count):
        rows = open_rows(20)
        for number in range(count):
            rows[number][2] = rows[number][0] + 1
        return expected_replies(jury(rows))

    few, enough = with_replies(FEWEST - 1), with_replies(FEWEST)
    assert few.means[19, 2] == 4.0
    assert enough.means[19, 2] > 4.3
    assert few.spreads[19, 3] == pytest.approx(PRIOR_SPREAD * 4, abs=1e-6)
    assert enough.spreads[19, 3] < few.spreads[19, 3]


def by_hand(rows, span):
    """Fit replies on base by damped least squares, and pool squares by kind, as the docstrings say."""
    rows = np.array(rows, dtype=float)
    base, apart, said = rows[:, :2].mean(axis=1), abs(rows[:, 0] - rows[:, 1]), rows[:, 2]
    known = ~np.isnan(said)
    design = np.column_stack([np.ones(known.sum()), base[known]])
    slopes = np.linalg.solve(design.T @ design + 2 * np.eye(2), design.T @ said[known] + 2 * np.array([0.0, 1.0]))
    squares = (said[known] - design @ slopes) ** 2
    pooled = squares.sum() / (known.sum() - 2)

    def thirds(values):
        low, high = np.quantile(values, [1 / 3, 2 / 3])
        return (values > low + 1e-9).astype(int) + (values > high + 1e-9)

    kinds = 3 * thirds(apart) + thirds(base)
    spreads = []
    for kind in kinds:
        own = squares[kinds[known] == kind]
        spreads.append(np.sqrt((own.sum() + PRIOR_REPLIES * pooled) / (len(own) + PRIOR_REPLIES)))
    return slopes[0] + slopes[1] * base, np.maximum(spreads, LEAST_SPREAD * span)


def test_fresh_asks_are_expected_as_a_second_computation_expects_them():
    random = np.random.default_rng(4)
    rows = np.column_stack([random.integers(0, 5, (40, 2)), random.integers(0, 5, 40), np.full(40, np.nan)])
    rows = rows.astype(float)
    rows[25:, 2] = np.nan
    found = expected_replies(jury(rows))
    means, spreads = by_hand(rows, 4.0)
    assert found.means[25:, 2] == pytest.approx(means[25:], abs=2e-6)
    assert found.spreads[25:, 2] == pytest.approx(spreads[25:], abs=2e-6)
    assert np.array_equal(found.means[25:, 2], found.means[25:, 3])


def test_what_a_judge_said_before_counts_as_much_as_the_first_judges():
    rows = [[n % 5, n % 5, 4.0 if n == 0 else np.nan, np.nan] for n in range(10)]
    found = expected_replies(jury(rows))
    assert found.means[0, 3] == 2.0
    assert found.means[5, 3] == 0.0


def test_a_judge_that_repeats_itself_is_expected_to_do_so():
    rows = [[2.0, 2.0, n % 5, n % 5, np.nan] for n in range(12)] + [[2.0, 2.0, 1.0, np.nan, np.nan]]
    found = expected_replies(jury(rows, judges=(0, 1, 2, 2, 2)))
    assert found.means[1, 4] == pytest.approx(1.0, abs=0.15)
    assert found.means[4, 4] == pytest.approx(4.0, abs=0.25)
    assert found.spreads[4, 4] >= LEAST_SPREAD * 4


def test_the_last_reply_is_regressed_on_those_before_it():
    rows = [[2.0, 2.0, float(n % 5), 4.0 - n % 5, np.nan] for n in range(25)]
    found = expected_replies(jury(rows, judges=(0, 1, 2, 2, 2)))
    # Every judge's mean of its two replies is 2: so is what comes next.
    assert found.means[:, 4] == pytest.approx(np.full(25, 2.0), abs=0.1)


def test_equal_replies_do_not_prove_that_all_are():
    found = expected_replies(jury(open_rows(30, reply=lambda n: n % 5)))
    assert found.spreads[:, 3].min() == pytest.approx(LEAST_SPREAD * 4)


def test_a_judge_of_the_first_asks_is_expected_by_its_own_reply_too():
    rows = [[4.0, 0.0, np.nan] for _ in range(3)]
    found = expected_replies(jury(rows, judges=(0, 1, 0)))
    assert found.means[:, 2].tolist() == [3.0, 3.0, 3.0]


def test_expectations_are_rounded_to_six_digits():
    found = expected_replies(jury([[0.123456789, 0.123456789, np.nan, np.nan]]))
    assert found.means[0, 2] == 0.123457
