"""Write the Chinese outputs of two models as PDFs: one folder a model, sixteen files each.

Run it with `python examples/drift/make_bundle.py` after `make_outputs.py`; it always writes the same bytes. The PDFs
name a standard Chinese font instead of carrying one (Adobe-GB1, which readers bring along or replace), so that a page
takes two kilobytes and no font is needed here.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

HERE = Path(__file__).parent
MODELS = ("alder-1", "cedar-mini")
LINE = 36
"""How many characters a line of a page holds; lines break after punctuation, never inside a word."""
_BREAK = re.compile(r"(?<=[，。；：、！？])")
_PAGE = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 7 0 R /Resources << /Font << /F1 4 0 R >> >> >>"
_FONT = """\
<< /Type /Font /Subtype /Type0 /BaseFont /STSong-Light-UniGB-UCS2-H /Encoding /UniGB-UCS2-H
/DescendantFonts [5 0 R] >>"""
_GLYPHS = """\
<< /Type /Font /Subtype /CIDFontType0 /BaseFont /STSong-Light /DW 1000 /W [1 95 500]
/CIDSystemInfo << /Registry (Adobe) /Ordering (GB1) /Supplement 4 >> /FontDescriptor 6 0 R >>"""
_DESCRIPTOR = """\
<< /Type /FontDescriptor /FontName /STSong-Light /Flags 6 /FontBBox [-25 -254 1000 880] /ItalicAngle 0
/Ascent 880 /Descent -120 /CapHeight 880 /StemV 93 >>"""


def main() -> None:
    """Write the PDFs of all chosen models."""
    for line in (HERE / "outputs.jsonl").read_text("utf-8").splitlines():
        output = json.loads(line)
        if output["language"] == "zh" and output["target_model"] in MODELS:
            folder = HERE / "bundle" / output["target_model"]
            folder.mkdir(parents=True, exist_ok=True)
            name = f"{output['question_id']} {output['prompt_variant']} {output['trigger']}.pdf"
            (folder / name).write_bytes(make_page(wrap(output["text"])))


def wrap(text: str) -> list[str]:
    """Break a text into lines of the page."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for piece in _BREAK.split(paragraph):
            if line and len(line + piece) > LINE:
                lines.append(line)
                line = ""
            line += piece
        lines.append(line)
    return lines


def make_page(lines: list[str]) -> bytes:
    """Return a PDF of one A4 page with these lines."""
    shown = "\n".join(f"<{line.encode('utf-16-be').hex().upper()}> Tj T*" for line in lines)
    content = f"BT /F1 11 Tf 18 TL 72 770 Td\n{shown}\nET"
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        _PAGE,
        _FONT,
        _GLYPHS,
        _DESCRIPTOR,
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    )
    body, starts = "%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        starts.append(len(body))
        body += f"{number} 0 obj\n{each}\nendobj\n"
    entries = "".join(f"{start:010} 00000 n \n" for start in starts)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{entries}trailer\n<< /Size {size} /Root 1 0 R >>\n"
    return f"{body}{end}startxref\n{len(body)}\n%%EOF\n".encode("ascii")


if __name__ == "__main__":
    main()
