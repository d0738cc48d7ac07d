"""Forbidden words are found as a reader would find them, in scripts with blanks between words and without."""

import pytest

from venire.stats.drift.forbidden_words import forbidden_in


@pytest.mark.parametrize(
    ("text", "word", "is_found"),
    [
        ("We Delve deeper.", "delve", True),
        ("We delved deeper.", "delve", False),
        ("用API接口赋能业务", "api", True),
        ("用API接口赋能业务", "赋能", True),
        ("это не такое", "так", False),
        ("As an AI, I …", "as an ai", True),
        ("C++ and C", "C++", True),
        ("100% sure", "100%", True),
        ("2100% sure", "100%", False),
    ],
)
def test_a_word_is_found_whole_where_words_are_parted_and_anywhere_else(text, word, is_found):
    assert forbidden_in(text, (word,)) == ((word,) if is_found else ())
