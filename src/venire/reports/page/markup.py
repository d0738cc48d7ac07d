"""HTML and SVG as values: whatever is not markup already is escaped, so that judged text stays text."""

from __future__ import annotations

import html
import unicodedata
from typing import Any

_EMPTY = frozenset({"br", "meta", "line", "rect", "circle", "path", "col"})
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
"""The categories of Unicode whose characters are obeyed or not seen: controls, formats, lone surrogates, line ends."""


class Markup(str):
    """Text that is markup already and is not escaped again."""

    __slots__ = ()


def tag(name: str, /, *children: object, **attributes: Any) -> Markup:
    """Make an element; attributes that are None are left out, and `_` stands for `-` and is dropped at the end.

    >>> tag("p", "a < b", class_="note")
    '<p class="note">a &lt; b</p>'
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY and not children:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")


def join(*children: object) -> Markup:
    """Put pieces one after another; text is escaped, and control characters are shown instead of obeyed."""
    return Markup("".join(piece if isinstance(piece, Markup) else escape(str(piece)) for piece in children))


def escape(text: str) -> Markup:
    r"""Escape text for HTML; characters that would hide or reorder their surroundings are shown by their code.

    >>> escape("a\u202eb & <c>")
    'a⟨U+202E⟩b &amp; &lt;c&gt;'
    """
    return Markup(html.escape(show_controls(text), quote=True))


def show_controls(text: str) -> str:
    r"""Show control, zero-width and bidirectional characters by their code; line breaks and tabs stay.

    A carriage return alone would let a text overwrite its own line in a terminal, so it is shown as well.

    >>> show_controls("a\x1b[31mb")
    'a⟨U+001B⟩[31mb'
    """
    if text.replace("\n", "").replace("\t", "").isprintable():  # Most texts are, Chinese ones too: this is soon known.
        return text
    lines = text.replace("\r\n", "\n")
    return "".join(f"⟨U+{ord(letter):04X}⟩" if _is_hidden(letter) else letter for letter in lines)


def _is_hidden(letter: str) -> bool:
    return letter not in "\n\t" and unicodedata.category(letter) in _HIDDEN
