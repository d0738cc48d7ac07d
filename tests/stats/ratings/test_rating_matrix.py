import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.errors import InputError, UsageError
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.ratings.rating_matrix import from_long, rating_matrix
from venire.stats.ratings.rating_patterns import collapse

ROWS = [[1, 2, None], [3, 3, 1], [None, None, 2], [5, 4, 4]]
FLOATS = np.array([[np.nan if value is None else value for value in row] for row in ROWS])
COLUMNS = {name: [row[index] for row in ROWS] for index, name in enumerate(["ann", "bob", "cy"])}


@pytest.mark.parametrize(
    "data",
    [
        ROWS,
        tuple(map(tuple, ROWS)),
        FLOATS,
        FLOATS.astype(np.float32),
        np.array(ROWS, dtype=object),
        np.ma.masked_invalid(FLOATS),
        np.ma.MaskedArray(np.nan_to_num(FLOATS).astype(np.int8), mask=np.isnan(FLOATS)),
        np.ma.MaskedArray(np.nan_to_num(FLOATS, nan=99).astype(np.uint8), mask=np.isnan(FLOATS)),
        pl.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS),
        pd.DataFrame(COLUMNS).astype("Int64"),
        pa.table(COLUMNS),
        [[None if value is None else decimal.Decimal(value) for value in row] for row in ROWS],
    ],
    ids=lambda data: type(data).__module__.split(".")[0] + " " + str(getattr(data, "dtype", type(data).__name__)),
)
def test_every_kind_of_table_gives_the_same_ratings(data):
    matrix = rating_matrix(data)
    np.testing.assert_array_equal(matrix.scores, FLOATS)
    np.testing.assert_array_equal(matrix.present, ~np.isnan(FLOATS))
    assert matrix.rating_counts.tolist() == [2, 3, 1, 3]
    assert krippendorff_alpha(data).value == krippendorff_alpha(FLOATS).value


@pytest.mark.parametrize("frame", [pl.DataFrame(COLUMNS), pd.DataFrame(COLUMNS), pa.table(COLUMNS)])
def test_the_columns_of_a_frame_name_the_raters(frame):
    assert rating_matrix(frame).raters == ("ann", "bob", "cy")


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table])
def test_text_columns_are_labels_and_nulls_are_missing(make):
    frame = make({"ann": ["a", None, "b"], "bob": ["a", "b", None]})
    matrix = rating_matrix(frame)
    assert matrix.labels == ("a", "b")
    assert matrix.values.tolist() == [[0, 0], [-1, 1], [1, -1]]


def test_a_lazy_frame_is_an_error_that_says_what_to_do():
    with pytest.raises(InputError, match="collect a lazy frame"):
        rating_matrix(pl.LazyFrame(COLUMNS))


def test_true_and_false_are_ratings():
    assert rating_matrix(np.array([[True, False]])).scores.tolist() == [[1.0, 0.0]]


def test_numbers_and_labels_together_are_labels():
    assert rating_matrix([[1, "a"], [None, 1]]).labels == (1, "a")


def test_whole_numbers_beyond_a_double_stay_distinct():
    ratings = np.array([[2**60, 2**60 + 1], [2**60 + 1, 2**60 + 1]])
    assert krippendorff_alpha(ratings, "nominal").value == 0.0


def test_infinite_ratings_are_an_error_that_says_where():
    with pytest.raises(InputError, match="unit 1, rater 0: expected finite ratings; found inf"):
        rating_matrix([[1.0, 2.0], [np.inf, 1.0]])


def test_rows_of_different_lengths_are_an_error():
    with pytest.raises(InputError, match="equal length"):
        rating_matrix([[1, 2], [1]])


def test_a_vector_is_no_table():
    with pytest.raises(InputError, match="rows are units"):
        rating_matrix([1, 2, 3])


