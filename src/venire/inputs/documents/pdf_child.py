"""The process in which PDFs are parsed: whatever a hostile file does to PDFium, it does it here.

Run as `python -m venire.inputs.documents.pdf_child`. It reads requests from its standard input and answers on its
standard output, one after the other, each as a length of eight bytes and MessagePack; it ends when its input does.
"""

from __future__ import annotations

import io
import math
import os
import re
import resource
import select
import signal
import sys
import threading
import time
from typing import Annotated, Any

import msgspec

_MIB = 1 << 20
_ERROR_PASSWORD = 4
"""FPDF_ERR_PASSWORD in PDFium's public/fpdfview.h."""
_HYPHEN_MARK = "\ufffe"
"""What PDFium puts in place of a hyphen and the line break after it; no real text holds this noncharacter."""
_MOST_GROWTH = 64 * _MIB
"""A child whose peak has grown by more than this is not used again, so that no file takes memory from the next one."""
_KIBIBYTES = re.compile(rb"(VmSize|VmHWM):\s*(\d+) kB")

Limit = Annotated[int, msgspec.Meta(ge=1)]


class PdfLimits(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the parsing of one PDF may cost; a file that needs more is a problem, and the others are read."""

    memory_mib: Limit = 1024
    """The most memory, in MiB; a larger file is not read at all."""
    seconds: Limit = 30
    """The most processor time, in seconds."""
    pages: Limit = 5_000
    """The most pages."""
    characters: Limit = 10_000_000
    """The most characters of text on all pages."""


class PdfRequest(msgspec.Struct, frozen=True):
    """A PDF to be parsed."""

    data: bytes
    """The file."""
    limits: PdfLimits
    """What it may cost."""


class PdfAnswer(msgspec.Struct, frozen=True):
    """The text of a PDF, or why there is none."""

    pages: tuple[str, ...] = ()
    """The text of each page."""
    problem: str = ""
    """The code of the reason why it could not be read; empty if it was."""
    values: dict[str, Any] = {}
    """The values of that reason."""
    is_last: bool = False
    """Whether the child has ended with this answer."""


def extract_pages(data: bytes, limits: PdfLimits) -> PdfAnswer:
    """Extract the text of each page, as it is; line breaks are LF."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        return _cannot_open(error.err_code)
    try:
        return _all_pages(document, limits)
    finally:
        document.close()


def _all_pages(document: Any, limits: PdfLimits) -> PdfAnswer:
    import pypdfium2

    count = len(document)
    if count > limits.pages:
        return PdfAnswer(problem="error.pdf.pages", values={"count": count, "most": limits.pages})
    pages: list[str] = []
    left = limits.characters
    for number in range(count):
        try:
            page = _page_text(document, number, left)
        except pypdfium2.PdfiumError as error:
            damage = {"page": number + 1, "count": count, "error": str(error)}
            return PdfAnswer(problem="error.pdf.damaged_page", values=damage)
        if page is None:
            values = {"most": limits.characters, "page": number + 1, "count": count}
            return PdfAnswer(problem="error.pdf.characters", values=values)
        left -= len(page)
        pages.append(page)
    return PdfAnswer(tuple(pages))


def _page_text(document: Any, number: int, most: int) -> str | None:
    """Return the text of a page, or None if it has more characters than this."""
    page = document[number]
    try:
        text_page = page.get_textpage()
        try:
            if text_page.count_chars() > most:
                return None
            text: str = text_page.get_text_range()
        finally:
            text_page.close()
    finally:
        page.close()
    return text.replace("\r\n", "\n").replace(_HYPHEN_MARK, "-\n")


def _cannot_open(error_code: int | None) -> PdfAnswer:
    if error_code == _ERROR_PASSWORD:
        return PdfAnswer(problem="error.pdf.locked")
    return PdfAnswer(problem="error.pdf.damaged")


def _answer(request: PdfRequest, at_start: _Memory) -> PdfAnswer:
    limits = request.limits
    _set_limit(resource.RLIMIT_AS, at_start.size + limits.memory_mib * _MIB)
    _set_limit(resource.RLIMIT_CPU, math.ceil(time.process_time()) + limits.seconds)
    try:
        answer = extract_pages(request.data, limits)
    except MemoryError:
        return PdfAnswer(problem="error.pdf.memory", values={"most": limits.memory_mib}, is_last=True)
    has_grown = _memory().peak - at_start.peak > _MOST_GROWTH
    return msgspec.structs.replace(answer, is_last=True) if has_grown else answer


def _set_limit(kind: int, wanted: int) -> None:
    hard = resource.getrlimit(kind)[1]
    soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    resource.setrlimit(kind, (soft, hard))


class _Memory(msgspec.Struct, frozen=True):
    """How much memory this process uses, in bytes."""

    size: int = 512 * _MIB
    """The size of its address space."""
    peak: int = 0
    """The most that it ever had in use."""


def _memory() -> _Memory:
    """Return the memory of this process, as far as the system tells."""
    try:
        with open("/proc/self/status", "rb", buffering=0) as status:  # noqa: PTH123 - a Path takes as long as a page
            found = dict(_KIBIBYTES.findall(status.read(4096)))
    except OSError:
        return _Memory()
    return _Memory(int(found[b"VmSize"]) * 1024, int(found[b"VmHWM"]) * 1024)


def _end_with_parent(source: io.FileIO) -> None:
    """End as soon as nobody holds the other end of the input, also while PDFium is at work."""
    poll = select.poll()
    poll.register(source, 0)  # a hang-up is always reported
    poll.poll()
    os._exit(0)


def main() -> None:
    """Answer requests until there are no more."""
    import pypdfium2  # noqa: F401 - loaded before anything is limited

    signal.signal(signal.SIGINT, signal.SIG_IGN)  # meant for the parent, which then closes the input
    _set_limit(resource.RLIMIT_CORE, 0)
    source, target = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)  # nobody else is to write into the answers
    threading.Thread(target=_end_with_parent, args=(source,), daemon=True).start()
    decode, encode = msgspec.msgpack.Decoder(PdfRequest).decode, msgspec.msgpack.Encoder().encode
    reader = io.BufferedReader(source, _MIB)
    at_start = _memory()
    while len(length := reader.read(8)) == 8:
        answer = _answer(decode(reader.read(int.from_bytes(length))), at_start)
        encoded = encode(answer)
        target.write(len(encoded).to_bytes(8) + encoded)
        target.flush()
        if answer.is_last:
            return


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)
