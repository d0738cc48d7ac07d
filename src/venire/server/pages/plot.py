"""Curves on a field that fills the width it has: lines stretch, and words and dots keep their size on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from markupsafe import Markup

from venire.reports.charts.drawing import Axis
from venire.reports.charts.tracks import mark
from venire.reports.page.markup import tag


class Curve(NamedTuple):
    """One line of a plot; places are percents of its field, from the left and from the top."""

    name: str
    """What the legend says of it."""
    points: Sequence[tuple[float, float]]
    """The line."""
    band: Sequence[tuple[float, float]] = ()
    """The outline of what surrounds it; empty for none."""
    dotted: bool = False
    """Whether each point has a dot."""


def field_axis(low: float, high: float, *, upwards: bool = False) -> Axis:
    """Return the map from numbers to places on the field."""
    return Axis(low, high, 100.0, 0.0) if upwards else Axis(low, high, 0.0, 100.0)


def height_lines(labels: Iterable[tuple[float, str]]) -> list[Markup]:
    """Return level lines, each with its number left of the field."""
    return [
        part
        for height, label in labels
        for part in (
            mark("line", x1=0, x2=100, y1=height, y2=height, class_="grid"),
            tag("text", label, x="-6", y=f"{height:.2f}%", text_anchor="end", dominant_baseline="central"),
        )
    ]


def plot(title: str, curves: Sequence[Curve], behind: Iterable[Markup], below: Iterable[tuple[float, str]]) -> Markup:
    """Draw curves over what lies behind them, the words below the field, and a legend."""
    stretched = tag(
        "svg",
        *(_outline(curve.band, place) for place, curve in enumerate(curves) if curve.band),
        *(tag("polyline", points=_steps(curve.points), class_=f"curve line{place}")
          for place, curve in enumerate(curves)),
        viewBox="0 0 100 100", preserveAspectRatio="none", width="100%", height="100%",
    )  # fmt: skip
    dots = [
        mark("circle", cx=x, cy=y, r=3.5, class_=f"series{place}")
        for place, curve in enumerate(curves)
        if curve.dotted
        for x, y in curve.points
    ]
    field = tag("svg", *behind, stretched, *dots, class_="field")
    words = tag("svg", *(_below(place, label) for place, label in below), class_="field below")
    spoken = "; ".join(curve.name for curve in curves)
    legend = [tag("li", tag("span", "", class_=f"key series{place}"), curve.name) for place, curve in enumerate(curves)]
    drawn = tag("div", field, words, class_="plot", role="img", aria_label=f"{title}: {spoken}")
    return drawn + tag("ul", *legend, class_="legend")


def _steps(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def _outline(points: Iterable[tuple[float, float]], place: int) -> Markup:
    return tag("polygon", points=_steps(points), class_=f"within series{place}")


def _below(place: float, label: str) -> Markup:
    anchor = "start" if place < 1 else "end" if place > 99 else "middle"
    return tag("text", label, x=f"{place:.2f}%", y="12", text_anchor=anchor)
