"""A message with places to be filled in; what stands between them is put together, and counted, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec


class PromptForm(msgspec.Struct, frozen=True):
    """Texts, and between any two of them the name of what is filled in there."""

    texts: tuple[str, ...]
    """What is the same in every message."""
    names: tuple[str, ...]
    """What is filled in, one fewer than there are texts."""
    not_ascii: int
    """How many characters of the texts are not ASCII."""

    def fill(self, values: Mapping[str, Sequence[str]]) -> tuple[str, int]:
        """Return the message, and how many of its characters are not ASCII; values come in pieces.

        Most pieces are ASCII, which is known at once: one sign elsewhere would have all letters of a text counted.
        """
        parts, count = [self.texts[0]], self.not_ascii
        for name, text in zip(self.names, self.texts[1:], strict=True):
            pieces = values[name]
            parts += pieces
            parts.append(text)
            for piece in pieces:
                if not piece.isascii():
                    count += count_not_ascii(piece)
        return "".join(parts), count


def make_form(pieces: list[str], fixed: Mapping[str, list[str]]) -> PromptForm:
    """Make a form of texts and names in turn; names that are `fixed` stand for a text, or texts and names in turn.

    >>> make_form(["a ", "b", " c ", "d", ""], {"b": ["x ", "y", " z"]})
    PromptForm(texts=('a x ', ' z c ', ''), names=('y', 'd'), not_ascii=0)
    """
    texts, names = [pieces[0]], []
    for name, text in zip(pieces[1::2], pieces[2::2], strict=True):
        known = fixed.get(name, ["", name, ""])
        texts[-1] += known[0]
        names += known[1::2]
        texts += known[2::2]
        texts[-1] += text
    return PromptForm(tuple(texts), tuple(names), sum(map(count_not_ascii, texts)))


def count_not_ascii(text: str) -> int:
    """Return how many characters are not ASCII.

    >>> count_not_ascii("né 字")
    2
    """
    return 0 if text.isascii() else len(text) - len(text.encode("ascii", "ignore"))
