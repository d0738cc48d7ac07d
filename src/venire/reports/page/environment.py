"""How templates become pages, those of reports and those of the server alike."""

from __future__ import annotations

from datetime import UTC, datetime
from math import floor, log10
from typing import TYPE_CHECKING

from venire.reports.page.markup import shown_value
from venire.reports.page.shown_text import shown_text
from venire.reports.words import number_text, rule_text

if TYPE_CHECKING:
    import jinja2

SHARED = "venire.reports.page"
"""The package whose templates every page may use."""


def page_environment(package: str = SHARED) -> jinja2.Environment:
    """Return how the templates of a package become pages: all texts are escaped, and hidden characters shown."""
    import jinja2  # commands that show no page start without it

    loaders = [jinja2.PackageLoader(each) for each in dict.fromkeys((package, SHARED))]
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader(loaders),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=shown_value,
        keep_trailing_newline=True,
    )
    environment.globals |= {"shown_text": shown_text}
    environment.filters |= {
        "rule_text": rule_text,
        "short_time": short_time,
        "money": money_text,
        "count": lambda number: number_text(number, "count"),
        "plain_number": lambda number: "–" if number is None else f"{number:.10g}",
        "cut": lambda text, length: text if len(text) <= length else f"{text[:length]}…",
    }
    return environment


def money_text(amount: float) -> str:
    """Write a small amount of money to two digits that say something, never with a power of ten.

    >>> money_text(0.00002), money_text(0.0123456), money_text(12.5), money_text(0)
    ('0.00002', '0.012', '12.50', '0')
    """
    if amount == 0:
        return "0"
    digits = 2 if amount >= 1 else 1 - floor(log10(abs(amount)))
    shown = f"{amount:.{digits}f}"
    return shown if amount >= 1 else shown.rstrip("0")


def short_time(moment: datetime | str) -> str:
    """Write a moment to the second, without its zone."""
    if isinstance(moment, str):
        return moment[:19].replace("T", " ")
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
