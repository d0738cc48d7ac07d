import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.errors import UsageError
from venire.stats.judges.learnt_weights import (
    errors_against_reference,
)
from venire.stats.judges.leave_one_out import leave_one_judge_out
from venire.stats.judges.panel_dependence import panel_dependence
from venire.stats.observations import encode, encode_alike, number, observed, observed_pairs, paired_differences


@given(st.lists(st.one_of(st.none(), st.integers(-5, 5)), max_size=30), st.sampled_from(["object", "float"]))
def test_numbers_of_names_lead_back_to_the_names(names, kind):
    array = np.array(names, dtype=object if kind == "object" else float)
    distinct, codes = encode(array)
    assert distinct.tolist() == sorted({name for name in names if name is not None})
    assert [None if code < 0 else distinct[code] for code in codes] == names


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
def test_narrow_integers_do_not_overflow_when_they_are_numbered(dtype):
    names = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 100], dtype=dtype)
    distinct, codes = encode(names)
    assert distinct[codes].tolist() == names.tolist()
    assert distinct.tolist() == sorted(names.tolist())


def test_columns_of_frames_are_taken_as_they_are():
    assert observed(pl.Series([1.0, None, 3.0])).tolist() == [1.0, 3.0]
    distinct, codes = encode(pl.Series(["b", None, "a"]))
    assert (distinct.tolist(), codes.tolist()) == (["a", "b"], [1, -1, 0])


def test_names_of_several_types_are_numbered_without_comparing_them():
    distinct, codes = encode(np.array([1, "a", 1], dtype=object))
    assert distinct[codes].tolist() == [1, "a", 1]


@pytest.mark.parametrize("strange", [np.inf, -np.inf])
@pytest.mark.parametrize("others", [[], [1.0], [1.0, np.nan], [np.inf]])
def test_infinite_numbers_are_an_error(others, strange):
    with pytest.raises(UsageError, match=r"finite numbers, found -?inf"):
        observed([*others, strange])


def test_a_pair_with_one_side_missing_is_left_out():
    one, two = observed_pairs([1, None, 3], [4, 5, None])
    assert (one.tolist(), two.tolist()) == ([1.0], [4.0])


def test_lists_of_different_length_are_an_error_that_names_both():
    with pytest.raises(UsageError, match="found 2 and 3"):
        observed_pairs([1, 2], [1, 2, 3])


def test_differences_of_decimal_scores_that_should_tie_do_tie():
    first, second = np.array([4.3, 3.2, 0.3]), np.array([4.2, 3.1, 0.1 + 0.2])
    assert len(set((first - second).tolist())) == 3
    assert paired_differences(first, second).tolist() == [0.1, 0.1, 0.0]


def test_importing_the_statistics_does_not_import_scipy():
    folder = Path(sys.modules["venire.stats.observations"].__file__).parent
    modules = ", ".join(f"venire.stats.{path.stem}" for path in sorted(folder.glob("[a-z]*.py")))
    code = f"import sys, {modules}; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_tables_without_a_column_for_each_judge_are_errors():
    for call in (
        lambda: leave_one_judge_out([[1, 2]], "abc"),
        lambda: panel_dependence([[1, 2]], [1], "abc"),
        lambda: errors_against_reference([[1, 2]], [1], "abc"),
    ):
        with pytest.raises(UsageError, match="column for each of 3 judges"):
            call()


def test_names_have_the_same_numbers_whatever_holds_them():
    names = ["model-b", None, "model-c", "model-a", "model-c", "model-b"]
    text = pl.Series(names)
    enum = pl.Enum(["unused", "model-c", "model-b", "model-a"])
    pandas = pytest.importorskip("pandas")
    held = {
        "list": names,
        "tuple": tuple(names),
        "array": np.array(names, dtype=object),
        "text": text,
        "categorical": text.cast(pl.Categorical),
        "enum": text.cast(enum),
        "pandas": pandas.Series(names, dtype="category"),
        "pandas categories": pandas.Categorical(names, categories=["model-c", "unused", "model-b", "model-a"]),
    }
    for kind, each in held.items():
        distinct, codes = encode(each)
        assert (kind, distinct.tolist()) == (kind, ["model-a", "model-b", "model-c"])
        assert (kind, codes.tolist()) == (kind, [1, -1, 2, 0, 2, 1])
        assert number(each)[1].tolist() == codes.tolist()


def test_more_names_than_a_byte_can_hold_are_told_apart():
    names = [f"model-{place:03}" for place in range(300)] * 2
    distinct, codes = encode(names)
    assert len(distinct) == 300
    assert distinct[codes].tolist() == names


def test_a_column_without_any_name_has_no_names():
    for empty in (pl.Series([], dtype=pl.String), pl.Series([None, None], dtype=pl.Categorical)):
        distinct, codes = encode(empty)
        assert (distinct.tolist(), codes.tolist()) == ([], [-1] * len(empty))


def test_two_lists_are_numbered_alike_even_where_names_are_missing():
    distinct, one, two = encode_alike(["b", None, "a"], pl.Series(["c", "b", None]))
    assert (distinct.tolist(), one.tolist(), two.tolist()) == (["a", "b", "c"], [1, -1, 0], [2, 1, -1])
