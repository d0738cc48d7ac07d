"""PDFs of a few kilobytes that are expensive or deadly to parse, made byte by byte."""

from __future__ import annotations

import zlib

_FONT = b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
_CATALOG = b"<</Type/Catalog/Pages 2 0 R>>"
_DEFLATED = b"/Filter/FlateDecode"


def memory_bomb(mebibytes: int) -> bytes:
    """Return a PDF whose page, compressed twice, unfolds to that many MiB of blanks."""
    packer = zlib.compressobj(9)
    blanks = b" " * (1 << 20)
    first, _, block = (packer.compress(blanks) + packer.flush(zlib.Z_FULL_FLUSH) for _ in range(3))
    return _one_page(zlib.compress(first + block * mebibytes, 9), b"/Filter[/FlateDecode/FlateDecode]")


def time_bomb() -> bytes:
    """Return a PDF with thousands of pages, each of which takes long to draw nothing and then forgets it."""
    return _one_page(zlib.compress(b"q Q " * 200_000, 9), _DEFLATED, count=4_000)


def nested_forms(depth: int = 20, fan: int = 10) -> bytes:
    """Return a PDF whose page draws a form that draws another ten times, and so on."""
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</XObject<</X 5 0 R>>>>>>"
    objects = [_CATALOG, b"<</Type/Pages/Kids[3 0 R]/Count 1>>", page, _stream(b"/X Do")]
    for number in range(5, 5 + depth):
        resources = b"/Resources<</XObject<</X %d 0 R>>>>" % (number + 1)
        objects.append(_stream(b"/X Do " * fan, b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]" + resources))
    return _pdf(objects)


def giant_page(words: int) -> bytes:
    """Return a PDF with one page of that many words of ten letters, which compress to next to nothing."""
    return _one_page(zlib.compress(b"BT /F 9 Tf 9 9 Td " + b"(abcdefghij) Tj " * words + b"ET", 9), _DEFLATED)


def many_pages(count: int) -> bytes:
    """Return a PDF that shows one page that many times."""
    return _one_page(b"BT /F 9 Tf 9 9 Td (page) Tj ET", count=count)


def deep_tree(depth: int) -> bytes:
    """Return a PDF whose only page hangs that deep in its tree of pages."""
    levels = [b"<</Type/Pages/Kids[%d 0 R]/Count 1>>" % number for number in range(3, 3 + depth)]
    return _pdf([_CATALOG, *levels, b"<</Type/Page/MediaBox[0 0 600 800]>>"])


def _one_page(content: bytes, filters: bytes = b"", count: int = 1) -> bytes:
    page = b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>"
    pages = b"<</Type/Pages/Kids[" + b"3 0 R " * count + b"]/Count %d>>" % count
    return _pdf([_CATALOG, pages, page, _stream(content, filters), _FONT])


def _stream(data: bytes, more: bytes = b"") -> bytes:
    return b"<</Length %d%s>>\nstream\n" % (len(data), more) + data + b"\nendstream"


def _pdf(objects: list[bytes]) -> bytes:
    written = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    written += b"".join(b"%010d 00000 n \n" % place for place in places)
    written += b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, table)
    return bytes(written)
