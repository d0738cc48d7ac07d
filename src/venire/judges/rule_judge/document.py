"""A judged text as checks see it: its sections, its length, and short quotes from it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_QUOTE = 60
"""How many characters a quote has at most."""

_CJK = "぀-ヿ㐀-鿿가-힯豈-﫿\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CJK}]|[^\W{_CJK}]+(?:['’.-][^\W{_CJK}]+)*")
_HEADING_SIGNS = r"[ \t#*>]*(?:\d+[.、)]\s*)?\**"
_FOREIGN_HEADING = re.compile(
    r"^[ \t]*(?:#{1,6}[ \t]+\S.*|\**(?:\[[^\]\n]+\]|【[^】\n]+】)\**[:：]?)[ \t]*$",
    re.MULTILINE,
)
_UNSEEN = "\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
# All that validation may take for one: dots of every width, also with characters between that nobody sees.
_ELLIPSIS = re.compile(f"(?:[.․。．｡][{_UNSEEN}]*){{2,}}|[…‥⋯︙]+")
_BLANK_EDGES = re.compile(rf"^[\s{_UNSEEN}]+|[\s{_UNSEEN}]+$")


Heading = str | tuple[str, ...]
"""A required heading: its words, or several spellings of it, such as one for each language; the first is its name."""


class Span(msgspec.Struct, frozen=True, gc=False):
    """A stretch of the text."""

    start: int
    """The offset of its first character."""
    end: int
    """The offset after its last character."""


class Section(msgspec.Struct, frozen=True):
    """A required heading that stands in the text, and what follows it."""

    heading: str
    """The name of the heading: its first declared spelling."""
    start: int
    """Where the heading's line begins, with signs such as `##`."""
    title: Span
    """Where the heading stands."""
    body: Span
    """What follows, up to the next heading or the end."""


class Document(msgspec.Struct, frozen=True):
    """A text cut at its headings."""

    text: str
    """The judged text."""
    headings: tuple[str, ...]
    """The names of the headings that are required, in their order."""
    sections: tuple[Section, ...]
    """The required sections that are there, in the order of the text; of a repeated one only the first."""
    foreign: tuple[Span, ...]
    """Headings that nobody asked for."""

    def section(self, heading: str) -> Section | None:
        """Return the section under this heading, or None."""
        return next((section for section in self.sections if section.heading == heading), None)

    def part(self, span: Span) -> str:
        """Return the text of a span."""
        return self.text[span.start : span.end]


def spellings_of(heading: Heading) -> tuple[str, ...]:
    """Return all spellings of a heading; the first is its name."""
    return (heading,) if isinstance(heading, str) else heading


def read_document(text: str, headings: tuple[Heading, ...]) -> Document:
    """Cut a text at its headings.

    A heading stands at the beginning of a line, perhaps behind signs such as `##`, `**` or `1.`; blanks inside it
    may differ, because extraction from PDF changes them. Of several spellings the one that comes first counts.
    """
    names = tuple(spellings_of(heading)[0] for heading in headings)
    found = [
        (start, title, name)
        for name, heading in zip(names, headings, strict=True)
        for start, title in _find_heading(text, heading)
    ]
    found.sort(key=lambda each: (each[0], -each[1].end))
    foreign = tuple(
        Span(match.start(), match.end())
        for match in _FOREIGN_HEADING.finditer(text)
        if headings and not any(match.start() < title.end and start < match.end() for start, title, _ in found)
    )
    borders = [*sorted([start for start, _, _ in found] + [span.start for span in foreign]), len(text)]
    sections = tuple(
        Section(heading, start, title, Span(title.end, next(border for border in borders if border >= title.end)))
        for start, title, heading in found
    )
    return Document(text, names, sections, foreign)


def count_words(text: str) -> int:
    """Count words; each CJK character is one.

    >>> count_words("GPT 的 don't-stop 快照")
    5
    """
    return sum(1 for _ in _WORD.finditer(text))


def count_characters(text: str) -> int:
    """Count characters other than white space."""
    return sum(map(len, text.split()))


def quote(text: str, span: Span) -> str:
    r"""Return a short piece of the span, word for word: one line, no ellipsis; empty if there is none.

    >>> quote("one\n  two words... three", Span(3, 23))
    'two words'
    """
    for line in text[span.start : span.end].splitlines():
        for piece in _ELLIPSIS.split(line):
            if words := _BLANK_EDGES.sub("", piece):
                return words if len(words) <= MAX_QUOTE else _shorten(words)
    return ""


def _shorten(words: str) -> str:
    """Cut at the last blank within the limit, or at the limit where there is none, as in Chinese."""
    head = words[:MAX_QUOTE]
    whole_words, blank, _ = head.rpartition(" ")
    return (whole_words if blank and len(whole_words) >= MAX_QUOTE // 2 else head).strip()


def _find_heading(text: str, heading: Heading) -> Iterator[tuple[int, Span]]:
    """Yield where the heading first stands, with the beginning of its line, if it does."""
    words = "|".join(r"[ \t]*".join(re.escape(word) for word in spelling.split()) for spelling in spellings_of(heading))
    match = re.search(rf"^{_HEADING_SIGNS}(?P<title>{words})", text, re.MULTILINE)
    if match:
        yield match.start(), Span(*match.span("title"))
