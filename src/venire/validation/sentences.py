"""Where the sentences of a text begin and end, in English and Chinese: by fixed rules, the same for every reader.

Headings, code and the heads of tables are stretches of their own that state nothing by themselves. A line that only
broke because it was full goes on in the next one; any other line end is the end of a sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec

_FENCE = re.compile(r"[ \t]*(```|~~~)")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+\S|[ \t]*(\*\*|__)[^*_]+\1[:：]?[ \t]*$|[ \t]*【[^】]*】[ \t]*$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}[-:| \t]*$")
_MARKER = re.compile(
    r"[ \t]*(?:>[ \t]*)*(?:[-*+•·][ \t]+|\d{1,3}[.)、）][ \t]*(?!\d)|[（(]\d{1,3}[)）][ \t]*)?\|?[ \t]*"
)
_TERMINATED = re.compile(r"""[.!?。！？:：;；…][”’」』）)】》"'\]*_]*$""")
_END = re.compile(r"""(?:[。！？]|[.!?](?=[.!?”’」』）)】》"'\]*_\s]|$|[\u3400-\u9fff]))+[”’」』）)】》"'\]*_]*""")
_GOES_ON = frozenset("，、；：,;:)）")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*$")
_WORDS = re.compile(r"[^\W_]")
_FULL_LINE = 50
"""How wide a line is at least, in columns, before its end may be a mere wrap."""
_TITLES = " approx ca cf dept dr eg fig figs gov ie mr mrs ms mt prof rev sen st vs "
"""Short forms that no sentence ends with."""
_COUNTED = " art ch col ed eq no nos op p pp ref sec vol "
"""Short forms that no sentence ends with where a number follows."""
_ENDINGS = " al corp etc inc jr ltd sr "
"""Short forms that a sentence ends with only where the next word begins large."""


class Sentence(msgspec.Struct, frozen=True, gc=False):
    """A stretch of a text, without the blanks and list signs around it."""

    start: int
    """The offset of its first character."""
    end: int
    """The offset after its last character."""
    states: bool = True
    """Whether it may state something; headings, code and the heads of tables do not."""


def split_sentences(text: str) -> tuple[Sentence, ...]:
    r"""Return the sentences of a text, in order; what has neither letter nor digit is none.

    >>> text = "# Fares\nA ticket costs 3.5 euros, e.g. from a machine. 孩子免费。狗呢？也是。"
    >>> [text[each.start : each.end] for each in split_sentences(text)]
    ['# Fares', 'A ticket costs 3.5 euros, e.g. from a machine.', '孩子免费。', '狗呢？', '也是。']
    """
    found: list[Sentence] = []
    for start, end, states in _blocks(text):
        stretches = _within(text, start, end) if states else [(start, end)]
        found += [
            Sentence(first, last, states) for first, last in stretches if _WORDS.search(text, first, last) is not None
        ]
    return tuple(found)


def number_sentences(text: str) -> str:
    """Put its number before each sentence.

    >>> number_sentences("One. 二。")
    '[s1] One. [s2] 二。'
    """
    pieces, last = [], 0
    for number, each in enumerate(split_sentences(text), start=1):
        pieces += [text[last : each.start], f"[s{number}] "]
        last = each.start
    return "".join((*pieces, text[last:]))


