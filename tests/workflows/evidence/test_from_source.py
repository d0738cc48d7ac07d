"""Anchors are read from lines or a table."""

import pytest

from venire.errors import InputError
from venire.workflows.evidence.from_source import read_anchors


def test_anchors_are_read_from_lines_or_a_table(tmp_path):
    (tmp_path / "a.txt").write_text("one\n\ntwo\n", encoding="utf-8")
    (tmp_path / "a.csv").write_text("output_id,note\none,x\ntwo,y\n", encoding="utf-8")
    assert read_anchors(tmp_path / "a.txt") == read_anchors(tmp_path / "a.csv") == {"one", "two"}
    (tmp_path / "b.csv").write_text("name\none\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("\n", encoding="utf-8")
    for name in ("b.csv", "b.txt", "absent.txt"):
        with pytest.raises(InputError):
            read_anchors(tmp_path / name)
