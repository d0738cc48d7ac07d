"""The judged text with quotes marked: cut to the surroundings of the quotes where it is long."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

AROUND = 160
"""How many characters are shown before and behind a quote."""

WHOLE = 1200
"""Up to how many characters a text is shown whole."""


class Piece(NamedTuple):
    """A stretch of text."""

    text: str
    """The words."""
    marked: bool
    """Whether they were quoted."""


def marked_pieces(text: str, spans: Sequence[tuple[int, int]], *, whole: bool = False) -> list[Piece]:
    """Cut a text at the borders of its quotes; overlapping quotes become one.

    >>> marked_pieces("a quoted word", [(2, 8)])
    [Piece(text='a ', marked=False), Piece(text='quoted', marked=True), Piece(text=' word', marked=False)]
    """
    pieces: list[Piece] = []
    place = 0
    for start, end in _merged(spans, len(text)):
        if start > place:
            pieces.append(Piece(text[place:start], marked=False))
        pieces.append(Piece(text[start:end], marked=True))
        place = end
    if place < len(text):
        pieces.append(Piece(text[place:], marked=False))
    if whole or len(text) <= WHOLE:
        return pieces
    return [_shortened(piece, first=number == 0, last=number == len(pieces) - 1) for number, piece in enumerate(pieces)]


def _merged(spans: Sequence[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted((max(0, start), min(end, length)) for start, end in spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        else:
            merged.append((start, end))
    return merged


def _shortened(piece: Piece, *, first: bool, last: bool) -> Piece:
    text = piece.text
    if piece.marked or len(text) <= 2 * AROUND:
        return piece
    if first and last:
        return Piece(text[: 2 * AROUND] + " … ", marked=False)
    if first:
        return Piece(" … " + text[-AROUND:], marked=False)
    if last:
        return Piece(text[:AROUND] + " … ", marked=False)
    return Piece(f"{text[:AROUND]} … {text[-AROUND:]}", marked=False)
