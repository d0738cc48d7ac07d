"""Outputs that answer the same question, and how the words of two of them differ."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Literal, NamedTuple

from venire.reports.outputs.asked import Order, OutputFilter
from venire.reports.outputs.rows import OutputRow
from venire.workflows.outputs.index import OutputIndex
from venire.workflows.outputs.listing import list_outputs

MOST_BESIDE = 300
"""How many outputs one can choose from."""
MOST_TOKENS = 4_000
"""Up to how many words texts are compared word by word; longer ones are compared line by line."""
MOST_LINES = 4_000
"""Up to how many lines texts are compared at all."""
_TOKENS = re.compile(r"[^\W\u2e80-\u9fff\uac00-\ud7af]+|\s+|.", re.DOTALL)
_LINES = re.compile(r"[^\n]*\n|[^\n]+")


class DiffPiece(NamedTuple):
    """A stretch of two texts."""

    kind: Literal["same", "added", "gone"]
    """Whether it stands in both, only in the second, or only in the first."""
    text: str
    """The words."""


def answers_to_same(index: OutputIndex, row: OutputRow) -> tuple[OutputRow, ...]:
    """Return the other outputs that answer the same question: those most alike in all but the model first."""
    if not row.same:
        return ()
    found = list_outputs(index, OutputFilter(same=(row.same,)), Order.RECORDED, 0, MOST_BESIDE + 1).rows
    others = [each for each in found if each.key != row.key]
    return tuple(sorted(others, key=lambda each: (each.variant != row.variant, each.levels != row.levels)))


def text_diff(first: str, second: str) -> list[DiffPiece] | None:
    """Return how the second text differs from the first, word by word or line by line; None if they are too long.

    >>> text_diff("a red cat", "a blue cat")[1:3]
    [DiffPiece(kind='gone', text='red'), DiffPiece(kind='added', text='blue')]
    """
    for pattern, most in ((_TOKENS, MOST_TOKENS), (_LINES, MOST_LINES)):
        before, after = pattern.findall(first), pattern.findall(second)
        if max(len(before), len(after)) <= most:
            return _pieces(before, after)
    return None


def _pieces(before: list[str], after: list[str]) -> list[DiffPiece]:
    pieces: list[DiffPiece] = []
    for kind, start, end, other_start, other_end in SequenceMatcher(None, before, after).get_opcodes():
        if kind == "equal":
            pieces.append(DiffPiece("same", "".join(before[start:end])))
            continue
        if start < end:
            pieces.append(DiffPiece("gone", "".join(before[start:end])))
        if other_start < other_end:
            pieces.append(DiffPiece("added", "".join(after[other_start:other_end])))
    return pieces
