"""Judged text on a page: escaped, with every character visible that would hide or reorder its surroundings."""

from __future__ import annotations

from collections.abc import Iterable

from markupsafe import Markup, escape

from venire.domain.hidden import replace_hidden
from venire.domain.judgement import Evidence
from venire.reports.marked_text import marked_pieces
from venire.shapes.claims import sentence_starts


def shown_text(text: str) -> Markup:
    r"""Escape a text; a hidden character becomes an element that shows its code and remembers the character.

    >>> shown_text("a\u202e<b>")
    Markup('a<span class="code-point" data-code="202E">U+202E</span>&lt;b&gt;')
    """
    return Markup(replace_hidden(escape(text), _code_point))  # noqa: S704 - it was escaped, and codes are digits


def _code_point(letter: str) -> str:
    if letter == "\r":
        return letter  # the browser takes it for a line break
    return f'<span class="code-point" data-code="{ord(letter):04X}">U+{ord(letter):04X}</span>'


def numbered_text(text: str) -> Markup:
    """Return a text with its number before each sentence, as judges see it who cite sentences by number.

    >>> numbered_text("One. Two.")
    Markup('<b class="sentence">1</b>One. <b class="sentence">2</b>Two.')
    """
    starts = sentence_starts(text)
    pieces = [shown_text(text[: starts[0] if starts else None])]
    for number, (start, end) in enumerate(zip(starts, (*starts[1:], None), strict=False), start=1):
        pieces += [Markup('<b class="sentence">{}</b>').format(number), shown_text(text[start:end])]
    return Markup().join(pieces)


def highlighted_text(text: str, evidence: Iterable[Evidence], name: str = "at") -> Markup:
    """Return a text with each quote marked where it stands; the mark of the first quote in it is its anchor.

    The anchors of several texts on one page begin with different names.
    """
    found = [(item.start, item.end) for item in evidence if item.start is not None and item.end is not None]
    pieces = [Markup()]
    place = 0
    for piece in marked_pieces(text, found, whole=True):
        shown = shown_text(piece.text)
        pieces.append(
            Markup('<mark id="{}-{}" tabindex="-1">{}</mark>').format(name, place, shown) if piece.marked else shown
        )
        place += len(piece.text)
    return Markup().join(pieces)


def quote_anchors(text: str, evidence: Iterable[Evidence], name: str = "at") -> dict[int, str]:
    """Return the anchor in the highlighted text for the start of each quote that was found."""
    items = [item for item in evidence if item.start is not None and item.end is not None]
    anchors: dict[int, str] = {}
    place = 0
    for piece in marked_pieces(text, [(item.start or 0, item.end or 0) for item in items], whole=True):
        end = place + len(piece.text)
        if piece.marked:
            anchors |= {item.start or 0: f"{name}-{place}" for item in items if place <= (item.start or 0) < end}
        place = end
    return anchors
