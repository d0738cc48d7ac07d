"""Make PDFs for tests, in any script, without any font on the machine.

The fonts are made here too: every character that a document needs becomes a box. What matters is that a PDF reader
gets the characters back, not what they look like.
"""

from __future__ import annotations

import io
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fpdf import FPDF
from PIL import Image

USER_PASSWORD = "open sesame"


def make_pdf(path: Path, pages: list[str], *, password: str = "") -> Path:
    """Write a PDF with these pages; each line of a page becomes a line of the PDF."""
    path.parent.mkdir(parents=True, exist_ok=True)
    font_file = path.with_suffix(".font.ttf")
    font_file.write_bytes(_font_of_boxes("".join(pages)))
    pdf = FPDF()
    if password:
        pdf.set_encryption(owner_password="owner", user_password=password)
    pdf.add_font("Boxes", fname=font_file)
    for page in pages:
        pdf.add_page()
        pdf.set_font("Boxes", size=9)
        for line in page.split("\n"):
            pdf.cell(0, 5, line, new_x="LMARGIN", new_y="NEXT")
    pdf.output(str(path))
    font_file.unlink()
    return path


def make_encrypted_pdf(path: Path, pages: list[str]) -> Path:
    """Write a PDF that opens only with `USER_PASSWORD`."""
    return make_pdf(path, pages, password=USER_PASSWORD)


def make_truncated_pdf(path: Path, pages: list[str]) -> Path:
    """Write a PDF that ends in the middle, as after a broken download."""
    whole = make_pdf(path, pages).read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return path


def make_image_only_pdf(path: Path) -> Path:
    """Write a PDF that shows a picture and has no text, as a scanner does."""
    picture = io.BytesIO()
    Image.new("L", (40, 40), color=128).save(picture, "PNG")
    pdf = FPDF()
    pdf.add_page()
    pdf.image(picture, x=10, y=10, w=50)
    pdf.output(str(path))
    return path


def _font_of_boxes(text: str) -> bytes:
    names = {character: f"u{ord(character):05X}" for character in sorted(set(text) - {"\n"} | {" "})}
    pen = TTGlyphPen(None)
    pen.moveTo((50, 0))
    for corner in ((50, 700), (450, 700), (450, 0)):
        pen.lineTo(corner)
    pen.closePath()
    box, blank = pen.glyph(), TTGlyphPen(None).glyph()
    font = FontBuilder(1000, isTTF=True)
    font.setupGlyphOrder([".notdef", *names.values()])
    font.setupCharacterMap({ord(character): name for character, name in names.items()})
    font.setupGlyf({".notdef": box} | {name: blank if char == " " else box for char, name in names.items()})
    widths = {name: (500 if ord(character) < 0x2000 else 1000, 50) for character, name in names.items()}
    font.setupHorizontalMetrics({".notdef": (500, 50)} | widths)
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Boxes", "styleName": "Regular"})
    font.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    font.setupPost()
    file = io.BytesIO()
    font.save(file)
    return file.getvalue()
