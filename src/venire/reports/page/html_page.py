"""The report as one self-contained page: nothing is loaded from elsewhere, and no script is needed to read it."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.page.environment import page_environment
from venire.reports.page.figures import figures
from venire.reports.page.first_screen import breaks, grouped, ranked_chart, strip, totals
from venire.reports.page.markup import cell_anchor, cell_link
from venire.reports.sections.overview import LEAST_SPREAD
from venire.reports.sections.trust import TRUST_SECTIONS
from venire.reports.words import ReportWords

if TYPE_CHECKING:
    import jinja2

    from venire.reports.report import Report

LONG = 24
"""From how many characters on words may be broken anywhere, as digests have no blanks."""

LINKED = 40
"""How many judgements are linked from one number; `venire trace` walks to all."""

TRACE = "venire trace REPORT.json CELL"
"""How a number is followed on the command line."""


def html_page(report: Report, language: str) -> str:
    """Return the page in a language; the same report gives the same bytes."""
    return _template().render(report=report, words=ReportWords(language, report.names))


@cache
def _template() -> jinja2.Template:
    environment = page_environment()
    environment.filters |= {"figures": figures, "link": cell_link, "anchor": cell_anchor, "grouped": grouped}
    environment.filters |= {"ranked_chart": ranked_chart, "breaks": breaks, "strip": strip, "totals": totals}
    style = files("venire.reports.page").joinpath("style.css").read_text("utf-8")
    environment.globals |= {"trust_sections": TRUST_SECTIONS, "least_spread": LEAST_SPREAD}
    environment.globals |= {"style": Markup(style), "long": LONG, "linked": LINKED, "trace": TRACE}  # noqa: S704 - ours
    return environment.get_template("report.html")
