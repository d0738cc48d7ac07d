"""One output in a file of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from venire.errors import InputError
from venire.inputs.reader import read_samples


@pytest.mark.parametrize(
    ("data", "said"), [(b"", "is an empty file"), ("x".encode("utf-16"), "UTF-16"), (b"\xff\xffx", "is not UTF-8")]
)
def test_a_text_file_that_cannot_be_used_says_why(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "a.txt").write_bytes(data)
    with pytest.raises(InputError, match=said):
        list(read_samples(tmp_path))


def test_one_document_is_one_sample(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one", encoding="utf-8")
    assert [sample.output_id for sample in read_samples(tmp_path / "a.txt")] == ["a"]
