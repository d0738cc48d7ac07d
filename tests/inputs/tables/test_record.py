"""JSON that users bring is decoded strictly."""

from __future__ import annotations

from pathlib import Path

import pytest

from venire.errors import InputError
from venire.inputs.tables.rows import read_rows


def write(folder: Path, name: str, data: bytes | str) -> Path:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def problems_of(path: Path) -> tuple[list[dict[str, object]], list[str]]:
    problems: list[str] = []
    rows = [row.values for row in read_rows(path, on_problem=lambda problem: problems.append(str(problem)))]
    return rows, problems


def test_a_number_of_very_many_digits_is_refused_in_plain_words(tmp_path: Path) -> None:
    _, (problem,) = problems_of(write(tmp_path, "a.jsonl", f'{{"id": {"9" * 5_000}}}'))
    assert "a number of 5,000 digits is beyond the range of a double" in problem


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


def test_numbers_are_kept_as_they_are_written(tmp_path: Path) -> None:
    rows, problems = problems_of(write(tmp_path, "a.jsonl", '{"id": 1, "share": 0.25, "more": -2e3}'))
    assert (rows, problems) == ([{"id": 1, "share": 0.25, "more": -2000.0}], [])
