"""One judged output in a file of its own: plain text, Markdown or PDF."""

from __future__ import annotations

from pathlib import Path

import msgspec

from venire.domain.canonical import sha256_hex
from venire.domain.sample import Source
from venire.errors import InputError
from venire.inputs.documents.pdf import PdfLimits, read_pdf
from venire.inputs.encoding import decode_utf8
from venire.inputs.folder import ending_of
from venire.inputs.problems import unreadable

DOCUMENT_ENDINGS = (".md", ".pdf", ".txt")
"""The endings of files that hold one judged output each."""


class SourceText(msgspec.Struct, frozen=True):
    """The text of a file and where it came from."""

    text: str
    """What the file says; line breaks are LF."""
    source: Source
    """The file's name, digest and pages."""


def read_document(path: Path, name: str, pdf_limits: PdfLimits | None = None) -> SourceText:
    """Read a file that holds one output; `name` is what the source is called for a reader.

    Raises `InputError` if the file cannot be read, is not UTF-8 or a PDF, or has no text.
    """
    if ending_of(path) == ".pdf":
        pdf = read_pdf(path, pdf_limits)
        return SourceText(pdf.text, Source(name, pdf.sha256, pdf.page_starts))
    where = str(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise unreadable(error, where) from error
    text = decode_utf8(data, where).replace("\r\n", "\n")
    if not text.strip():
        raise InputError("error.folder.empty_file", where=where)
    return SourceText(text, Source(name, sha256_hex(data)))
