"""Verbatim quotes: three levels in Chinese and English, with spans and pages in the original text."""

from __future__ import annotations

import itertools
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.domain.judgement import EvidenceLevel
from venire.domain.sample import Bundle, Sample, Source
from venire.protocols.catalogue import find_protocol
from venire.validation.evidence import PreparedBundle, PreparedSample, PreparedText, QuoteRules, SharedTexts
from venire.validation.graphemes import splits_grapheme
from venire.validation.normalise import fold_piece, normalise

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
    ("C₆H₁₂O₆ in 5㎡", "C6H12O6 in 5m2", NFKC, "C₆H₁₂O₆ in 5㎡"),
    ("a “10²” b", 'a "10²"', NFKC, "a “10²”"),
    ("１２ of ⼆⼗", "12 of 二十", NFKC, "１２ of ⼆⼗"),
    ("\U000e0041hid\U000e0042den \U000e0043words", "hidden words", NFKC, "hid\U000e0042den \U000e0043words"),
    ("人\U000e0100 abc", "人\U000e0100abc", WHITESPACE, "人\U000e0100 abc"),
    ("\U00020000 ab", "\U00020000ab", WHITESPACE, "\U00020000 ab"),
    ("cafe\u0301 or cafe", "cafe", EXACT, "cafe"),
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
        ("1.[x]", "1. [x]"),
        ("1. [x]", "1.[x]"),
        ("a\U000e0041 b", "ab"),  # a tag is no ideograph, so the blank beside it counts
        ("a\U000f0000 b", "a\U000f0000b"),
        ("see the docs", "\U000e0041"),
        ("\U000e0041\U000e0042", "\U000e0041"),
    ],
)
def test_what_changes_the_words_is_not_verbatim_at_any_level(text: str, quote: str) -> None:
    assert PreparedSample(Sample("a", text)).locate(quote, NFKC) is None


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("cafe\u0301", "cafe"),
        ("cafe\u0301", "\u0301"),
        ("q\u0303 and", "q"),  # no composed form exists
        ("👩\u200d🚀", "👩"),
        ("👩\u200d🚀", "🚀"),
        ("👍🏽", "👍"),
        ("🇩🇪🇫🇷", "🇪🇫"),
        ("\u1112\u1161\u11ab", "\u1112\u1161"),
        ("कि", "क"),
        ("क्ष", "क्"),
        ("น้ำ", "น้"),
        ("ｶﾞ", "ｶ"),
        ("ﬁrst", "irst"),
        ("the ﬁ", "the f"),
    ],
)
def test_a_quote_that_begins_or_ends_inside_a_grapheme_is_not_verbatim(text: str, quote: str) -> None:
    assert PreparedSample(Sample("a", text)).locate(quote, NFKC) is None
    whole = PreparedSample(Sample("a", f"{text} {quote.strip()}")).locate(quote.strip(), NFKC)
    assert whole is None or whole[1] > len(text)  # where the same words stand by themselves, they are found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("10² m", "102 m"),
        ("10⁻³", "10-3"),
        ("2½ cups", "21⁄2 cups"),
        ("v1₂", "v12"),
        ("①②", "12"),
        ("⒈5", "1.5"),
        ("5㏠", "51日"),
        ("5 ㏠", "51日"),
        ("共3。14人", "共3.14人"),
        ("共3。\n14人", "共3.14人"),
        ("选1、234项", "选1,234项"),
        ("x²3", "x23"),
    ],
)
def test_a_fold_that_changes_a_number_is_not_a_match(one: str, other: str) -> None:
    assert PreparedSample(Sample("a", one)).locate(other, NFKC) is None
    assert PreparedSample(Sample("a", other)).locate(one, NFKC) is None
    assert PreparedSample(Sample("a", f"‘{one}’")).locate(f"'{one}'", NFKC) is not None


def test_every_character_that_folds_to_a_digit_is_known() -> None:
    ideographs = range(0x2E80, 0x2FE0), range(0x3038, 0x303B), range(0xF900, 0xFB00), range(0x2F800, 0x2FA20)
    known = 0
    for character in filter(unicodedata.decomposition, map(chr, range(0xA0, 0x110000))):
        folded = fold_piece(character) or " "
        is_number = any(unicodedata.numeric(end, None) is not None for end in (folded[0], folded[-1]))
        if is_number and not character.isdecimal() and not any(ord(character) in block for block in ideographs):
            assert PreparedSample(Sample("a", f"7{character}7")).locate(f"7{folded}7", NFKC) is None, character
            known += 1
    assert known > 200


# A text, a quote across the end of a line, and the words it stands for.
BROKEN = [
    ("a long-\nterm plan", "long-term", "long-\nterm"),
    ("a long-\nterm plan", "longterm", "long-\nterm"),
    ("a long-\nterm plan", "long- term", "long-\nterm"),
    ("The evalua-\ntion of long-\nterm aims", "evaluation of long-term", "evalua-\ntion of long-\nterm"),
    ("- The evalua-\n  tion, post-war", "- The evaluation, post-war", "- The evalua-\n  tion, post-war"),
    ("from 2024-\n2025 on", "2024-2025", "2024-\n2025"),
    ("from 2024-\n2025 on", "20242025", "2024-\n2025"),
    ("10-\r\n20 EUR", "10-20 EUR", "10-\r\n20 EUR"),
    ("pre-\nand post-war", "pre- and post-war", "pre-\nand post-war"),
    ("中文-\n断行", "中文-断行", "中文-\n断行"),
    ("soft\u00ad\nhyphen", "softhyphen", "soft\u00ad\nhyphen"),
    ("a non\u2010\nempty set", "nonempty", "non\u2010\nempty"),
]