def left_out(text: str, sentences: tuple[Sentence, ...], spans: Iterable[tuple[int, int]]) -> list[Sentence]:
    """Return the sentences that may state something and that no span shares a character with.

    A sentence that says to the letter what a shared one says is not left out: a quote tells nobody which of them it is.
    """
    missed: list[Sentence] = []
    shared: list[Sentence] = []
    ordered = chain(sorted(spans), [(len(text) + 1, 0)])
    reach, (begin, end) = -1, next(ordered)
    for each in sentences:
        while begin < each.end:
            if end > reach:  # noqa: PLR1730 - a third faster than max()
                reach = end
            begin, end = next(ordered)
        if reach > each.start:
            shared.append(each)
        elif each.states:
            missed.append(each)
    if not missed:
        return []
    said = {text[each.start : each.end] for each in shared}
    return [each for each in missed if text[each.start : each.end] not in said]


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield the stretches that no sentence reaches beyond: paragraphs, list items, rows, headings, blocks of code."""
    lines = list(_lines(text))
    place = 0
    while place < len(lines):
        start, end = lines[place]
        place += 1
        if _FENCE.match(text, start, end):
            while place < len(lines) and not _FENCE.match(text, *lines[place]):
                place += 1
            end = lines[place][1] if place < len(lines) else lines[-1][1]
            place += 1
            yield start, end, False
        elif _HEADING.match(text, start, end) or (
            place < len(lines) and "|" in text[start:end] and _is_table_rule(text[slice(*lines[place])])
        ):
            yield start, end, False
        else:
            while place < len(lines) and _is_wrapped(text, start, end, lines[place]):
                end = lines[place][1]
                place += 1
            marker = _MARKER.match(text, start, end)
            yield marker.end() if marker else start, end, True


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each line that shows something begins and ends, without the line end and blanks before it."""
    start = 0
    for line in text.splitlines(keepends=True):
        shown = len(line.rstrip())
        yield start, start + shown
        start += len(line)


def _is_table_rule(line: str) -> bool:
    return "|" in line and _TABLE_RULE.match(line) is not None


def _is_wrapped(text: str, start: int, end: int, following: tuple[int, int]) -> bool:
    """Tell whether a line only ended because it was full: it is wide, ends nothing, and the next begins nothing."""
    line = text[max(text.rfind("\n", start, end) + 1, start) : end]
    if _TERMINATED.search(line) or _width(line) < _FULL_LINE:
        return False
    following_line = text[slice(*following)]
    marker = _MARKER.match(following_line)
    if not following_line.strip() or (marker and marker.group().strip()) or _FENCE.match(following_line):
        return False
    first = following_line.lstrip()[0]
    return first.islower() or first.isdigit() or _is_wide(first) or first in "“‘「『（(《\"'"


def _width(line: str) -> int:
    return len(line) if line.isascii() else sum(2 if _is_wide(each) else 1 for each in line)


def _is_wide(character: str) -> bool:
    return unicodedata.east_asian_width(character) in "WF"


def _within(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Cut a stretch at the ends of its sentences."""
    begin = start
    for match in _END.finditer(text, start, end):
        if match.end() < end and _ends_sentence(text, match, begin, end):
            yield begin, match.end()
            begin = match.end()
            while begin < end and text[begin].isspace():
                begin += 1
    while end > begin and text[end - 1].isspace():
        end -= 1
    yield begin, end


def _ends_sentence(text: str, match: re.Match[str], start: int, end: int) -> bool:
    """Tell whether what looks like the end of a sentence is one, by the words on both sides."""
    after = match.end()
    while after < end and text[after].isspace():
        after += 1
    following = text[after] if after < end else ""
    if following in _GOES_ON:
        return False
    signs = match.group()
    if any(sign in "。！？" for sign in signs):
        return True
    if following.islower():
        return False
    if signs[0] != "." or signs.startswith(".."):
        return after > match.end() or not following.isascii()
    before = text[max(start, match.start() - 24) : match.start()]
    if before.isdigit() or (after == match.end() and before[-1:].isdigit()):  # The number of an item, or "3.个".
        return False
    word = _LAST_WORD.search(before)
    if word is None:
        return True
    letters = f" {word.group().replace('.', '').casefold()} "
    if letters in _COUNTED:
        return not following.isdigit()
    if letters in _ENDINGS:
        return following.isupper() or not following.isascii()
    is_initial = len(word.group()) == 1 and word.group().isupper()
    return not (is_initial or "." in word.group() or letters in _TITLES)
