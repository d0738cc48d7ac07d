"""Verbatim quotes: three levels in Chinese and English, with spans and pages in the original text."""

from __future__ import annotations

import pytest

from venire.domain.judgement import EvidenceLevel
from venire.domain.sample import Bundle, Sample, Source
from venire.validation.evidence import PreparedBundle, PreparedSample, QuoteRules
from venire.validation.normalise import normalise

EXACT, WHITESPACE, NFKC, OFF = EvidenceLevel

# The judged text, a quote from it, the strictest level at which the quote is verbatim, and the words it stands for.
FOUND = [
    ("The cat sat.", "cat sat", EXACT, "cat sat"),
    ("猫坐在垫子上。", "坐在垫子", EXACT, "坐在垫子"),
    ("The cat\n  sat down.", "cat sat", WHITESPACE, "cat\n  sat"),
    ("The cat sat down.", "cat\tsat\r\ndown", WHITESPACE, "cat sat down"),
    ("猫坐在\n垫子上。", "坐在垫子", WHITESPACE, "坐在\n垫子"),
    ("猫坐在垫子上。", "坐 在 垫 子", WHITESPACE, "坐在垫子"),
    ("使用 GPT 模型", "使用GPT模型", WHITESPACE, "使用 GPT 模型"),
    ("人工\u3000智能", "人工智能", WHITESPACE, "人工\u3000智能"),
    ("a\u00a0b c", "a b", WHITESPACE, "a\u00a0b"),
    ("한국어 문장 입니다", "한국어  문장", WHITESPACE, "한국어 문장"),
    ("the ﬁrst oﬃce", "first office", NFKC, "ﬁrst oﬃce"),
    ("⼈⼯智能", "人工智能", NFKC, "⼈⼯智能"),
    ("⻅⻋⻢", "见车马", NFKC, "⻅⻋⻢"),
    ("见车马", "⻅⻋⻢", NFKC, "见车马"),
    ("你好，世界！（一）", "你好,世界!(一)", NFKC, "你好，世界！（一）"),
    ("他说：“好。”", '他说:"好."', NFKC, "他说：“好。”"),
    ("it’s “fine”", 'it\'s "fine"', NFKC, "it’s “fine”"),
    ("1990–2000 — ok", "1990-2000 - ok", NFKC, "1990–2000 — ok"),
    ("ＡＢＣ１２３ ｘｙｚ", "ABC123 xyz", NFKC, "ＡＢＣ１２３ ｘｙｚ"),
    ("【事实快照】", "[事实快照]", NFKC, "【事实快照】"),
    ("「引文」", '"引文"', NFKC, "「引文」"),
    ("soft\u00adhyphen", "softhyphen", NFKC, "soft\u00adhyphen"),
    ("zero\u200bwidth\ufeff", "zerowidth", NFKC, "zero\u200bwidth\ufeff"),
    ("\u202aleft\u202c \u2067right\u2069", "left right", NFKC, "left\u202c \u2067right\u2069"),
    ("cafe\u0301 au lait", "café au", NFKC, "cafe\u0301 au"),
    ("café au lait", "cafe\u0301 au", NFKC, "café au"),
    ("ｶﾞｲﾄﾞ", "ガイド", NFKC, "ｶﾞｲﾄﾞ"),
    ("done ✔\ufe0f now", "✔ now", NFKC, "✔\ufe0f now"),
    ("x² + y²", "x2 + y2", NFKC, "x² + y²"),
    ("等等…完", "等等...完", NFKC, "等等…完"),
    ("各\u1112\u1161\u11ab국", "한국", NFKC, "\u1112\u1161\u11ab국"),
]


@pytest.mark.parametrize(("text", "quote", "level", "words"), FOUND)
def test_a_quote_is_found_at_the_strictest_level_with_its_place_in_the_original(
    text: str, quote: str, level: EvidenceLevel, words: str
) -> None:
    place = PreparedSample(Sample("a", text)).locate(quote, NFKC)
    assert place is not None
    found_at, start, end = place
    assert (found_at, text[start:end]) == (level, words)
    assert normalise(text[start:end], NFKC).text == normalise(quote, NFKC).text


@pytest.mark.parametrize(("text", "quote", "level", "words"), FOUND)
def test_a_stricter_level_does_not_admit_the_quote(text: str, quote: str, level: EvidenceLevel, words: str) -> None:
    sample = PreparedSample(Sample("a", text))
    for stricter in {EXACT: (), WHITESPACE: (EXACT,), NFKC: (EXACT, WHITESPACE)}[level]:
        assert sample.locate(quote, stricter) is None
    assert sample.locate(quote, level) is not None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("The cat sat.", "The dog sat."),
        ("The cat sat.", "the cat sat."),
        ("therapist", "the rapist"),
        ("a b", "ab"),
        ("ab", "a b"),
        ("café", "cafe"),
        ("각", "가"),
        ("猫坐在垫子上。", "猫在垫子上"),
        ("The cat sat.", ""),
        ("The cat sat.", " "),
        ("The cat sat.", "\u200b"),
        ("", "x"),
        ("3.14", "3,14"),
    ],
)
def test_what_changes_the_words_is_not_verbatim_at_any_level(text: str, quote: str) -> None:
    assert PreparedSample(Sample("a", text)).locate(quote, NFKC) is None


def test_a_quote_is_found_on_the_page_on_which_it_begins() -> None:
    text = "first page\nsecond page\nthird page"
    source = Source("a.pdf", "0" * 64, page_starts=(0, 11, 23))
    sample = PreparedSample(Sample("a", text, source=source))
    rules = QuoteRules(NFKC, allow_ellipsis=True)
    pages = {
        quote: rules.check(("D", quote, ""), (), sample, {}, []).page
        for quote in ("first page", "second page", "page\n third", "third page")
    }
    assert pages == {"first page": 1, "second page": 2, "page\n third": 2, "third page": 3}


def test_text_without_pages_has_no_page() -> None:
    evidence = QuoteRules(NFKC, allow_ellipsis=True).check(
        ("D", "b", "why"), (), PreparedSample(Sample("x", "abc")), {}, []
    )
    assert (evidence.start, evidence.end, evidence.page, evidence.reason) == (1, 2, None, "why")


def test_a_sample_is_normalised_once_for_each_level_however_many_judges_quote_it() -> None:
    sample = PreparedSample(Sample("a", "some  text"))
    assert sample.at(NFKC) is sample.at(NFKC)
    assert PreparedBundle(Bundle("b", (sample.sample,))).samples["a"].at(WHITESPACE).text == "some text"


def test_the_marks_of_a_hostile_text_are_sorted_in_bounded_clusters() -> None:
    text = "a" + "\u0301\u0323" * 5_000
    assert "\u0301\u0323" in normalise(text, NFKC).text  # sorted at once, all of the latter would come first
