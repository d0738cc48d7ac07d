"""An output with the quotes of all judges marked, each in the colour of its dimension."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from markupsafe import Markup

from venire.reports.page.shown_text import shown_text

COLOURS = 8
"""How many colours there are; further dimensions begin with the first again."""


class QuotedSpan(NamedTuple):
    """Words that a judge quoted."""

    start: int
    """Where they begin."""
    end: int
    """Where they end."""
    dimension: int
    """The place of the dimension among those of the protocol."""
    said: str
    """Who quoted them for what."""


def colour(place: int) -> str:
    """Return the class of a dimension's colour."""
    return f"d{place % COLOURS}"


def quoted_text(text: str, spans: Iterable[QuotedSpan], name: str) -> Markup:
    """Return a text with its quotes marked; where several overlap, the first dimension gives the colour.

    >>> quoted_text("ab", [QuotedSpan(0, 1, 2, "oak · Format")], "t")
    Markup('<mark id="t-0" class="d2" title="oak · Format" tabindex="-1">a</mark>b')
    """
    kept = [span for span in spans if 0 <= span.start < span.end <= len(text)]
    borders = sorted({0, len(text), *(span.start for span in kept), *(span.end for span in kept)})
    pieces = [Markup()]
    for start, end in pairwise(borders):
        over = sorted((span for span in kept if span.start <= start and span.end >= end), key=lambda span: span[2:])
        shown = shown_text(text[start:end])
        pieces.append(_mark(over, f"{name}-{start}", shown) if over else shown)
    return Markup().join(pieces)


def _mark(over: Sequence[QuotedSpan], anchor: str, shown: Markup) -> Markup:
    said = "\n".join(dict.fromkeys(span.said for span in over))
    many = " many" if len({span.dimension for span in over}) > 1 else ""
    return Markup('<mark id="{}" class="{}{}" title="{}" tabindex="-1">{}</mark>').format(
        anchor, colour(over[0].dimension), many, said, shown
    )
