import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.errors import InputError, UsageError
from venire.stats.agreement.krippendorff_alpha import krippendorff_alpha
from venire.stats.ratings.matrix import from_long, rating_matrix

ROWS = [[1, 2, None], [3, 3, 1], [None, None, 2], [5, 4, 4]]


def test_infinite_ratings_are_an_error_that_says_where():
    with pytest.raises(InputError, match="unit 1, rater 0: expected finite ratings; found inf"):
        rating_matrix([[1.0, 2.0], [np.inf, 1.0]])


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
    with pytest.raises(InputError, match="2 units, 1 rater, 2 values"):
        from_long(["a", "b"], ["x"], [1, 2])


def test_importing_the_measures_does_not_import_scipy_or_frames():
    import subprocess
    import sys

    code = (
        "import sys, venire.stats.agreement.matrix, venire.stats.agreement.bands; "
        "print([name for name in ('scipy', 'narwhals', 'pandas', 'polars') if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_first_of_several_infinite_ratings_is_named():
    with pytest.raises(InputError, match="unit 0, rater 1: expected finite ratings; found -inf"):
        rating_matrix([[1.0, -np.inf], [np.inf, 1.0]])
