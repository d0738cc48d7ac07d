"""Characters that a reader would not see, or a terminal obey, are shown by their codes."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.domain.hidden import replace_hidden, show_controls


@given(st.text(max_size=60))
def test_nothing_hidden_is_left(text: str) -> None:
    shown = show_controls(text)
    hidden = [
        each for each in shown if each not in "\n\t" and unicodedata.category(each) in ("Cc", "Cf", "Cs", "Zl", "Zp")
    ]
    assert hidden == []
    shown.encode()


def test_line_ends_stay_and_controls_are_named_between_the_marks_of_the_place() -> None:
    text = "a\r\nb\tc\x07\u200b\u2066\u2028"
    assert show_controls(text) == "a\nb\tc⟨U+0007⟩⟨U+200B⟩⟨U+2066⟩⟨U+2028⟩"
    assert show_controls(text, "⟦⟧") == "a\nb\tc⟦U+0007⟧⟦U+200B⟧⟦U+2066⟧⟦U+2028⟧"


@pytest.mark.parametrize("text", ["", "plain", "中文，标点。", "é ½ ＡＢ", "👩\n\t"])
def test_what_can_be_seen_stays_as_it_is(text: str) -> None:
    assert show_controls(text) == text


def test_each_hidden_character_can_be_replaced_in_a_way_of_ones_own() -> None:
    assert replace_hidden("a\u202eb\r", lambda letter: f"[{ord(letter):x}]") == "a[202e]b[d]"


@pytest.mark.parametrize("code", range(128))
def test_every_ascii_character_is_shown_as_it_is_unless_it_is_a_control(code):
    is_plain = chr(code).isprintable() or chr(code) in "\n\t"
    assert (show_controls(f"a{chr(code)}b") == f"a{chr(code)}b") == is_plain
