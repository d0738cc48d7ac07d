from __future__ import annotations

import html
import re

from hypothesis import given
from hypothesis import strategies as st

from venire.domain.judgement import Evidence, EvidenceLevel
from venire.reports.page.shown_text import highlighted_text, quote_anchors, shown_text


def read_back(markup: str) -> str:
    """Return the text that a page's script reads from shown text."""
    coded = re.sub(
        r'<span class="code-point" data-code="([0-9A-F]+)">U\+\1</span>', lambda found: f"\0{found[1]}\0", markup
    )
    plain = html.unescape(re.sub(r"</?mark[^>]*>", "", coded))
    return re.sub("\0([0-9A-F]+)\0", lambda found: chr(int(found[1], 16)), plain)


@given(st.text())
def test_what_is_shown_can_be_read_back_and_holds_no_element_of_the_text(text: str) -> None:
    shown = str(shown_text(text))
    assert read_back(shown) == text
    assert set(re.findall(r"<[^>]*>", shown)) <= set(re.findall(r'<span class="code-point" [^>]*>|</span>', shown))


def test_a_character_that_reorders_its_surroundings_is_shown_by_its_code() -> None:
    assert "\u202e" not in shown_text("pay \u202e001")


def test_line_breaks_tabs_and_chinese_stay_as_they_are() -> None:
    assert shown_text("一\t二\n三") == "一\t二\n三"


@given(st.text(min_size=1), st.lists(st.tuples(st.integers(0, 40), st.integers(1, 10)), max_size=4))
def test_marking_quotes_changes_nothing_of_the_text_and_every_quote_has_its_mark(
    text: str, spans: list[tuple[int, int]]
) -> None:
    inside = [(start, min(start + length, len(text))) for start, length in spans if start < len(text)]
    evidence = [
        Evidence("d", text[start:end], level=EvidenceLevel.EXACT, start=start, end=end) for start, end in inside
    ]
    marked = str(highlighted_text(text, evidence))
    assert read_back(marked) == text
    anchors = quote_anchors(text, evidence)
    assert set(anchors) == {start for start, _ in inside}
    assert all(f'<mark id="{anchor}"' in marked for anchor in anchors.values())


def test_a_quote_that_was_not_found_has_no_mark() -> None:
    assert quote_anchors("some words", [Evidence("d", "other words")]) == {}
    assert highlighted_text("some words", [Evidence("d", "other words")]) == "some words"
