import msgspec
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from venire.votes.analysis.caller_frame import in_kind


class Answer(msgspec.Struct):
    frame: pl.DataFrame
    count: int


@pytest.mark.parametrize(
    ("source", "kind"),
    [(pd.DataFrame(), pd.DataFrame), (pa.table({}), pa.Table), (pl.DataFrame(), pl.DataFrame), ([], pl.DataFrame)],
)
def test_frames_of_an_answer_are_of_the_callers_library(source, kind):
    answer = in_kind(Answer(pl.DataFrame({"a": [1, 2]}), 7), source)
    assert type(answer.frame) is kind
    assert [int(each) for each in (answer.frame["a"].to_pylist() if kind is pa.Table else answer.frame["a"])] == [1, 2]
    assert answer.count == 7
