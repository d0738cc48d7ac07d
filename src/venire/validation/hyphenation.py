"""Words that a line's end breaks after a hyphen: the text does not tell whether the hyphen belongs to the word.

So both readings count, joined and with the hyphen, for each break by itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from venire.validation.normalise import NormalisedText

_HYPHENS = "\\-\u2010\u00ad"
_LINE_ENDS = "\n\r\v\f\x85\u2028\u2029"
# No dash or list mark: something other than a blank or a hyphen stands on either side.
_BREAK = re.compile(rf"(?<=[^\s{_HYPHENS}])[{_HYPHENS}][^\S{_LINE_ENDS}]*[{_LINE_ENDS}]\s*(?=[^\s{_HYPHENS}])")
_GAP = re.compile(rf"[{_HYPHENS}][{_HYPHENS} ]*")
_MOST_TRIES = 1_000


class Unhyphenated:
    """A normalised text without its hyphens, which remembers them."""

    __slots__ = ("_gaps", "_places", "_shift", "breaks", "text")

    def __init__(self, normal: NormalisedText, breaks: list[tuple[int, int]]) -> None:
        self.breaks: set[int] = set()
        """Where in this text a line ended after a hyphen."""
        self._places: list[int] = []
        self._gaps: list[str] = []
        self._shift: list[int] = [0]
        at_line_end = set(breaks)
        kept: list[str] = []
        position = 0
        for start, end in sorted({*breaks, *(match.span() for match in _GAP.finditer(normal.text))}):
            kept.append(normal.text[position:start])
            place = start - self._shift[-1]
            self._places.append(place)
            self._gaps.append(normal.text[start:end])
            self._shift.append(self._shift[-1] + end - start)
            if (start, end) in at_line_end:
                self.breaks.add(place)
            position = end
        kept.append(normal.text[position:])
        self.text = "".join(kept)

    def gap(self, place: int) -> str:
        """Return the hyphens, and the blank after them, that stood before a place."""
        index = bisect_left(self._places, place)
        return self._gaps[index] if self._places[index : index + 1] == [place] else ""

    def gaps_between(self, start: int, end: int) -> dict[int, str]:
        """Return all that was left out inside a stretch, by the distance from its start."""
        first, last = bisect_right(self._places, start), bisect_left(self._places, end)
        return {self._places[index] - start: self._gaps[index] for index in range(first, last)}

    def position(self, place: int) -> int:
        """Return the position in the normalised text of a character of this one."""
        return place + self._shift[bisect_right(self._places, place)]

    def find(self, quote: Unhyphenated) -> Iterator[tuple[int, int]]:
        """Yield the stretches of the normalised text that a quote may be read from, across the ends of lines."""
        length = len(quote.text)
        if not length or quote.text not in self.text:
            return
        inner, leading, trailing = quote.gaps_between(0, length), quote.gap(0), quote.gap(length)
        tries_left, after = _MOST_TRIES, 0
        for place in sorted(self.breaks):
            after = max(after, place - length)
            while tries_left and (start := self.text.find(quote.text, after, place + length)) >= 0:
                tries_left -= 1
                after, end = start + 1, start + length
                if self._agrees(start, end, inner) and self._borders(start, end, leading, trailing):
                    yield self.position(start) - len(leading), self.position(end - 1) + 1 + len(trailing)

    def _agrees(self, start: int, end: int, quoted: dict[int, str]) -> bool:
        own = self.gaps_between(start, end)
        return all(
            len(quoted.get(offset, "").rstrip()) <= 1
            if start + offset in self.breaks
            else own.get(offset) == quoted.get(offset)
            for offset in own.keys() | quoted.keys()
        )

    def _borders(self, start: int, end: int, leading: str, trailing: str) -> bool:
        return self.gap(start).endswith(leading) and self.gap(end).startswith(trailing)


def broken_words(normal: NormalisedText) -> list[tuple[int, int]]:
    """Return where a normalised text has a hyphen at the end of a line, with the blank after it."""
    found = [
        (normal.position(match.start()), normal.position(match.end())) for match in _BREAK.finditer(normal.original)
    ]
    return [
        (start, end)
        for start, end in found
        if not _GAP.match(normal.text, start - 1) and not _GAP.match(normal.text, end)
    ]
