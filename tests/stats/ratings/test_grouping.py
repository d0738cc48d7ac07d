"""Groups are numbered by first appearance, as a plain loop over the rows numbers them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.stats.ratings.grouping import cluster_codes, first_of_each, number_groups

_NAMES = st.sampled_from([None, "", "a", "b", "c"])
_ROWS = st.lists(st.tuples(_NAMES, _NAMES, st.sampled_from([None, 1, 2])), max_size=30)


def _frame(rows):
    schema = {"unit": pl.Categorical, "question_id": pl.Categorical, "number": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _by_hand(keys):
    numbers: dict[object, int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in keys], list(numbers)


@given(_ROWS, st.sampled_from([["unit"], ["number"], ["unit", "question_id"], ["number", "question_id", "unit"]]))
def test_combinations_are_numbered_by_first_appearance(rows, columns):
    frame = _frame(rows)
    keys, codes = number_groups(frame, columns)
    expected, distinct = _by_hand(frame.select(columns).rows())
    assert codes.tolist() == expected
    assert keys.rows() == distinct


@given(_ROWS)
def test_the_first_row_of_each_combination_is_kept_in_order(rows):
    frame = _frame(rows)
    kept = first_of_each(frame, ["unit", "question_id"])
    assert kept.rows() == frame.unique(["unit", "question_id"], keep="first", maintain_order=True).rows()


@given(_ROWS)
def test_rows_without_a_question_are_clusters_of_their_own_unit(rows):
    named = [("question", question) if question else ("unit", unit) for unit, question, _ in rows]
    assert cluster_codes(_frame(rows)).tolist() == _by_hand(named)[0]


@pytest.mark.parametrize("many", [3, 40_000])
def test_codes_far_above_the_number_of_rows_are_sorted_instead(many):
    pl.Series([f"name {place}" for place in range(many)], dtype=pl.Categorical)
    frame = _frame([(f"name {many - 1}", "q", 1), ("name 0", "q", 1), (f"name {many - 1}", "r", 1)])
    assert number_groups(frame, ["unit"])[1].tolist() == [0, 1, 0]
    assert np.array_equal(cluster_codes(frame), [0, 0, 1])
