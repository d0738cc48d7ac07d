"""Which compatibility characters are digits in disguise: folding them beside a digit would make another number."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from venire.validation.normalise import NormalisedText, fold_piece

_SCRIPTS = "²³¹⁰⁴-⁹⁺⁻₀-₉₊₋"
# Fractions; circled, dotted, parenthesised, telegraphic and squared characters whose folding begins or ends in a digit.
_ENCLOSED = "¼-¾⅐-⅟↉①-⑳⒈-⒛⓪㆒-㆕㉑-㉟㊀-㊉㊱-㊿㋀-㋋㍘-㍰㍸㍹㎟-㎦㎨㎯㏠-㏾\U0001f100-\U0001f10a🈔🈩🈪"
_STOPS = "、。｡､"
_FOLDS = re.compile(f"[{_SCRIPTS}{_ENCLOSED}{_STOPS}]")
_IS_SCRIPT = re.compile(f"[{_SCRIPTS}]").match


def keeps_numbers(text: NormalisedText, position: int, quote: NormalisedText) -> bool:
    """Tell whether a quote that matches a text at a position has the same numbers as the text.

    The normalised texts are equal there, so a number can differ only where one side has a disguised digit and the
    other has not, and only if it stands beside a further digit: "x²" may be typed as "x2", but "10²" is not 102.
    """
    there = dict(_folds(text, position, len(quote.text)))
    here = dict(_folds(quote, 0, len(quote.text)))
    changed = {place: there.get(place) or here[place] for place in there.keys() | here.keys()}
    changed = {place: character for place, character in changed.items() if there.get(place) != here.get(place)}
    return not any(
        _makes_a_number(text.text, position + start, position + stop, character)
        for start, stop, character in _runs(sorted(changed.items()))
    )


def same_disguised_digits(text: NormalisedText, start: int, end: int, quote: NormalisedText) -> bool:
    """Tell the same of a stretch that differs from the quote in its hyphens: every disguised digit must be there."""
    there, here = (
        [character for _, character in _folds(side, first, length) if character not in _STOPS]
        for side, first, length in ((text, start, end - start), (quote, 0, len(quote.text)))
    )
    return there == here


def _folds(text: NormalisedText, position: int, length: int) -> Iterator[tuple[int, str]]:
    """Yield the disguised digits of a stretch with the distance of what they become from its beginning."""
    if text.original.isascii():
        return
    for match in _FOLDS.finditer(text.original, *text.span(position, length)):
        yield text.position(match.start()) - position, match.group()


def _runs(changed: Iterable[tuple[int, str]]) -> Iterator[tuple[int, int, str]]:
    """Join the digits of one raised or lowered number; yield where each begins and ends, and its last character."""
    run: tuple[int, int, str] | None = None
    for place, character in changed:
        end = place + len(fold_piece(character))
        if run and run[1] == place and _IS_SCRIPT(run[2]) and _IS_SCRIPT(character):
            run = (run[0], end, character)
            continue
        if run:
            yield run
        run = (place, end, character)
    if run:
        yield run


def _makes_a_number(text: str, start: int, end: int, character: str) -> bool:
    before, after = text[max(start - 1, 0) : start], text[end : end + 1]
    if character in _STOPS:
        return before.isdecimal() and after.isdecimal()
    return (_counts(before) and _counts(text[start], "+-")) or (_counts(after) and _counts(text[end - 1], ".,+-\u2044"))


def _counts(character: str, signs: str = "") -> bool:
    return bool(character) and (character in signs or unicodedata.numeric(character, None) is not None)