@pytest.mark.parametrize(("text", "quote", "words"), BROKEN)
def test_both_readings_of_a_hyphen_at_the_end_of_a_line_count_but_not_as_exact(
    text: str, quote: str, words: str
) -> None:
    sample = PreparedSample(Sample("a", text))
    assert sample.locate(quote, EXACT) is None
    for admitted in (WHITESPACE, NFKC):
        place = sample.locate(quote, admitted)
        assert place is not None
        assert (place[0], text[place[1] : place[2]]) == (WHITESPACE, words)


def test_a_hyphen_at_the_end_of_a_line_is_exact_only_as_it_was_extracted() -> None:
    assert PreparedSample(Sample("a", "a long-\nterm plan")).locate("long-\nterm", NFKC) == (EXACT, 2, 12)


@pytest.mark.parametrize(
    ("text", "quote"),
    [
        ("a long-\nterm plan", "long term"),
        ("a long-term plan", "longterm"),
        ("a long- term plan", "long-term"),
        ("the evalua-tion of a long-\nterm plan", "evaluation of a long-term plan"),
        ("the evaluation of a long-\nterm plan", "evalua-tion of a long-term plan"),
        ("one -\ntwo", "one two"),
        ("one--\ntwo", "onetwo"),
        ("one–\ntwo", "onetwo"),
        ("cafe-\n\u0301x", "cafex"),
        ("10²-\nfold", "102-fold"),
    ],
)
def test_other_hyphens_are_kept_as_they_are(text: str, quote: str) -> None:
    assert PreparedSample(Sample("a", text)).locate(quote, NFKC) is None


@given(st.text("ab- \n", max_size=12), st.text("ab- ", min_size=1, max_size=8))
def test_broken_words_are_found_just_as_by_trying_out_every_reading(text: str, quote: str) -> None:
    breaks = list(re.finditer(r"(?<=[ab])-[ ]*\n[ \n]*(?=[ab])", text))
    readings = set()
    for chosen in itertools.product(("", "-", None), repeat=len(breaks)):
        pieces, end = [], 0
        for match, reading in zip(breaks, chosen, strict=True):
            pieces += [text[end : match.start()], match.group() if reading is None else reading]
            end = match.end()
        readings.add(normalise("".join([*pieces, text[end:]]), WHITESPACE).text)
    words = normalise(quote, WHITESPACE).text
    found = PreparedSample(Sample("a", text)).locate(quote, WHITESPACE)
    expected = quote in text or any(words in reading for reading in readings)
    # A quote that begins with the hyphen of a broken word is the one reading that is not looked for.
    if words.strip("- ") and not words.startswith("-"):
        assert (found is not None) == expected


def test_a_quote_is_found_on_the_page_on_which_it_begins() -> None:
    text = "first page\nsecond page\nthird page"
    source = Source("a.pdf", "0" * 64, page_starts=(0, 11, 23))
    sample = PreparedSample(Sample("a", text, source=source))
    rules = QuoteRules(NFKC, find_protocol("drift-sample"))
    pages = {
        quote: rules.check(("D", quote, ""), (), sample, {}, []).page
        for quote in ("first page", "second page", "page\n third", "third page")
    }
    assert pages == {"first page": 1, "second page": 2, "page\n third": 2, "third page": 3}


def test_text_without_pages_has_no_page() -> None:
    rules, sample = QuoteRules(NFKC, find_protocol("drift-sample")), PreparedSample(Sample("x", "abc"))
    evidence = rules.check(("D", "b", "why"), (), sample, {}, [])
    assert (evidence.start, evidence.end, evidence.page, evidence.reason) == (1, 2, None, "why")


def test_a_sample_is_normalised_once_for_each_level_however_many_judges_quote_it() -> None:
    sample = PreparedSample(Sample("a", "some  text"))
    assert sample.at(NFKC) is sample.at(NFKC)
    assert PreparedBundle(Bundle("b", (sample.sample,))).samples["a"].at(WHITESPACE).text == "some text"


def test_the_marks_of_a_hostile_text_are_sorted_in_bounded_clusters() -> None:
    text = "a" + "\u0301\u0323" * 5_000
    assert "\u0301\u0323" in normalise(text, NFKC).text  # sorted at once, all of the latter would come first


def test_a_text_that_many_samples_share_is_prepared_once() -> None:
    texts = SharedTexts(1_000)
    first, again = texts.prepared("a document " * 3), texts.prepared("".join(["a document "] * 3))
    assert first is again


def test_no_more_shared_texts_are_kept_than_there_is_room_for() -> None:
    texts = SharedTexts(100)
    first, last = texts.prepared("a" * 60), texts.prepared("b" * 40)
    assert texts.prepared("a" * 60) is first
    texts.prepared("c" * 30)  # The longest unused makes room for it.
    assert texts.prepared("a" * 60) is first
    assert texts.prepared("b" * 40) is not last
    huge = texts.prepared("d" * 10_000)  # Too long to be kept beside anything else, but of use to whoever asks now.
    assert huge.locate("ddd", EXACT) == (EXACT, 0, 3)
    assert texts.prepared("a" * 60) is not first


def test_a_text_that_is_taken_for_single_graphemes_has_no_others() -> None:
    """Where a text is believed to have none, quotes are not held against the borders of graphemes."""
    single = [chr(code) for code in range(0x20, 0x11000) if PreparedText(chr(code)).has_single_graphemes]
    assert len(single) > 30_000
    assert not [each for each in single if splits_grapheme(f"一{each}a", 1) or splits_grapheme(f"一{each}a", 2)]
    assert not PreparedText("e\u0301").has_single_graphemes
    assert not PreparedText("👩\u200d🚀").has_single_graphemes
