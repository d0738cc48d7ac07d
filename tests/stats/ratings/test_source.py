import decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from venire.errors import InputError
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.ratings.matrix import from_long, rating_matrix

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
    with pytest.raises(InputError, match="Collect a lazy frame"):
        rating_matrix(pl.LazyFrame(COLUMNS))


def test_true_and_false_are_ratings():
    assert rating_matrix(np.array([[True, False]])).scores.tolist() == [[1.0, 0.0]]


def test_numbers_and_labels_together_are_labels():
    assert rating_matrix([[1, "a"], [None, 1]]).labels == (1, "a")


def test_whole_numbers_beyond_a_double_stay_distinct():
    ratings = np.array([[2**60, 2**60 + 1], [2**60 + 1, 2**60 + 1]])
    assert krippendorff_alpha(ratings, "nominal").value == 0.0


def test_rows_of_different_lengths_are_an_error():
    with pytest.raises(InputError, match="equal length"):
        rating_matrix([[1, 2], [1]])


def test_a_vector_is_no_table():
    with pytest.raises(InputError, match="rows are units"):
        rating_matrix([1, 2, 3])


@pytest.mark.parametrize("make", [list, np.array, pl.Series, pd.Series, lambda column: pa.chunked_array([column])])
def test_long_columns_may_come_from_any_library(make):
    matrix = from_long(make([7, 7, 3]), make(["x", "y", "y"]), make([1.5, 2.0, 4.0]))
    assert (matrix.units, matrix.raters) == ((7, 3), ("x", "y"))
    np.testing.assert_array_equal(matrix.scores, [[1.5, 2.0], [np.nan, 4.0]])


@pytest.mark.parametrize("labels", [["x", "y", "x"], [1, 2, 1]])
def test_masked_names_of_raters_are_missing_names(labels):
    masked = np.ma.MaskedArray(labels, mask=[False, True, False])
    with pytest.raises(InputError, match="expected a name for the rater"):
        from_long(["a", "a", "b"], masked, [1, 2, 3])
    whole = from_long(["a", "a", "b"], np.ma.MaskedArray(labels, mask=False), [1, 2, 3])
    assert whole.raters == tuple(map(str, labels[:2]))
