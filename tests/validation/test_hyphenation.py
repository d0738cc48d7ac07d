"""A word broken at a line's end may be quoted joined or with its hyphen."""

import pytest

from venire.domain.judgement import EvidenceLevel
from venire.validation.hyphenation import Unhyphenated, broken_words
from venire.validation.normalise import normalise

LEVEL = EvidenceLevel.WHITESPACE


def stretches(text, quote):
    normal = normalise(text, LEVEL)
    whole = Unhyphenated(normal, broken_words(normal))
    return [normal.text[start:end] for start, end in whole.find(Unhyphenated(normalise(quote, LEVEL), []))]


@pytest.mark.parametrize("quote", ["a wellknown word", "a well-known word"])
def test_both_readings_of_a_break_are_found(quote):
    assert stretches("It is a well-\nknown word.", quote) == ["a well- known word"]


@pytest.mark.parametrize("text", ["a well-known word", "a well - \nknown word", "- \nknown"])
def test_a_hyphen_inside_a_line_or_a_dash_is_no_break(text):
    assert broken_words(normalise(text, LEVEL)) == []