def test_names_of_raters_must_fit():
    with pytest.raises(InputError, match="2 raters; found 3"):
        rating_matrix([[1, 2]], raters=["a", "b", "c"])


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("uvwxyz"), st.sampled_from(["ann", "bob", "cy"])),
        st.one_of(st.integers(1, 5), st.none()),
        min_size=1,
    )
)
def test_long_and_wide_hold_the_same_ratings(cells):
    units, raters = zip(*cells, strict=True)
    matrix = from_long(units, raters, list(cells.values()))
    found = {
        (unit, rater): matrix.scores[row, column]
        for row, unit in enumerate(matrix.units)
        for column, rater in enumerate(matrix.raters)
    }
    for key, score in found.items():
        expected = cells.get(key)
        assert np.isnan(score) if expected is None else score == expected
    assert set(cells) <= set(found)


@pytest.mark.parametrize("make", [list, np.array, pl.Series, pd.Series, lambda column: pa.chunked_array([column])])
def test_long_columns_may_come_from_any_library(make):
    matrix = from_long(make([7, 7, 3]), make(["x", "y", "y"]), make([1.5, 2.0, 4.0]))
    assert (matrix.units, matrix.raters) == ((7, 3), ("x", "y"))
    np.testing.assert_array_equal(matrix.scores, [[1.5, 2.0], [np.nan, 4.0]])


def test_long_labels_keep_their_order_and_gaps():
    matrix = from_long(["a", "b"], ["x", "y"], ["good", "bad"], categories=["bad", "good"])
    np.testing.assert_array_equal(matrix.scores, [[1.0, np.nan], [np.nan, 0.0]])


def test_a_unit_rated_twice_by_one_rater_is_an_error_that_names_both():
    with pytest.raises(InputError, match="found 2 of unit 'a' by rater 'x'"):
        from_long(["a", "a"], ["x", "x"], [1, 2])


def test_a_rating_of_an_unnamed_unit_is_an_error():
    with pytest.raises(InputError, match="name for the unit"):
        from_long(["a", None], ["x", "y"], [1, 2])


def test_a_scale_cannot_be_given_to_a_matrix_that_is_made():
    with pytest.raises(UsageError, match="where the rating matrix was made"):
        krippendorff_alpha(rating_matrix(ROWS), categories=[1, 2, 3, 4, 5])


def test_columns_of_different_lengths_are_an_error():
    with pytest.raises(InputError, match="2 units, 1 raters, 2 values"):
        from_long(["a", "b"], ["x"], [1, 2])


@given(
    st.integers(1, 5).flatmap(
        lambda raters: st.lists(
            st.lists(st.one_of(st.none(), st.sampled_from([-7.0, 0.5, 2.0, 300.0])), min_size=raters, max_size=raters),
            min_size=1,
            max_size=10,
        )
    )
)
def test_patterns_count_what_each_unit_was_given(rows):
    matrix = rating_matrix(np.array([[np.nan if v is None else v for v in row] for row in rows]))
    patterns = collapse(matrix, units=True)
    values = patterns.categories.tolist()
    for row, pattern in zip(rows, patterns.pattern_of_unit, strict=True):
        assert patterns.counts[pattern].tolist() == [row.count(value) for value in values]
    assert patterns.multiplicity.sum() == len(rows)
    assert len({tuple(counts) for counts in patterns.counts.tolist()}) == len(patterns.counts)


def test_importing_the_measures_does_not_import_scipy_or_frames():
    import subprocess
    import sys

    code = (
        "import sys, venire.stats.agreement.agreement_matrix, venire.stats.agreement.bands; "
        "print([name for name in ('scipy', 'narwhals', 'pandas', 'polars') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


@pytest.mark.parametrize("labels", [["x", "y", "x"], [1, 2, 1]])
def test_masked_names_of_raters_are_missing_names(labels):
    masked = np.ma.MaskedArray(labels, mask=[False, True, False])
    with pytest.raises(InputError, match="expected a name for the rater"):
        from_long(["a", "a", "b"], masked, [1, 2, 3])
    whole = from_long(["a", "a", "b"], np.ma.MaskedArray(labels, mask=False), [1, 2, 3])
    assert whole.raters == tuple(map(str, labels[:2]))
