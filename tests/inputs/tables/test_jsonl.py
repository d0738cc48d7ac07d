from __future__ import annotations

import hashlib
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.errors import InputError
from venire.inputs.tables.jsonl import read_line_at, read_lines


def write(folder: Path, data: bytes) -> Path:
    path = folder / "lines.jsonl"
    path.write_bytes(data)
    return path


def test_lines_are_numbered_as_an_editor_does_and_blank_ones_left_out(tmp_path: Path) -> None:
    path = write(tmp_path, b"1\n\n  \n2\n")
    assert [(line.number, line.data) for line in read_lines(path)] == [(1, b"1"), (4, b"2")]


def test_crlf_and_a_missing_final_newline_do_not_matter(tmp_path: Path) -> None:
    path = write(tmp_path, b"1\r\n2\r\n3")
    assert [line.data for line in read_lines(path)] == [b"1", b"2", b"3"]


def test_a_byte_order_mark_is_taken_off_the_first_line_only(tmp_path: Path) -> None:
    mark = b"\xef\xbb\xbf"
    path = write(tmp_path, mark + b"1\n" + mark + b"2\n")
    assert [line.data for line in read_lines(path)] == [b"1", mark + b"2"]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32"])
def test_another_unicode_encoding_is_named_with_a_way_out(tmp_path: Path, encoding: str) -> None:
    path = write(tmp_path, '{"a": 1}\n'.encode(encoding))
    with pytest.raises(InputError, match=rf"is {encoding.upper()} text[\s\S]*iconv"):
        list(read_lines(path))


def test_a_line_that_is_too_long_is_reported_and_the_next_one_read(tmp_path: Path) -> None:
    path = write(tmp_path, b"1\n" + b"x" * 50 + b"\r\n2\n")
    first, long, last = read_lines(path, max_line_bytes=10)
    assert (first.data, last.data, last.number) == (b"1", b"2", 3)
    assert (long.data, long.oversize_bytes, long.oversize_sha256) == (None, 50, hashlib.sha256(b"x" * 50).hexdigest())


def test_a_line_of_200_megabytes_is_passed_over_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge.jsonl"
    with path.open("wb") as file:
        file.seek(200 * 2**20)  # A sparse file: the line is made of zero bytes.
        file.write(b"\n{}\n")
    tracemalloc.start()
    try:
        huge, small = read_lines(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (huge.data, huge.oversize_bytes, small.data) == (None, 200 * 2**20, b"{}")
    assert peak < 40 * 2**20


def test_an_empty_file_has_no_lines(tmp_path: Path) -> None:
    assert list(read_lines(write(tmp_path, b""))) == []


def test_a_file_that_does_not_exist_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.jsonl: there is no such file"):
        list(read_lines(tmp_path / "none.jsonl"))


@given(
    st.lists(st.binary(max_size=12).filter(lambda data: b"\n" not in data and not data.endswith(b"\r")), max_size=8),
    st.sampled_from([b"\n", b"\r\n"]),
    st.integers(1, 12),
)
def test_every_line_that_fits_can_be_read_again_at_its_offset(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], line_end: bytes, limit: int
) -> None:
    lines = [b"x", *lines]  # So that no drawn line is taken for a byte order mark.
    path = write(tmp_path_factory.mktemp("lines"), line_end.join(lines))
    found = list(read_lines(path, max_line_bytes=limit))
    expected = [line if len(line) <= limit else None for line in lines if len(line) > limit or line.strip()]
    assert [line.data for line in found] == expected
    sizes = [len(line) for line in lines if len(line) > limit]
    assert [line.oversize_bytes for line in found if line.data is None] == sizes
    assert all(read_line_at(path, line.start) == line.data for line in found if line.data is not None)
