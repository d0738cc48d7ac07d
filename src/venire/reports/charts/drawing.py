"""The pencils that all charts are drawn with."""

from __future__ import annotations

import math

from markupsafe import Markup

from venire.reports.page.markup import tag

WIDTH = 720.0
"""The width of a chart in its own units; the page scales it."""


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
        viewBox=f"0 0 {width:g} {height:g}", role="group", aria_label=title,
        class_="chart", width=f"{width:g}", height=f"{height:g}",
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


def circle(x: float, y: float, radius: float, class_: str) -> Markup:
    """Draw a dot."""
    return tag("circle", cx=_number(x), cy=_number(y), r=_number(radius), class_=class_)


def link(target: str, name: str, *children: object) -> Markup:
    """Make a part of a picture a link to a cell's source; its name is read out, and shown on hover."""
    return tag("a", tag("title", name), *children, href=target, aria_label=name)


def _number(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
