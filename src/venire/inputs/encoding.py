"""Text is UTF-8: a byte order mark is taken off, and anything else is named for what it is.

Tables in another encoding are read where a mark or the user says what they are. A guess is only named, never read by:
text that was misread would be judged as the output.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO

from venire.errors import InputError, TableError, UsageError
from venire.words.said import say

OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Byte order marks of other encodings; UTF-32 first, because its mark begins with that of UTF-16."""

_BUFFER_BYTES = 1 << 17  # Lines with documents are longer than the buffer that files have by themselves.
_LOOKED_AT = 2**18
_CHUNK_BYTES = 2**20
_SPOOL_BYTES = 2**24
_COMMON_SHARE = 0.8


def refuse_other_encodings(beginning: bytes, where: str) -> None:
    """Raise `InputError` if a file's first bytes say that it is not UTF-8."""
    for mark, name in OTHER_MARKS.items():
        if beginning.startswith(mark):
            raise InputError("error.table.other_encoding", where=where, name=name)


def decode_utf8(data: bytes, where: str) -> str:
    """Decode UTF-8 bytes without their byte order mark; raise `InputError` for any other encoding."""
    refuse_other_encodings(data[:4], where)
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError("error.table.not_utf8", where=where, byte=data[error.start], offset=error.start) from None


def refuse_lone_surrogates(value: str, where: str, code: str, **values: str) -> None:
    r"""Raise `InputError` if a text holds half of a character, such as an escaped `\ud800`, which no file can hold.

    The code and its values say what the text is.
    """
    if value.isascii():
        return
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        what = say(code, **values)
        raise InputError("error.table.lone_surrogate", where=where, what=what, offset=error.start) from None


def open_as_utf8(path: Path, encoding: str = "") -> IO[bytes]:
    """Open a table as UTF-8 bytes, whatever it is encoded in.

    A table with the mark of UTF-16 or UTF-32, or with an `encoding` that is named, is read into a temporary file.
    Raises `TableError` for one that looks like another encoding, and `OSError` if it cannot be opened.
    """
    file = path.open("rb", _BUFFER_BYTES)
    try:
        beginning = file.read(_LOOKED_AT)
        file.seek(0)
        name = _known(encoding) if encoding else marked_encoding(beginning)
        if name in ("", "utf-8"):
            _refuse_lookalike(beginning, path)
            return file
        recoded = _recoded(file, name, path)
    except BaseException:
        file.close()
        raise
    file.close()
    return recoded


def marked_encoding(beginning: bytes) -> str:
    """Return the encoding that a byte order mark names; empty without one of another encoding than UTF-8."""
    return next((name.lower() for mark, name in OTHER_MARKS.items() if beginning.startswith(mark)), "")


def guess_encoding(data: bytes) -> str:
    """Return what bytes that are not UTF-8 look like: by how many of their characters are common ones in it.

    Empty if nothing fits, or if they are mostly UTF-8 and only damaged here and there.

    >>> guess_encoding("一个写得很好的答案。".encode("gb18030")), guess_encoding(b"plain")
    ('gb18030', '')
    """
    zeros = (
        data[::2].count(0),
        data[1::2].count(0),
    )  # Every letter of ASCII has one in UTF-16, and no other text has any.
    if abs(zeros[0] - zeros[1]) * 50 > len(data):
        return "utf-16-be" if zeros[0] > zeros[1] else "utf-16-le"
    if _decoded(data, "utf-8") is not None or _is_mostly_utf8(data):
        return ""
    shares = {name: _common_share(data, name, is_common) for name, is_common in _CANDIDATES.items()}
    best = max(shares, key=lambda name: shares[name])
    return best if shares[best] >= _COMMON_SHARE else ""


def _known(encoding: str) -> str:
    try:
        return codecs.lookup(encoding).name
    except LookupError:
        raise UsageError("error.table.no_encoding", found=encoding) from None


def _refuse_lookalike(beginning: bytes, path: Path) -> None:
    name = guess_encoding(beginning)
    if name:
        shown = name.upper().replace("_", "-")
        raise TableError("error.table.looks_like", where=str(path), shown=shown, name=name)


def _recoded(file: IO[bytes], name: str, path: Path) -> IO[bytes]:
    decoder = codecs.getincrementaldecoder(name)()
    recoded: IO[bytes] = SpooledTemporaryFile(_SPOOL_BYTES)  # noqa: SIM115 - the caller closes it
    try:
        while chunk := file.read(_CHUNK_BYTES):
            recoded.write(decoder.decode(chunk).encode("utf-8"))
        recoded.write(decoder.decode(b"", final=True).encode("utf-8"))
    except UnicodeError as error:
        recoded.close()
        raise TableError("error.table.not_encoding", where=str(path), name=name.upper(), error=error) from None
    recoded.seek(0)
    return recoded


def _decoded(data: bytes, name: str) -> str | None:
    """Decode the beginning of a file, whose last character may be cut off; None if it is something else."""
    try:
        return codecs.getincrementaldecoder(name)().decode(data)
    except UnicodeDecodeError:
        return None


def _is_mostly_utf8(data: bytes) -> bool:
    lines = [line for line in data.split(b"\n")[:-1] or [data] if not line.isascii()]
    return sum(_decoded(line, "utf-8") is not None for line in lines) * 2 > len(lines)


def _common_share(data: bytes, name: str, is_common: Callable[[str, bytes], bool]) -> float:
    text = _decoded(data, name)
    letters = [letter for letter in text or "" if not letter.isascii() and letter.isalpha()]
    return sum(is_common(letter, letter.encode(name)) for letter in letters) / max(len(letters), 1)


def _is_kana(letter: str) -> bool:
    return "\u3040" <= letter <= "\u30ff"


_CANDIDATES: dict[str, Callable[[str, bytes], bool]] = {
    # The first level of GB 2312, its 3,755 common characters; of Big5, its 5,401; of JIS X 0208, 2,965 beside the kana.
    "gb18030": lambda _, code: len(code) == 2 and 0xB0 <= code[0] <= 0xD7 and code[1] >= 0xA1,
    "big5": lambda _, code: len(code) == 2 and 0xA4 <= code[0] <= 0xC6,
    "shift_jis": lambda letter, code: _is_kana(letter) or (len(code) == 2 and 0x88 <= code[0] <= 0x98),
}
"""By which letters and bytes an encoding is recognised."""
