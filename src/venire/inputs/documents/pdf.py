"""The text of a PDF as it was extracted, with the offset at which each page begins."""

from __future__ import annotations

from pathlib import Path

import msgspec

from venire.domain.canonical import sha256_hex
from venire.errors import InputError
from venire.inputs.documents.pdf_child import PdfLimits
from venire.inputs.documents.pdf_reader import PDF_READER
from venire.inputs.problems import unreadable

__all__ = ["PdfLimits", "PdfText", "read_pdf"]

_MIB = 1 << 20


class PdfText(msgspec.Struct, frozen=True):
    """What a PDF says."""

    text: str
    """The text of all pages, joined by line breaks."""
    page_starts: tuple[int, ...]
    """The offset in the text at which each page begins."""
    sha256: str
    """The digest of the file's bytes."""


def read_pdf(path: Path, limits: PdfLimits | None = None) -> PdfText:
    """Extract a PDF's text page by page, as it is; line breaks are LF.

    It is parsed in a process of its own. Raises `InputError` for a file that is empty, not a PDF, damaged or truncated,
    locked by a password, without any text, or that takes more than its limits allow.
    """
    where, limits = str(path), limits or PdfLimits()
    try:
        size = path.stat().st_size
        if size > limits.memory_mib * _MIB:
            raise InputError("error.pdf.too_large", where=where, size=size // _MIB, most=limits.memory_mib)
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(error, where) from error
    return _parse(data, where, limits)


def _parse(data: bytes, where: str, limits: PdfLimits) -> PdfText:
    if not data:
        raise InputError("error.pdf.empty", where=where)
    if b"%PDF-" not in data[:1024]:  # Readers accept bytes before the header (ISO 32000-1, Annex H, note 13).
        raise InputError("error.pdf.not_pdf", where=where, found=data[:8])
    answer = PDF_READER.read(data, limits)
    if answer.problem:
        raise InputError(answer.problem, where=where, **answer.values)
    pages = answer.pages
    if not any(page.strip() for page in pages):
        raise InputError("error.pdf.no_text", where=where, pages=len(pages))
    starts: list[int] = []
    offset = 0
    for page in pages:
        starts.append(offset)
        offset += len(page) + 1
    return PdfText("\n".join(pages), tuple(starts), sha256_hex(data))
