import itertools

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.errors import UsageError
from venire.stats.comparison.win_matrix import count_wins, wins_from_scores


def columns(rows):
    return [list(column) for column in zip(*rows, strict=True)]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abc"), st.sampled_from([0, 0.5, 1, None])), min_size=1)
)
def test_the_win_matrix_counts_each_comparison_once(rows):
    matrix = count_wins(*columns(rows))
    whole = [row for row in rows if row[2] is not None and row[0] != row[1]]
    assert matrix.comparisons == len(whole)
    assert matrix.missing == len(rows) - len(whole)
    for (i, one), (j, two) in itertools.permutations(enumerate(matrix.models), 2):
        won = sum((a, b, o) in ((one, two, 1), (two, one, 0)) for a, b, o in whole)
        assert matrix.wins[i, j] == won
        assert matrix.ties[i, j] == sum({a, b} == {one, two} and o == 0.5 for a, b, o in whole)


def test_wins_are_derived_from_scores_with_ties_and_gaps():
    scores = [[5, 4, None], [0.1 + 0.2, 0.3, 0.3], [1, 2, 9]]
    matrix = wins_from_scores(scores, ["a", "b", "c"])
    assert matrix.wins.tolist() == [[0, 1, 0], [1, 0, 0], [1, 1, 0]]
    assert matrix.ties.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert matrix.missing == 2
    assert wins_from_scores(scores, ["a", "b", "c"], tie_margin=1).wins[0, 1] == 0


def test_outcomes_and_shapes_that_make_no_sense_are_errors():
    with pytest.raises(UsageError, match=r"0\.5 \(tie\)"):
        count_wins(["a"], ["b"], [2])
    with pytest.raises(UsageError, match=r"0\.5 \(tie\)"):
        count_wins(["a"], ["b"], [0.7])
    with pytest.raises(UsageError, match="column for each of 3 models"):
        wins_from_scores([[1, 2]], ["a", "b", "c"])


@pytest.mark.parametrize("outcome", [1.5, 2, -0.5, -1, 0.25, 1e100])
def test_an_outcome_that_is_none_is_an_error(outcome):
    with pytest.raises(UsageError, match="outcome"):
        count_wins(["a", "b", "a"], ["b", "a", "b"], [1, outcome, 0])


def test_comparisons_are_counted_alike_from_text_categories_and_numbers():
    first, second, outcome = [3, 1, 3, 0, None], [1, 3, 0, 3, 1], [1, 0.5, 0, None, 1]
    text = [[None if each is None else f"m{each}" for each in side] for side in (first, second)]
    columns = [pl.Series(side, dtype=pl.Categorical) for side in text]
    expected = count_wins(*text, outcome)
    assert expected.models == ("m0", "m1", "m3")
    assert (expected.comparisons, expected.missing) == (3, 2)
    for found in (
        count_wins(*columns, pl.Series(outcome, dtype=pl.Float64, strict=False)),
        count_wins(np.array(first, float), second, outcome),
    ):
        assert found.wins.tolist() == expected.wins.tolist()
        assert found.ties.tolist() == expected.ties.tolist()
        assert found.missing == expected.missing
