"""HTML and SVG as values: whatever is not markup already is escaped, so that judged text stays text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup, escape

from venire.domain.hidden import show_controls

if TYPE_CHECKING:
    import jinja2

    from venire.reports.report import ReportCell

_EMPTY = frozenset({"line", "rect", "circle", "path", "polygon"})


def page_environment(package: str) -> jinja2.Environment:
    """Return how the templates of a package become pages: all texts are escaped, and hidden characters shown."""
    import jinja2  # commands that show no page start without it

    return jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_shown,
        keep_trailing_newline=True,
    )


def _shown(value: object) -> object:
    return escape(show_controls(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


def tag(name: str, /, *children: object, **attributes: Any) -> Markup:
    """Make an element; attributes that are None are left out, and `_` stands for `-` and is dropped at the end.

    >>> tag("text", "a < b", class_="note")
    Markup('<text class="note">a &lt; b</text>')
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_shown(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY and not children:
        return Markup(f"<{name}{written}/>")  # noqa: S704 - every value of it was escaped above
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")  # noqa: S704


def join(*children: object) -> Markup:
    """Put pieces one after another; text is escaped, and hidden characters are shown instead of obeyed."""
    return Markup("".join(str(_shown(piece)) for piece in children))  # noqa: S704 - every piece is escaped


def cell_anchor(cell: ReportCell) -> str:
    """Return the id of the element that tells a cell's source."""
    return f"cell-{cell.id}"


def cell_link(cell: ReportCell) -> str:
    """Return the link to a cell's source."""
    return "#" + quote(cell_anchor(cell))
