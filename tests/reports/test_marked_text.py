"""Judged text with its quotes marked."""

import pytest

from venire.reports.marked_text import AROUND, WHOLE, marked_pieces


def shown(text, spans, **options):
    return "".join(f"[{piece.text}]" if piece.marked else piece.text for piece in marked_pieces(text, spans, **options))


@pytest.mark.parametrize(
    ("spans", "marked"),
    [
        ([], "abcdef"),
        ([(0, 6)], "[abcdef]"),
        ([(4, 5), (1, 2)], "a[b]cd[e]f"),
        ([(1, 3), (2, 4)], "a[bcd]ef"),
        ([(1, 2), (2, 3)], "a[bc]def"),
        ([(1, 5), (2, 3)], "a[bcde]f"),
        ([(-3, 1), (5, 99)], "[a]bcde[f]"),
        ([(3, 3), (9, 12)], "abcdef"),
    ],
)
def test_quotes_are_marked_and_those_that_meet_are_one(spans, marked):
    assert shown("abcdef", spans) == marked


def long(length):
    return "".join(chr(97 + place % 26) for place in range(length))


def test_a_text_of_the_limit_is_shown_whole_and_a_longer_one_around_its_quotes():
    text = long(WHOLE + 1)
    assert shown(text[:-1], [(600, 601)]).count("…") == 0
    assert shown(text, [(600, 601)]) == f" … {text[600 - AROUND : 600]}[{text[600]}]{text[601 : 601 + AROUND]} … "
    assert shown(text, [(600, 601)], whole=True).count("…") == 0


def test_between_two_quotes_both_ends_stay_unless_they_meet():
    text = long(2000)
    far = shown(text, [(0, 1), (1999, 2000)])
    assert far == f"[{text[0]}]{text[1 : 1 + AROUND]} … {text[1999 - AROUND : 1999]}[{text[1999]}]"
    near = shown(text, [(0, 1), (1 + 2 * AROUND, 2000)])
    assert "…" not in near


def test_a_long_text_without_quotes_shows_its_beginning():
    assert shown(long(2000), []) == long(2 * AROUND) + " … "
