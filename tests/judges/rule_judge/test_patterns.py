"""Users' patterns are searched by RE2 as Python would search them, in time that no text can stretch."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from drawing import draws
from venire.judges.rule_judge.document import Span
from venire.judges.rule_judge.patterns import refuse_unusable_pattern, search_lines


def search(pattern, text):
    span = search_lines(pattern, text, Span(0, len(text)))
    return None if span is None else text[span.start : span.end]


@pytest.mark.parametrize(
    ("pattern", "part"), [("a(?=b)", r"\(\?="), ("(?<!a)b", r"\(\?<"), (r"(a)\1", r"1'"), ("a{1,2000}", "2000")]
)
def test_what_re2_does_not_do_is_refused_in_words(pattern, part):
    with pytest.raises(ValueError, match=f"uses '.*{part}.*which RE2 does not support"):
        refuse_unusable_pattern(pattern)


@pytest.mark.parametrize("pattern", ["(a", "[z", "*a"])
def test_what_is_no_expression_is_refused(pattern):
    with pytest.raises(ValueError, match="is not a regular expression"):
        refuse_unusable_pattern(pattern)


def test_a_pattern_that_is_too_long_is_refused():
    refuse_unusable_pattern("a" * 300)
    with pytest.raises(ValueError, match="at most 300 characters, found 301"):
        refuse_unusable_pattern("a" * 301)


def test_a_match_stays_within_one_line_and_its_place_is_right():
    assert search(r"b.*d", "a b\r\n中 b c d\n") == "b c d"
    assert search(r"a\s+b", "a\nb") is None
    assert search(r"^b$", "a\nb\nc") == "b"


@settings(max_examples=draws(200), deadline=None)
@given(
    st.text(st.sampled_from("ab \n\r中٣９_\u3000é-"), max_size=40),
    st.sampled_from(
        ["a", "ab", "^b", "a$", "a.*b", "[ab]+ ", r"\w+", r"\W+", r"[\d-]+", r"\D\s", r"[^\w]b", r"[]\w]+"]
    ),
)
def test_it_finds_the_first_match_that_a_plain_search_of_each_line_finds(text, pattern):
    expected = next((match.group() for line in text.splitlines() if (match := re.search(pattern, line))), None)
    assert search(pattern, text) == expected


@pytest.mark.parametrize("pattern", ["(a+)+$", "(?:a|a)*b", r"(\w+\s?)*!", "(a?){30}a{30}b", ".*a.*a.*b"])
@pytest.mark.parametrize("text", ["a" * 100_000 + "c", ("a" * 700 + "c\n") * 100])
def test_a_hostile_text_cannot_hold_a_judge_up(pattern, text):
    # Expressions that backtrack would run for hours, so that it ends is what is tested.
    assert search(pattern, text) is None
