"""HTML and SVG as values: whatever is not markup already is escaped, so that judged text stays text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup, escape

from venire.domain.hidden import show_controls

if TYPE_CHECKING:
    from venire.reports.report import ReportCell

_EMPTY = frozenset({"line", "rect", "circle", "path", "polygon"})


def shown_value(value: object) -> object:
    """Escape a text and show its hidden characters; markup and other values stay as they are."""
    return escape(show_controls(value)) if isinstance(value, str) and not isinstance(value, Markup) else value


def tag(name: str, /, *children: object, **attributes: Any) -> Markup:
    """Make an element; attributes that are None are left out, and `_` stands for `-` and is dropped at the end.

    >>> tag("text", "a < b", class_="note")
    Markup('<text class="note">a &lt; b</text>')
    """
    written = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{shown_value(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    if name in _EMPTY and not children:
        return Markup(f"<{name}{written}/>")  # noqa: S704 - every value of it was escaped above
    return Markup(f"<{name}{written}>{join(*children)}</{name}>")  # noqa: S704


def join(*children: object) -> Markup:
    """Put pieces one after another; text is escaped, and hidden characters are shown instead of obeyed."""
    return Markup("".join(str(shown_value(piece)) for piece in children))  # noqa: S704 - every piece is escaped


def cell_anchor(cell: ReportCell) -> str:
    """Return the id of the element that tells a cell's source."""
    return f"cell-{cell.id}"


def cell_link(cell: ReportCell) -> str:
    """Return the link to a cell's source."""
    return "#" + quote(cell_anchor(cell))


def with_code(text: str) -> Markup:
    """Show what stands between backticks as code.

    >>> with_code("Use `--full` for all.")
    Markup('Use <code>--full</code> for all.')
    """
    pieces = text.split("`")
    if len(pieces) % 2 == 0:
        return join(text)
    return join(*(tag("code", piece) if place % 2 else piece for place, piece in enumerate(pieces)))
