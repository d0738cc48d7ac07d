"""Names as numbers: in sorted order, missing ones as −1, whatever column they come in."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from venire.stats.name_codes import code_lists, code_names, code_values


def listed(coded):
    names, codes = coded
    return names.tolist(), codes.tolist()


@pytest.mark.parametrize(
    ("values", "names", "codes"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        ([3.5, None, 1.5], [1.5, 3.5], [1, -1, 0]),
        ([float("nan"), 2.0, float("inf"), -float("inf")], [2.0], [-1, 0, -1, -1]),
        (["b", 1, "a"], [1, "a", "b"], [2, 0, 1]),
        ([], [], []),
        ([None], [], [-1]),
    ],
)
def test_values_are_numbered_in_their_order(values, names, codes):
    assert listed(code_values(values)) == (names, codes)


@pytest.mark.parametrize("count", [255, 256, 257, 300])
def test_more_names_than_a_byte_holds_are_numbered_alike(count):
    values = [f"{number:04}" for number in range(count)][::-1] * 2
    names, codes = code_values(values)
    assert names[codes].tolist() == values
    assert codes.max() == count - 1


COLUMNS = {
    "list": ["b", "a", "b"],
    "tuple": ("b", "a", "b"),
    "text": pl.Series(["b", "a", "b"]),
    "categorical": pl.Series(["b", "a", "b"]).cast(pl.Categorical),
    "enum": pl.Series(["b", "a", "b"], dtype=pl.Enum(["z", "b", "a"])),
    "pandas": pd.Series(["b", "a", "b"], dtype="category"),
    "pandas categorical": pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"]),
}


@pytest.mark.parametrize("column", COLUMNS.values(), ids=COLUMNS)
def test_every_kind_of_column_gives_the_same_numbers(column):
    assert listed(code_names(column)) == (["a", "b"], [1, 0, 1])


@pytest.mark.parametrize(
    "column",
    [pl.Series(["b", None, "a"]), pl.Series(["b", None, "a"]).cast(pl.Categorical),
     pl.Series(["b", None, "a"], dtype=pl.Enum(["a", "b"])), pd.Series(["b", None, "a"], dtype="category")],
)  # fmt: skip
def test_a_missing_name_has_no_number(column):
    assert listed(code_names(column)) == (["a", "b"], [1, -1, 0])


def test_a_column_without_any_name_has_none():
    assert listed(code_names(pl.Series([None, None], dtype=pl.String))) == ([], [-1, -1])


@pytest.mark.parametrize("column", [[], [1, 2], pl.Series([1, 2]), np.array(["a"]), pd.Series([1, 2]), None])
def test_what_holds_no_names_is_left_to_others(column):
    assert code_names(column) is None


@pytest.mark.parametrize(("first", "second"), [(["b", "a", "b"], ["c", "b", "a"]), (["x"], ["x"]), (["b"] * 3, ["a"])])
def test_two_lists_of_text_have_common_numbers_of_a_byte(first, second):
    names, *codes = code_lists(first, second)
    assert (names.tolist(), codes[0].dtype) == (sorted({*first, *second}), np.uint8)
    assert [names[each].tolist() for each in codes] == [first, second]


@pytest.mark.parametrize(
    ("first", "second"),
    [(["a", None], ["a", "b"]), ([], ["a"]), (["a"], [1]), (("a",), ["a"]), (np.array(["a"]), ["a"]),
     (["a"], [f"{number:04}" for number in range(256)])],
)  # fmt: skip
def test_what_is_not_two_lists_of_few_names_is_left_to_others(first, second):
    assert code_lists(first, second) is None
