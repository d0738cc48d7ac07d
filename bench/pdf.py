"""What it costs to parse PDFs in a child process, beside parsing the same files in this process.

Run: python -m bench.pdf [FILES]
Makes honest PDFs of one to three pages and reads them all both ways, each time in a new Python; prints CPU seconds of
that Python and its child together, imports and starting included, best of alternating rounds.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from fpdf import FPDF

from venire.domain.canonical import sha256_hex
from venire.inputs.documents.pdf import PdfLimits, read_pdf
from venire.inputs.documents.pdf_child import extract_pages
from venire.inputs.documents.pdf_reader import PDF_READER

ROUNDS, KINDS = 5, 20
SENTENCE = "The report states that item {0} was checked by two people and that {1} of its parts were sound."


def make_files(folder: Path, count: int) -> None:
    """Write PDFs of about a page of text or three, as judged outputs are."""
    for kind in range(KINDS):
        pdf = FPDF()
        for page in range(1 + kind % 3):
            pdf.add_page()
            pdf.set_font("Helvetica", size=9)
            for line in range(30 + page):
                pdf.cell(0, 5, SENTENCE.format(line, kind), new_x="LMARGIN", new_y="NEXT")
        data = bytes(pdf.output())
        for number in range(kind, count, KINDS):
            (folder / f"{number:04}.pdf").write_bytes(data)


def read_all(folder: Path, way: str) -> None:
    """Read all files and print the CPU seconds that it took, and how many characters there were."""
    characters = 0
    for path in sorted(folder.iterdir()):
        if way == "child":
            characters += len(read_pdf(path).text)
        else:
            data = path.read_bytes()
            sha256_hex(data)
            characters += len("\n".join(extract_pages(data, PdfLimits()).pages))
    PDF_READER.close()
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    print(sum(each.ru_utime + each.ru_stime for each in used), characters)


def main() -> None:
    if sys.argv[1:2] == ["--way"]:
        read_all(Path(sys.argv[3]), sys.argv[2])
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory() as name:
        make_files(Path(name), count)
        best = dict.fromkeys(("here", "child"), float("inf"))
        found = set()
        for _ in range(ROUNDS):
            for way in ("here", "child"):
                command = [sys.executable, "-m", "bench.pdf", "--way", way, name]
                seconds, characters = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
                best[way] = min(best[way], float(seconds))
                found.add(characters)
    if len(found) != 1:
        raise SystemExit("the two ways have read different texts")
    print("| PDFs | in this process, CPU s | in a child, CPU s | ratio |")
    print("|---|---|---|---|")
    print(f"| {count:,} | {best['here']:.2f} | {best['child']:.2f} | {best['child'] / best['here']:.2f} |")


if __name__ == "__main__":
    main()
