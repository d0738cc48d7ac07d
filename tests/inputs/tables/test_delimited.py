"""Tables separated by commas or tabs: rows with their lines, and what is wrong with some of them."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

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
    _, (problem,) = problems_of(write(tmp_path, "a.csv", "id|text\n1|a\n"))
    assert "its separator seems to be '|'" in problem


@pytest.mark.parametrize("header", ["id;text", '"id";"text"', "\ufeffid;text"])
def test_a_csv_that_only_semicolons_part_is_read_by_them(tmp_path: Path, header: str) -> None:
    rows, problems = problems_of(write(tmp_path, "a.csv", f"{header}\n1;a, b\n"))
    assert (rows, problems) == ([{"id": "1", "text": "a, b"}], [])


def test_a_semicolon_in_a_name_parts_nothing_where_there_are_commas(tmp_path: Path) -> None:
    rows, problems = problems_of(write(tmp_path, "a.csv", "id,text;long\n1,a\n"))
    assert (rows, problems) == ([{"id": "1", "text;long": "a"}], [])


def test_columns_without_a_name_are_told_as_such(tmp_path: Path) -> None:
    _, (problem,) = problems_of(write(tmp_path, "a.csv", "id,text,,\n1,a,,\n"))
    assert "duplicate columns: ''" in problem


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_a_large_file(tmp_path: Path) -> None:
    path = write(tmp_path, "a.csv", 'id,text\n1,"open\n' + "2,some text\n" * 900_000)
    rows, problems = problems_of(path)
    assert rows == []
    assert "never closed" in problems[0]
