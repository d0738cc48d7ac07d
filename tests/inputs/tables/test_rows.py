from __future__ import annotations

import json
from pathlib import Path

import polars
import pytest

from venire.errors import InputError, UsageError
from venire.inputs.tables.rows import read_rows


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def problems_of(path: Path) -> tuple[list[dict[str, object]], list[str]]:
    problems: list[str] = []
    rows = [row.values for row in read_rows(path, on_problem=lambda problem: problems.append(str(problem)))]
    return rows, problems


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("empty.csv", b"", "has no header row"),
        ("twice.csv", b"id,text,id\n", "duplicate columns: 'id'"),
        ("empty.json", b"", "is not JSON"),
        ("object.json", b"{}", "expected a JSON array of objects, found an object"),
        ("cut.json", b'[{"id": 1}, {"id"', "is not JSON"),
        ("deep.json", b"[" * 100_000, "nested too deeply"),
        ("empty.parquet", b"", "is not a Parquet file"),
        ("cut.parquet", b"PAR1\x00\x00", "is not a Parquet file"),
    ],
)
def test_a_file_that_is_no_table_says_why(tmp_path: Path, name: str, data: bytes, said: str) -> None:
    path = write(tmp_path, name, data)
    with pytest.raises(InputError, match=said):
        list(read_rows(path))
    assert problems_of(path)[0] == []


def test_items_of_a_json_array_are_counted_from_one(tmp_path: Path) -> None:
    path = write(tmp_path, "a.json", json.dumps([{"id": 1}, 5, {"id": None}]))
    rows, problems = problems_of(path)
    assert rows == [{"id": 1}, {"id": None}]
    assert "a.json, item 2: expected a JSON object, found a number" in problems[0]


def test_parquet_nulls_are_missing_and_rows_keep_their_order(tmp_path: Path) -> None:
    polars.DataFrame({"id": range(2000), "text": [None, *["x"] * 1999]}).write_parquet(tmp_path / "a.parquet")
    rows = list(read_rows(tmp_path / "a.parquet"))
    assert rows[0].values == {"id": 0, "text": None}
    assert [row.values["id"] for row in rows] == list(range(2000))
    assert rows[1999].number == 2000


def test_a_nested_parquet_column_is_refused_by_its_name(tmp_path: Path) -> None:
    polars.DataFrame({"id": [1], "tags": [["a"]]}).write_parquet(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"hold lists or objects.*'tags'"):
        list(read_rows(tmp_path / "a.parquet"))


def test_an_ending_that_is_no_table_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a table ending in \.csv"):
        list(read_rows(write(tmp_path, "a.xlsx", b"PK")))


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.json", "a.parquet"])
def test_a_table_that_may_not_be_read_is_a_problem(
    forbidden_folder: Path, request: pytest.FixtureRequest, name: str
) -> None:
    path = write(forbidden_folder, name, b"x")
    path.chmod(0)
    request.getfixturevalue("as_ordinary_user")
    rows, problems = problems_of(path)
    assert rows == []
    assert f"{name}: may not be read" in problems[0]


def test_rows_of_a_parquet_file_are_counted_from_one_through_all_batches(tmp_path: Path) -> None:
    path = tmp_path / "many.parquet"
    polars.DataFrame({"id": range(1_100)}).write_parquet(path)
    rows = list(read_rows(path))
    assert [row.number for row in rows] == list(range(1, 1_101))
    assert [rows[place].where for place in (0, -1)] == [f"{path}, row 1", f"{path}, row 1100"]


def test_a_parquet_file_with_nested_columns_is_refused_by_their_names(tmp_path: Path) -> None:
    path = tmp_path / "nested.parquet"
    polars.DataFrame({"id": [1], "tags": [["a", "b"]], "meta": [{"x": 1}]}).write_parquet(path)
    with pytest.raises(InputError, match=r"tags.*meta"):
        list(read_rows(path))
