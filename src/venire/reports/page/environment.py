"""How templates become pages, those of reports and those of the server alike."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from venire.reports.page.markup import shown_value
from venire.reports.page.shown_text import shown_text
from venire.reports.words import money_text, number_text, rule_text

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


def short_time(moment: datetime | str) -> str:
    """Write a moment to the second, without its zone."""
    if isinstance(moment, str):
        return moment[:19].replace("T", " ")
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
