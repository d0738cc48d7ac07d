import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from venire.judges.rule_judge.document import Span
from venire.judges.rule_judge.patterns import count_open_repeats, refuse_slow_pattern, search_lines


def search(pattern, text):
    span = search_lines(pattern, text, Span(0, len(text)))
    return None if span is None else text[span.start : span.end]


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "((a+))+", "(?:a|a)*b", "(a?a?){20,}", r"(\w+\s?)*!", "([a-z]+)*", "(?P<n>a*b*)+", "(a{1,9}){2,}"],
)
def test_repeats_of_groups_that_repeat_or_choose_are_refused(pattern):
    with pytest.raises(ValueError, match="itself repeats or chooses"):
        refuse_slow_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "repeats"),
    [
        (r"^#+ .*$", 2),
        (r"\*\+[*+]{2}", 0),
        (r"[]*+]+x", 1),
        (r"(?:ab)+", 1),
        (r"(?=.*a)b", 1),
        (r"\d{1,4}-\d{2}", 0),
        (r"\d{3,}", 1),
        (r"a{1,999}", 1),
        (r"(a)\1", 1),
        (r"a.*?b", 1),
        ("来源|source", 0),
    ],
)
def test_open_repeats_are_counted(pattern, repeats):
    refuse_slow_pattern(pattern)
    assert count_open_repeats(pattern) == repeats


def test_four_open_repeats_are_refused():
    with pytest.raises(ValueError, match="more than 3 open repeats"):
        refuse_slow_pattern("a*b*c*d*")


def test_a_match_stays_within_one_line_and_its_place_is_right():
    assert search(r"b.*d", "a b\r\n中 b c d\n") == "b c d"
    assert search(r"a\s+b", "a\nb") is None
    assert search(r"^b$", "a\nb\nc") == "b"


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("ab \n\r"), max_size=40), st.sampled_from(["a", "ab", "^b", "a$", "a.*b", "[ab]+ "]))
def test_it_finds_the_first_match_that_a_plain_search_of_each_line_finds(text, pattern):
    lines = re.split(r"\r\n|\r|\n", text)
    expected = next((match.group() for line in lines if (match := re.search(pattern, line))), None)
    assert search(pattern, text) == expected


@pytest.mark.parametrize("pattern", [".*a.*b", ".*a.*a.*b", "a.*b"])
@pytest.mark.parametrize("text", ["a" * 1_000_000, ("a" * 700 + "\n") * 1000])
def test_a_hostile_text_cannot_hold_a_judge_up(pattern, text):
    # Without the bounds this would run for hours, so that it ends is what is tested.
    assert search(pattern, text) is None
