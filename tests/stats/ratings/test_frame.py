import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from venire.errors import InputError
from venire.stats.ratings.table import RatingsTable

SCORES = {"unit": ["a", "a", "b"], "rater": ["x", "y", "x"], "score": [1, 2, None]}


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, pa.table, lambda data: pl.DataFrame(data).lazy()])
def test_any_kind_of_frame_is_read(make):
    found = RatingsTable.from_frame(make(SCORES), minimum=0, maximum=10).primary()
    assert found.matrix().scores.tolist() == [[1.0, 2.0]]
    assert found.excluded == {"without a score": 1}


def test_columns_of_a_frame_may_be_called_otherwise_and_hold_factors():
    frame = pl.DataFrame({"id": ["a"], "who": ["x"], "s": [1.5], "trigger": ["implicit"], "question_id": [7]})
    table = RatingsTable.from_frame(
        frame, columns={"unit": "id", "rater": "who", "score": "s"}, factors=["trigger"], minimum=1, maximum=5
    )
    row = table.frame.row(0, named=True)
    assert (row["unit"], row["rater"], row["score"], row["factor.trigger"], row["question_id"]) == (
        "a", "x", 1.5, "implicit", "7",
    )  # fmt: skip


def test_dimensions_of_a_frame_belong_to_one_judgement():
    frame = pl.DataFrame({"unit": ["a", "a"], "rater": ["x", "x"], "score": [1, 2], "dimension": ["p", "q"]})
    assert RatingsTable.from_frame(frame).judgement_count == 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"unit": ["a"], "score": [1]}, "'rater'"),
        ({"unit": ["a"], "rater": ["x"], "score": ["good"]}, "expected numbers in column 'score'"),
        ({"unit": ["a", "a"], "rater": ["x", "x"], "score": [1, 2]}, "found more of unit 'a' by 'x'"),
        ({"unit": ["a", None], "rater": ["x", "x"], "score": [1, 2]}, "row 2: expected a unit"),
        ({"unit": ["a"], "rater": ["x"], "score": [1], "status": ["ok"]}, "found 'ok'"),
    ],
)
def test_a_frame_that_cannot_be_read_is_an_error_that_says_why(data, message):
    with pytest.raises(InputError, match=message):
        RatingsTable.from_frame(pl.DataFrame(data))


def test_something_that_is_no_frame_is_refused():
    with pytest.raises(InputError, match="expected a data frame"):
        RatingsTable.from_frame([1, 2])


def test_rows_of_a_plain_table_are_told_apart_by_their_numbers() -> None:
    frame = {"unit": ["a", "b", "a", "b"], "rater": ["x", "x", "y", "y"], "score": [1.0, 2.0, 3.0, 4.0]}
    table = RatingsTable.from_frame(pl.DataFrame(frame))
    assert table.frame["judgement"].cast(pl.String).to_list() == ["row 1", "row 2", "row 3", "row 4"]
