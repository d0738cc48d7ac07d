from __future__ import annotations

import json
import tracemalloc
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


def test_csv_rows_know_the_line_at_which_they_begin(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", '\ufeffid,text\r\n1,"two\r\nlines"\r\n\r\n2,x\r\n')
    assert [(row.number, row.values) for row in read_rows(path)] == [
        (2, {"id": "1", "text": "two\r\nlines"}),
        (5, {"id": "2", "text": "x"}),
    ]


def test_tsv_is_separated_by_tabs(tmp_path: Path) -> None:
    (row,) = read_rows(write(tmp_path, "a.tsv", "id\ttext\n1\ta,b\n"))
    assert row.values == {"id": "1", "text": "a,b"}


def test_a_field_of_a_megabyte_is_read(tmp_path: Path) -> None:
    (row,) = read_rows(write(tmp_path, "a.csv", "id,text\n1," + "x" * 2**20))
    assert row.values["text"] == "x" * 2**20


def test_an_empty_or_absent_csv_field_is_missing(tmp_path: Path) -> None:
    (row,) = read_rows(write(tmp_path, "a.csv", "id,text,notes\n1,\n"))
    assert row.values == {"id": "1", "text": None, "notes": None}


def test_a_csv_row_with_too_many_fields_costs_no_other_row(tmp_path: Path) -> None:
    rows, problems = problems_of(write(tmp_path, "a.csv", "id,text\n1,a,b\n2,c\n"))
    assert rows == [{"id": "2", "text": "c"}]
    assert len(problems) == 1
    assert "a.csv:2: the row has 3 fields, the header has 2" in problems[0]


def test_a_byte_that_is_not_utf8_costs_only_its_csv_row(tmp_path: Path) -> None:
    rows, problems = problems_of(write(tmp_path, "a.csv", b"id,text\n1,caf\xe9\n2,ok\n"))
    assert rows == [{"id": "2", "text": "ok"}]
    assert len(problems) == 1
    assert "a.csv:2: column 'text'" in problems[0]


def test_a_csv_line_beyond_the_limit_is_a_problem_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge.csv"
    with path.open("wb") as file:
        file.write(b"id,text\n1,a\n2,")
        file.seek(100 * 2**20)
        file.write(b"\n")
    tracemalloc.start()
    try:
        rows, problems = problems_of(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert rows == [{"id": "1", "text": "a"}]
    assert "huge.csv:3: the line is longer" in problems[0]
    assert peak < 60 * 2**20


@pytest.mark.parametrize(
    ("text", "line", "rows"),
    [
        ('id,text\n1,a\n2,"b\n3,c\n', 3, [{"id": "1", "text": "a"}]),
        ('id,text\n1,"b', 2, []),
        ('id,"text\n1,b\n', 1, []),
    ],
)
def test_a_quotation_mark_that_is_never_closed_swallows_no_row_in_silence(
    tmp_path: Path, text: str, line: int, rows: list[dict[str, object]]
) -> None:
    path = write(tmp_path, "a.csv", text)
    found, (problem,) = problems_of(path)
    assert found == rows
    assert f"{path}:{line}: a quotation mark in the row is never closed" in problem


def test_another_separator_is_named(tmp_path: Path) -> None:
    _, (problem,) = problems_of(write(tmp_path, "a.csv", "id;text\n1;a\n"))
    assert "its separator seems to be ';'" in problem


def test_columns_without_a_name_are_told_as_such(tmp_path: Path) -> None:
    _, (problem,) = problems_of(write(tmp_path, "a.csv", "id,text,,\n1,a,,\n"))
    assert "duplicate columns: ''" in problem


def test_a_number_of_very_many_digits_is_refused_in_plain_words(tmp_path: Path) -> None:
    _, (problem,) = problems_of(write(tmp_path, "a.jsonl", f'{{"id": {"9" * 5_000}}}'))
    assert "a number of 5,000 digits is beyond the range of a double" in problem


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_a_large_file(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'id,text\n1,"open\n' + "2,some text\n" * 900_000)
    rows, problems = problems_of(path)
    assert rows == []
    assert "never closed" in problems[0]


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


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "is not JSON"),
        (b"[1]", "expected a JSON object, found an array"),
        (b'{"id": 1, "id": 2}', "duplicate key 'id'"),
        (b'{"id": NaN}', "NaN is not a JSON number"),
        (b'{"id": 1e999}', "beyond the range of a double"),
        (b'{"id": "\\ud800"}', "lone surrogate"),
        (b'{"id": "\xff"}', "is not UTF-8 text: byte 0xff at offset 8"),
        (b'{"id": [1]}', "hold lists or objects, expected text or numbers: 'id'"),
        (b'{"id": ' + b"[" * 10_000 + b"]" * 10_000 + b"}", "hold lists or objects|nested too deeply"),
        (b'{"id": ' + b"9" * 5000 + b"}", "is not strict JSON"),
    ],
)
def test_a_bad_line_of_json_costs_no_other_line(tmp_path: Path, line: bytes, said: str) -> None:
    path = write(tmp_path, "a.jsonl", b'{"id": "a"}\n' + line + b'\n{"id": "b"}\n')
    rows, problems = problems_of(path)
    assert rows == [{"id": "a"}, {"id": "b"}]
    assert len(problems) == 1
    assert "a.jsonl:2: " in problems[0]
    with pytest.raises(InputError, match=said):
        list(read_rows(path))


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
