"""A judged text as checks see it."""

import pytest

from venire.judges.rule_judge.document import MAX_QUOTE, Span, count_characters, count_words, quote, read_document


def parts(text, *headings):
    document = read_document(text, headings)
    return [(section.heading, document.part(section.body).strip()) for section in document.sections]


@pytest.mark.parametrize("line", ["Facts", "## Facts", "**Facts**", "1. Facts", "> Facts:"])
def test_a_heading_stands_behind_the_usual_signs_and_nothing_else(line):
    assert len(parts(f"{line}\nBlue.", "Facts")) == 1
    assert parts(f"These are {line}\nBlue.", "Facts") == []


def test_a_section_ends_at_the_next_heading_even_one_that_nobody_asked_for():
    assert parts("## A\none\n## B\ntwo\n## C\nthree", "A", "B") == [("A", "one"), ("B", "two")]


def test_sections_come_in_the_order_of_the_text_and_a_repeated_one_once():
    assert parts("## B\n1\n## A\n2\n## B\n3", "A", "B") == [("B", "1"), ("A", "2")]


def test_any_spelling_of_a_heading_gives_its_first_name():
    assert parts("## 事实\n蓝", ("Facts", "事实")) == [("Facts", "蓝")]


def test_words_and_characters_are_counted_as_readers_count():
    assert (count_words("one two-three 快照."), count_characters(" a b\nc ")) == (4, 3)
    assert (count_words(""), count_characters(" \n")) == (0, 0)


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("short", "short"),
        ("x" * MAX_QUOTE, "x" * MAX_QUOTE),
        ("x" * (MAX_QUOTE + 1), "x" * MAX_QUOTE),
        ("word " * 11 + "words", "word " * 11 + "words"),
        ("word " * 20, ("word " * 12).strip()),
        (" \n second line", "second line"),
        ("… after", "after"),
        ("", ""),
    ],
)
def test_a_quote_is_one_short_line_cut_between_words(text, quoted):
    assert quote(text, Span(0, len(text))) == quoted
