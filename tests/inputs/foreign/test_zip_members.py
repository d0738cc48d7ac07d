"""Members of archives are unpacked whatever the method, and damage is named."""

import zipfile

import pytest

from foreign_files import foreign
from venire.errors import InputError
from venire.inputs.foreign import zip_members
from venire.inputs.foreign.zip_members import ZSTANDARD, read_member

PANEL = foreign("inspect-panel.eval")


def test_a_member_that_is_compressed_with_zstandard_is_read():
    with zipfile.ZipFile(PANEL) as archive:
        assert archive.getinfo("header.json").compress_type == ZSTANDARD
        content = read_member(archive, "header.json", PANEL)
        assert len(content) == archive.getinfo("header.json").file_size
        assert content.lstrip().startswith(b"{")


def test_a_member_that_is_deflated_is_read(tmp_path):
    path = tmp_path / "older.eval"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("header.json", "{}")
    with zipfile.ZipFile(path) as archive:
        assert read_member(archive, "header.json", path) == b"{}"


def test_a_damaged_member_is_named(tmp_path):
    with zipfile.ZipFile(PANEL) as archive:
        info = archive.getinfo("header.json")
    content = bytearray(PANEL.read_bytes())
    content[info.header_offset + 60] ^= 0xFF
    path = tmp_path / "damaged.eval"
    path.write_bytes(content)
    with zipfile.ZipFile(path) as archive, pytest.raises(InputError, match=r"damaged\.eval: header\.json"):
        read_member(archive, "header.json", path)


def test_a_member_beyond_the_limit_is_refused(monkeypatch):
    monkeypatch.setattr(zip_members, "MAX_MEMBER_BYTES", 100)
    with zipfile.ZipFile(PANEL) as archive, pytest.raises(InputError, match="longer than"):
        read_member(archive, "header.json", PANEL)
