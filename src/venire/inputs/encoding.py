"""Text is UTF-8: a byte order mark is taken off, and anything else is named for what it is."""

from __future__ import annotations

import codecs

from venire.errors import InputError

OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Byte order marks of other encodings; UTF-32 first, because its mark begins with that of UTF-16."""


def refuse_other_encodings(beginning: bytes, where: str) -> None:
    """Raise `InputError` if a file's first bytes say that it is not UTF-8."""
    for mark, name in OTHER_MARKS.items():
        if beginning.startswith(mark):
            raise InputError(
                f"is {name} text, expected UTF-8", where=where, hint=f"Convert it: iconv -f {name} -t UTF-8 FILE"
            )


def decode_utf8(data: bytes, where: str) -> str:
    """Decode UTF-8 bytes without their byte order mark; raise `InputError` for any other encoding."""
    refuse_other_encodings(data[:4], where)
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not UTF-8 text: byte 0x{data[error.start]:02x} at offset {error.start} does not belong there",
            where=where,
            hint="Save it as UTF-8, or convert it: iconv -f ENCODING -t UTF-8 FILE",
        ) from None


def refuse_lone_surrogates(value: str, what: str, where: str) -> None:
    r"""Raise `InputError` if a text holds half of a character, such as an escaped `\ud800`, which no file can hold."""
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(
            f"{what} holds half a character (a lone surrogate) at offset {error.start}",
            where=where,
            hint="Export the data again as UTF-8, or repair the broken escape or byte there.",
        ) from None
