from __future__ import annotations

import hashlib
import unicodedata
from pathlib import Path

import pytest

from making_pdfs import make_encrypted_pdf, make_image_only_pdf, make_pdf, make_truncated_pdf
from venire.domain.judgement import EvidenceLevel
from venire.domain.sample import Sample, Source
from venire.errors import InputError
from venire.inputs.documents.pdf import read_pdf
from venire.inputs.documents.text import read_document
from venire.protocols.catalogue import find_protocol
from venire.validation.evidence import PreparedSample, QuoteRules


def test_a_chinese_sentence_broken_over_two_lines_is_found(tmp_path: Path) -> None:
    pdf = read_pdf(make_pdf(tmp_path / "zh.pdf", ["[事实快照]\n这是一个跨\n行的句子，没有断开。"]))
    assert pdf.text == "[事实快照]\n这是一个跨\n行的句子，没有断开。"


def test_an_english_sentence_broken_over_two_lines_is_found(tmp_path: Path) -> None:
    pdf = read_pdf(make_pdf(tmp_path / "en.pdf", ["A sentence that\ngoes on and ends here."]))
    assert "A sentence that goes on and ends here." in pdf.text.replace("\n", " ")


def test_a_hyphen_at_the_end_of_a_line_is_kept_as_it_was_extracted(tmp_path: Path) -> None:
    pdf = read_pdf(
        make_pdf(tmp_path / "en.pdf", ["A long-\nterm evalua-\ntion,\n2024-\n2025.", "It goes un-", "fairly"])
    )
    assert pdf.text == "A long-\nterm evalua-\ntion,\n2024-\n2025.\nIt goes un-\nfairly"


@pytest.mark.parametrize("quote", ["long-term evaluation", "longterm evaluation", "2024-2025", "unfairly", "un-fairly"])
def test_a_quote_across_a_hyphen_at_a_lines_or_pages_end_is_found_where_it_begins(tmp_path: Path, quote: str) -> None:
    path = make_pdf(tmp_path / "en.pdf", ["A long-\nterm evalua-\ntion.", "In 2024-\n2025 it went un-", "fairly."])
    document = read_document(path, "en.pdf")
    sample = PreparedSample(Sample("en", document.text, source=document.source))
    found = QuoteRules(EvidenceLevel.NFKC, find_protocol("drift-sample")).check(("D", quote, ""), (), sample, {}, [])
    assert found.level is EvidenceLevel.WHITESPACE
    assert (found.start, found.page) == (2, 1) if "long" in quote else found.page == 2
    assert document.text[found.start : found.end].replace("-\n", "") == quote.replace("-", "")


def test_a_dash_between_chinese_lines_stays(tmp_path: Path) -> None:
    pdf = read_pdf(make_pdf(tmp_path / "zh.pdf", ["中文-\n断行"]))
    assert pdf.text == "中文-\n断行"


def test_ligatures_and_radicals_are_found_after_compatibility_folding(tmp_path: Path) -> None:
    pdf = read_pdf(make_pdf(tmp_path / "mixed.pdf", ["The ﬁrst ⼈⼯智能 eﬀect"]))
    assert unicodedata.normalize("NFKC", pdf.text) == "The first 人工智能 effect"


def test_characters_beyond_the_basic_plane_are_kept(tmp_path: Path) -> None:
    pdf = read_pdf(make_pdf(tmp_path / "rare.pdf", ["𠮷野家 😀 end"]))
    assert pdf.text == "𠮷野家 😀 end"


def test_each_page_is_found_by_the_offset_of_its_text(tmp_path: Path) -> None:
    pdf = read_pdf(make_pdf(tmp_path / "pages.pdf", ["第一页", "", "third page"]))
    source = Source("pages.pdf", pdf.sha256, pdf.page_starts)
    assert [source.page_at(pdf.text.index(words)) for words in ("第一页", "third page")] == [1, 3]


def test_the_digest_is_that_of_the_files_bytes(tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "a.pdf", ["text"])
    assert read_pdf(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_truncated_pdf_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cut\.pdf: is truncated or damaged"):
        read_pdf(make_truncated_pdf(tmp_path / "cut.pdf", ["text"]))


def test_an_encrypted_pdf_says_how_to_unlock_it(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"locked by a password\n  Save a copy without one"):
        read_pdf(make_encrypted_pdf(tmp_path / "locked.pdf", ["text"]))


def test_a_pdf_of_images_says_that_it_has_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"has 1 page.* but no text"):
        read_pdf(make_image_only_pdf(tmp_path / "scan.pdf"))


def test_an_empty_file_is_told_from_a_damaged_one(tmp_path: Path) -> None:
    (tmp_path / "empty.pdf").touch()
    with pytest.raises(InputError, match="is an empty file"):
        read_pdf(tmp_path / "empty.pdf")


def test_a_file_that_is_no_pdf_shows_how_it_begins(tmp_path: Path) -> None:
    (tmp_path / "page.pdf").write_bytes(b"<html></html>")
    with pytest.raises(InputError, match=r"is not a PDF: it begins with b'<html></'"):
        read_pdf(tmp_path / "page.pdf")


def test_a_pdf_that_may_not_be_read_is_an_input_error(forbidden_folder: Path, request: pytest.FixtureRequest) -> None:
    path = make_pdf(forbidden_folder / "secret.pdf", ["text"])
    path.chmod(0)
    request.getfixturevalue("as_ordinary_user")
    with pytest.raises(InputError, match="may not be read"):
        read_pdf(path)
