"""Files that commands write: whole, or as they were before."""

from __future__ import annotations

import resource
import subprocess
import sys

import pytest

from venire.cli.terminal.files import put_file
from venire.errors import UsageError

PUT = """
import pathlib, sys
from venire.cli.terminal.files import put_file
put_file(pathlib.Path(sys.argv[1]), b"n" * 9999)
"""
"""A program that writes more than there is room for."""


def _leave_no_room():
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))


def run_without_room(*command):
    """Run a program of Python that may not write a file of more than 4 KiB."""
    arguments = [sys.executable, *map(str, command)]
    return subprocess.run(arguments, check=False, capture_output=True, text=True, preexec_fn=_leave_no_room)


def test_a_file_is_written_into_a_new_folder(tmp_path):
    put_file(tmp_path / "new" / "a.txt", b"one")
    put_file(tmp_path / "new" / "a.txt", b"two")
    assert (tmp_path / "new" / "a.txt").read_bytes() == b"two"
    assert [each.name for each in (tmp_path / "new").iterdir()] == ["a.txt"]


def test_without_room_what_was_there_stays(tmp_path):
    (tmp_path / "report.html").write_bytes(b"the last report")
    done = run_without_room("-c", PUT, tmp_path / "report.html")
    assert "cannot be written" in done.stderr
    assert (tmp_path / "report.html").read_bytes() == b"the last report"
    assert [each.name for each in tmp_path.iterdir()] == ["report.html"]


def test_without_room_no_empty_starter_is_left(tmp_path):
    done = run_without_room("-m", "venire", "init", tmp_path / "venire.yaml")
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {tmp_path / 'venire.yaml'}: cannot be written: ")
    assert list(tmp_path.iterdir()) == []


def test_a_link_leads_to_the_file_that_is_written(tmp_path):
    (tmp_path / "real.txt").write_bytes(b"old")
    (tmp_path / "link.txt").symlink_to("real.txt")
    put_file(tmp_path / "link.txt", b"new")
    assert (tmp_path / "link.txt").is_symlink()
    assert (tmp_path / "real.txt").read_bytes() == b"new"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(UsageError, match="cannot be written"):
        put_file(tmp_path, b"x")
