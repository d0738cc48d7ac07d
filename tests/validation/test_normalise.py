"""Properties of normalisation that hold for every text there is."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.domain.judgement import EvidenceLevel
from venire.domain.sample import Sample
from venire.validation.evidence import PreparedSample, shows_nothing
from venire.validation.graphemes import splits_grapheme
from venire.validation.normalise import fold_piece, normalise

EXACT, WHITESPACE, NFKC, OFF = EvidenceLevel
LEVELS = st.sampled_from([EXACT, WHITESPACE, NFKC])

# Everything that once broke, or looks as if it might: marks, jamo, half-width kana, controls, ligatures, radicals.
ODD = (
    "ab .,-'\"\n\t\r\u00a0\u3000\u2028é\u0301\u0323\u0338\u0345=<>ﬁﷺ½Å¨´…⋯⺁⺟⻳⼈⿕人見，。！（）「」【】“”‘’—–"
    "かが\u3099\u309aｶﾞﾟㄱㅏㄳ\u1100\u1161\u11a8가각\uffa1\uffc2ＡＢ１\u200b\u200d\u202e\u2066\ufeff\u00ad\ufe0f\u034f"
    "\u05d0\u05b0\u0591\u09c7\u09be\u0bc6\u0bbe\u0f71\u0f72\u0f73\u1b05\u1b35\u0340\u0344\U000110a5\U000110ba\U0001d15e"
    "\U0002f800\U000e0041\U000e0100👩\U0001f3fd"
)
TEXTS = st.text(st.one_of(st.sampled_from(ODD), st.characters()))


@given(TEXTS, LEVELS)
def test_normalising_twice_changes_nothing(text: str, level: EvidenceLevel) -> None:
    once = normalise(text, level).text
    assert normalise(once, level).text == once


@given(TEXTS, LEVELS)
def test_every_character_knows_where_it_came_from(text: str, level: EvidenceLevel) -> None:
    normalised = normalise(text, level)
    spans = [normalised.span(position, 1) for position in range(len(normalised.text))]
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert spans == sorted(spans)


@given(TEXTS, st.data())
def test_the_span_of_some_words_holds_these_words(text: str, data: st.DataObject) -> None:
    normalised = normalise(text, NFKC)
    if normalised.text:
        start = data.draw(st.integers(0, len(normalised.text) - 1))
        length = data.draw(st.integers(1, len(normalised.text) - start))
        words = normalised.text[start : start + length]
        original_start, original_end = normalised.span(start, length)
        assert words.strip() in normalise(text[original_start:original_end], NFKC).text


@given(TEXTS, LEVELS, st.data())
def test_any_part_of_a_text_is_found_in_it(text: str, level: EvidenceLevel, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    quote = text[start : data.draw(st.integers(start, len(text)))]
    place = PreparedSample(Sample("a", text)).locate(quote, level)
    if shows_nothing(quote):
        assert place is None
    elif place is None:  # it begins or ends inside a character, as every other place with the same words does
        assert splits_grapheme(text, start) or splits_grapheme(text, start + len(quote))
    else:
        assert place[0] is EXACT or splits_grapheme(text, start) or splits_grapheme(text, start + len(quote))
        assert normalise(text[place[1] : place[2]], level).text.strip() == normalise(quote, level).text.strip()


@given(
    st.lists(st.text("abcxyz人工智能数据", min_size=1), min_size=1), st.sampled_from([" ", "\n", " \r\n\t", "\u3000"])
)
def test_other_white_space_is_the_same_words(words: list[str], blank: str) -> None:
    sample = PreparedSample(Sample("a", " ".join(words)))
    assert sample.locate(blank.join(words), WHITESPACE) is not None


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
@given(text=TEXTS)
def test_a_text_in_any_normal_form_is_a_quote_of_itself(form: str, text: str) -> None:
    words = "".join(character for character in text if character.isalnum())
    quote = unicodedata.normalize(form, words)  # type: ignore[arg-type]
    assert normalise(quote, NFKC).text == normalise(words, NFKC).text


@given(
    st.text(st.characters(categories=["L", "N"]), min_size=1), st.sampled_from("\u200b\u200e\u202a\u2060\ufeff\u00ad")
)
def test_invisible_characters_between_all_others_do_not_matter(words: str, invisible: str) -> None:
    assert normalise(invisible.join(words), NFKC).text == normalise(words, NFKC).text


CJK_EDGES = "\u2e80\u312f\u31a0\u4dbf\u4e00\u9fff\uf900\ufaff\ufe30\ufe4f\uff01\uff66\uff9f"
CJK_EDGES += "\U00020000\U0002ee5f\U0002f800\U0002fa1f\U00030000\U0003347f"


@pytest.mark.parametrize("character", CJK_EDGES, ids=lambda character: f"U+{ord(character):04X}")
def test_blanks_beside_a_cjk_character_do_not_count_from_the_first_to_the_last_of_each_block(character: str) -> None:
    assert normalise(f"a {character} b", WHITESPACE).text == f"a{character}b"


NOT_CJK = (
    "\u2e7f\u3130\u319f\u4dc0\ua000\uf8ff\ufb00\ufe2f\ufe50\uffa0\U0001ffff\U0002ee60\U0002f7ff\U0002fa20\U00033480"
)


@pytest.mark.parametrize("character", NOT_CJK, ids=lambda character: f"U+{ord(character):04X}")
def test_blanks_beside_the_neighbours_of_these_blocks_count(character: str) -> None:
    assert normalise(f"a {character} b", WHITESPACE).text == f"a {character} b"


@pytest.mark.parametrize("text", ["\u1112\u1161", "\u1112\u1175", "\ud558\u11a8", "\ud558\u11c2"])
def test_hangul_is_composed_from_its_first_vowel_to_its_last_final(text: str) -> None:
    assert normalise(text, NFKC).text == unicodedata.normalize("NFKC", text)


@pytest.mark.parametrize("ideograph", ["\u4e00", "\u9fff", "\u3400", "\u4dbf", "\u31a0", "\u312f"])
def test_blanks_beside_an_ideograph_are_no_difference_from_the_first_to_the_last_of_a_block(ideograph: str) -> None:
    assert normalise(f"a {ideograph} b", WHITESPACE).text == f"a{ideograph}b"


@pytest.mark.parametrize("other", ["\u4dc0", "\u4dff", "\ua000", "가", "Ａ"])
def test_blanks_beside_what_is_no_ideograph_are_kept(other: str) -> None:
    assert normalise(f"a {other} b", WHITESPACE).text == f"a {other} b"


@pytest.mark.parametrize(
    ("piece", "folded"),
    [
        ("ﬁ", "fi"),
        ("Ａ", "A"),
        ("\u00b4", "\u00b4"),  # a spacing accent: taken apart, it would be a blank with an accent on it
        ("a\u200b", "a"),
        ("\u200b", ""),
        ("e\u0301", "é"),
    ],
)
def test_a_character_is_folded_unless_that_would_make_a_blank(piece: str, folded: str) -> None:
    assert fold_piece(piece) == folded
