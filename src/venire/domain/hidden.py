"""Characters that are obeyed or not seen, shown instead: controls, formats, lone surrogates, odd line ends."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
# Everything but the letters, digits and signs that most texts are made of; only these are looked at one by one.
_UNCOMMON = re.compile("[^\n\t\x20-\x7e\u00a1-\u00ac\u00ae-\u024f\u3001-\u9fff\uff01-\uff9f]")
_ASCII_CONTROLS = bytes(code for code in (*range(32), 127) if chr(code) not in "\n\t")


def show_controls(text: str, marks: str = "⟨⟩") -> str:
    r"""Show control, zero-width and bidirectional characters by their code between two marks; line feeds and tabs stay.

    A carriage return alone would let a text overwrite its own line in a terminal, so it is shown as well.

    >>> show_controls("a\x1b[31mb")
    'a⟨U+001B⟩[31mb'
    """
    if _is_plain_ascii(text) or text.replace("\n", "").replace("\t", "").isprintable():
        return text  # Most texts are, Chinese ones too: this is soon known.
    return replace_hidden(text.replace("\r\n", "\n"), lambda letter: f"{marks[0]}U+{ord(letter):04X}{marks[1]}")


def _is_plain_ascii(text: str) -> bool:
    """Tell whether a text is of nothing but printable ASCII, line feeds and tabs, sooner than `isprintable` can."""
    if not text.isascii():
        return False
    data = text.encode()
    return len(data.translate(None, _ASCII_CONTROLS)) == len(data)


def replace_hidden(text: str, spelt: Callable[[str], str]) -> str:
    """Replace each hidden character but line feeds and tabs."""
    return _UNCOMMON.sub(lambda found: spelt(found[0]) if _is_hidden(found[0]) else found[0], text)


def _is_hidden(letter: str) -> bool:
    return unicodedata.category(letter) in _HIDDEN
