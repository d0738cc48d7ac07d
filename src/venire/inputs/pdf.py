"""The text of a PDF as a reader would quote it, with the offset at which each page begins."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from venire.domain.canonical import sha256_hex
from venire.errors import InputError
from venire.inputs.problems import unreadable

_ERROR_PASSWORD = 4
"""FPDF_ERR_PASSWORD in PDFium's public/fpdfview.h."""

_HYPHEN_MARK = "\ufffe"
"""What PDFium puts in place of a hyphen and the line break after it; no real text holds this noncharacter."""


class PdfText(msgspec.Struct, frozen=True):
    """What a PDF says."""

    text: str
    """The text of all pages, joined by line breaks."""
    page_starts: tuple[int, ...]
    """The offset in the text at which each page begins."""
    sha256: str
    """The digest of the file's bytes."""


def read_pdf(path: Path) -> PdfText:
    """Extract a PDF's text page by page, as it is; line breaks are LF.

    Raises `InputError` for a file that is empty, not a PDF, damaged or truncated, locked by a password, or without any
    text.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(error, str(path)) from error
    return parse_pdf(data, str(path))


def parse_pdf(data: bytes, where: str) -> PdfText:
    """Extract the text of a PDF that is held in memory; see `read_pdf`."""
    if not data:
        raise InputError("is an empty file, expected a PDF", where=where, hint="Export or download it again.")
    if b"%PDF-" not in data[:1024]:  # Readers accept bytes before the header (ISO 32000-1, Annex H, note 13).
        raise InputError(
            f"is not a PDF: it begins with {data[:8]!r}, expected %PDF-",
            where=where,
            hint="Check that the file is what its name says.",
        )
    pages = list(_pages_of(data, where))
    if not any(page.strip() for page in pages):
        raise InputError(
            f"has {len(pages)} page(s) but no text: they are blank or hold only images",
            where=where,
            hint="Recognise its text first (e.g. ocrmypdf IN OUT), or bring the text as .txt.",
        )
    starts: list[int] = []
    offset = 0
    for page in pages:
        starts.append(offset)
        offset += len(page) + 1
    return PdfText("\n".join(pages), tuple(starts), sha256_hex(data))


def _pages_of(data: bytes, where: str) -> Iterator[str]:
    import pypdfium2  # loads a library of some megabytes, wanted only where there are PDFs

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise _cannot_open(error.err_code, where) from error
    try:
        for number in range(len(document)):
            yield _page_text(document, number)
    except pypdfium2.PdfiumError as error:
        raise InputError(
            f"page {number + 1} of {len(document)} is damaged ({error})",
            where=where,
            hint="Export or download the PDF again.",
        ) from error
    finally:
        document.close()


def _page_text(document: Any, number: int) -> str:
    page = document[number]
    text_page = page.get_textpage()
    try:
        text: str = text_page.get_text_range()
    finally:
        text_page.close()
        page.close()
    return text.replace("\r\n", "\n").replace(_HYPHEN_MARK, "-\n")


def _cannot_open(error_code: int | None, where: str) -> InputError:
    if error_code == _ERROR_PASSWORD:
        return InputError(
            "is locked by a password", where=where, hint="Save a copy without one: qpdf --decrypt --password=… IN OUT"
        )
    return InputError(
        "is truncated or damaged: it begins as a PDF but cannot be opened",
        where=where,
        hint="Export or download it again, or repair a copy: qpdf IN OUT",
    )
