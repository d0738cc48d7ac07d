"""Stream the lines of a JSON Lines file in constant memory, whatever their length."""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

import msgspec

from venire.errors import InputError
from venire.inputs.encoding import refuse_other_encodings
from venire.inputs.problems import unreadable

MAX_LINE_BYTES = 8 * 2**20
"""The longest line that is loaded: 8 MiB, as for a reply."""

_CHUNK_BYTES = 2**20
_LINE_END_BYTES = 2  # "\r\n"


class Line(msgspec.Struct, frozen=True, gc=False):
    """One line of a file that is not blank."""

    number: int
    """The line's number in the file, counted from 1; blank lines count."""
    data: bytes | None
    """The line without its end and without a byte order mark; None if it is too long to be loaded."""
    oversize_bytes: int = 0
    """How long the line is if it is too long to be loaded, else 0."""
    oversize_sha256: str = ""
    """The digest of a line that is too long to be loaded, so that it can still be named."""
    start: int = 0
    """The offset in the file at which the line begins."""


def read_lines(
    path: Path, *, max_line_bytes: int = MAX_LINE_BYTES, opened: Callable[[Path], IO[bytes]] | None = None
) -> Iterator[Line]:
    """Yield the lines of a file that are not blank.

    Lines may end in LF or CRLF, the last one need not end at all. A longer line than `max_line_bytes` is passed over in
    chunks and reported by its length. `opened` opens the file in another way. Raises `InputError` if the file cannot be
    read or begins with the byte order mark of UTF-16 or UTF-32.
    """
    try:
        with opened(path) if opened else path.open("rb") as file:
            yield from _lines_of(file, path, max_line_bytes)
    except OSError as error:
        raise unreadable(error, str(path)) from error


def read_line_at(path: Path, start: int, *, max_line_bytes: int = MAX_LINE_BYTES) -> bytes:
    """Return the line that begins at an offset which `read_lines` gave; raise `InputError` if it cannot be read."""
    try:
        with path.open("rb") as file:
            file.seek(start)
            data = file.readline(max_line_bytes + _LINE_END_BYTES)
    except OSError as error:
        raise unreadable(error, str(path)) from error
    return _bare(data, is_first=start == 0)


def too_long(line: Line, where: str, max_line_bytes: int = MAX_LINE_BYTES) -> InputError:
    """Say that a line was not loaded because of its length."""
    return InputError("error.json.long_line", where=where, size=line.oversize_bytes, most=max_line_bytes)


def _lines_of(file: IO[bytes], path: Path, max_line_bytes: int) -> Iterator[Line]:
    limit = max_line_bytes + _LINE_END_BYTES
    number = start = 0
    while data := file.readline(limit):
        number += 1
        if number == 1:
            refuse_other_encodings(data[:4], str(path))
        bare = _bare(data, is_first=number == 1)
        if len(bare) > max_line_bytes:
            length, sha256, read = _pass_over(file, data)
            yield Line(number, None, length, sha256, start)
            start += read
            continue
        if bare and not bare.isspace():
            yield Line(number, bare, start=start)
        start += len(data)


def _pass_over(file: IO[bytes], beginning: bytes) -> tuple[int, str, int]:
    """Read to the end of a line without keeping it: its length and digest without its end, and the bytes read."""
    hasher = hashlib.sha256()
    held, length, read = beginning, 0, len(beginning)
    while not held.endswith(b"\n") and (chunk := file.readline(_CHUNK_BYTES)):
        # A CR that ends a chunk may belong to a CRLF, so the last byte is held back.
        hasher.update(held[:-1])
        length += len(held) - 1
        held = held[-1:] + chunk
        read += len(chunk)
    rest = _without_line_end(held)
    hasher.update(rest)
    return length + len(rest), hasher.hexdigest(), read


def _bare(data: bytes, *, is_first: bool) -> bytes:
    bare = _without_line_end(data)
    return bare.removeprefix(codecs.BOM_UTF8) if is_first else bare


def _without_line_end(data: bytes) -> bytes:
    if data.endswith(b"\r\n"):
        return data[:-2]
    return data.removesuffix(b"\n")
