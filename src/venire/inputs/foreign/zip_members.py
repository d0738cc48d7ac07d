"""Reads members of ZIP archives, those that are compressed with Zstandard (method 93) too, each within a limit."""

from __future__ import annotations

import io
import struct
import zlib
from pathlib import Path
from zipfile import BadZipFile, ZipFile, ZipInfo

from venire.errors import InputError

ZSTANDARD = 93
"""The number of the method in the format's list."""
MAX_MEMBER_BYTES = 1 << 30
"""How long a member may be once it is unpacked."""
_LOCAL_HEADER = struct.Struct("<4s5H3L2H")


def read_member(archive: ZipFile, name: str, path: Path) -> bytes:
    """Return the bytes of a member; raises `InputError` if it is damaged or longer than the limit."""
    info = archive.getinfo(name)
    where = f"{path}: {name}"
    try:
        content = _unpacked(archive, info)
    except (BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, ValueError) as error:
        raise InputError("error.foreign.member", where=where, reason=str(error)) from None
    if len(content) > MAX_MEMBER_BYTES:
        raise InputError("error.foreign.member_long", where=where, limit=MAX_MEMBER_BYTES >> 20)
    return content


def _unpacked(archive: ZipFile, info: ZipInfo) -> bytes:
    """Return a member, or the first bytes of one that is longer than allowed."""
    if info.compress_type != ZSTANDARD:
        with archive.open(info) as member:
            return member.read(MAX_MEMBER_BYTES + 1)
    import zstandard

    try:
        with zstandard.ZstdDecompressor().stream_reader(io.BytesIO(_packed(archive, info))) as reader:
            content: bytes = reader.read(MAX_MEMBER_BYTES + 1)
    except zstandard.ZstdError as error:
        raise BadZipFile(str(error)) from None
    if len(content) <= MAX_MEMBER_BYTES and zlib.crc32(content) != info.CRC:
        raise BadZipFile("bad CRC-32")
    return content


def _packed(archive: ZipFile, info: ZipInfo) -> bytes:
    """Return the bytes of a member as they stand in the archive, behind their local header."""
    file = archive.fp
    if file is None:
        raise BadZipFile("closed")
    file.seek(info.header_offset)
    header = _LOCAL_HEADER.unpack(file.read(_LOCAL_HEADER.size))
    if header[0] != b"PK\x03\x04":
        raise BadZipFile("bad local header")
    file.seek(header[9] + header[10], io.SEEK_CUR)
    return file.read(info.compress_size)
