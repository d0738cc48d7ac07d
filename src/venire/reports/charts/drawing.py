"""The pencils that all charts are drawn with."""

from __future__ import annotations

import math
import unicodedata
from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.page.markup import tag

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDTH = 720.0
"""The width of a chart in its own units; the page scales it."""

LONGEST_LABEL = 210.0
"""How wide a label may be before it is cut."""


class Axis:
    """A straight map from numbers to places."""

    def __init__(self, low: float, high: float, start: float, stop: float) -> None:
        self.low, self.high = (low, high) if high > low else (low - 0.5, low + 0.5)
        self.start, self.stop = start, stop

    def __call__(self, value: float) -> float:
        """Return the place of a number; numbers beyond the ends stay at the ends."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def ticks(self, about: int = 5) -> list[float]:
        """Return round numbers between the ends."""
        step = 10 ** math.floor(math.log10((self.high - self.low) / about))
        step *= next(factor for factor in (1, 2, 5, 10) if (self.high - self.low) / (step * factor) <= about)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [round(place * step, 10) for place in range(first, last + 1)]


def svg(height: float, title: str, description: str, *children: object, width: float = WIDTH) -> Markup:
    """Make a picture with a title and a description for those who cannot see it."""
    return tag(
        "svg", tag("title", title), tag("desc", description), *children,
        viewBox=f"0 0 {width:g} {height:g}", role="img", class_="chart", width=f"{width:g}", height=f"{height:g}",
    )  # fmt: skip


def text(
    x: float, y: float, content: str, *, anchor: str = "start", class_: str = "", fill: str | None = None
) -> Markup:
    """Write text at a place; `y` is its middle."""
    return tag(
        "text", content, x=_number(x), y=_number(y), text_anchor=anchor, dominant_baseline="central",
        class_=class_ or None, style=f"fill:{fill}" if fill else None,
    )  # fmt: skip


def line(x1: float, y1: float, x2: float, y2: float, class_: str) -> Markup:
    """Draw a line."""
    return tag("line", x1=_number(x1), y1=_number(y1), x2=_number(x2), y2=_number(y2), class_=class_)


def rect(
    x: float, y: float, width: float, height: float, *, class_: str = "", fill: str | None = None, hint: str = ""
) -> Markup:
    """Draw a rectangle; the hint is shown when a pointer rests on it."""
    children = (tag("title", hint),) if hint else ()
    return tag(
        "rect", *children, x=_number(x), y=_number(y), width=_number(max(width, 0.0)), height=_number(height),
        class_=class_ or None, style=f"fill:{fill}" if fill else None,
    )  # fmt: skip


def circle(x: float, y: float, radius: float, class_: str) -> Markup:
    """Draw a dot."""
    return tag("circle", cx=_number(x), cy=_number(y), r=_number(radius), class_=class_)


def link(target: str, *children: object) -> Markup:
    """Make a part of a picture a link to a cell's source."""
    return tag("a", *children, href=target)


def text_width(content: str, size: float = 12.0) -> float:
    """Estimate how wide text is: wide characters take a full square, others about half."""
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in content)
    return size * (wide + 0.6 * (len(content) - wide))


def fit(content: str, width: float = LONGEST_LABEL) -> str:
    """Cut a label that is too wide, showing that it was cut."""
    if text_width(content) <= width:
        return content
    while content and text_width(content + "…") > width:
        content = content[:-1]
    return content + "…"


def label_space(labels: Sequence[str]) -> float:
    """Return the room that the widest of some labels needs."""
    return min(LONGEST_LABEL, max((text_width(label) for label in labels), default=0.0)) + 16


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
