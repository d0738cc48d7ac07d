"""Charts of a report on a page: the same drawings, with links that lead to a number's own page."""

from __future__ import annotations

import re
from urllib.parse import quote

from markupsafe import Markup

from venire.reports.page.figures import figures
from venire.reports.page.first_screen import ranked_chart
from venire.reports.report import Report, ReportCell, ReportSection
from venire.reports.words import ReportWords

SHOWN_TABLES = frozenset(
    {
        "leaderboard",
        "worst_slices",
        "slices",
        "alpha",
        "excluded",
        "cost",
        "judges",
        "severity",
        "retests",
        "bias",
        "people",
    }
)
"""The tables that are open at first; the others have charts or say more than most want to know, and unfold."""

# Drawings come escaped, so that a quotation mark ends an attribute and nothing else.
_FILL = re.compile(r'style="fill:(#[0-9a-f]+)"')
_CELL_LINK = re.compile(r'href="#cell-')


DASHBOARD = ("summary", "leaderboard", "dimensions", "drift", "agreement", "invalid", "cost")
"""The sections of the report that the dashboard shows, in order."""

JUDGES = ("judges", "canaries", "agreement", "bias", "people")
"""The sections that the page of the judges shows."""


def section_figures(section: ReportSection, words: ReportWords) -> Markup:
    """Return the charts of a section."""
    return _for_pages("".join(figures(section, words)))


def ranked_models(report: Report, words: ReportWords) -> Markup:
    """Return the chart of the first screen."""
    return _for_pages(ranked_chart(report, words))


def _for_pages(drawn: str) -> Markup:
    """Make colours attributes, as pages allow no styles within elements, and links those of pages."""
    return Markup(_CELL_LINK.sub('href="/cells/', _FILL.sub(r'fill="\1"', drawn)))  # noqa: S704 - escaped by its makers


def section_address(report: Report, section: str) -> str:
    """Return where a section is told, seen from the dashboard; nothing where no page shows it."""
    if section == "run_log":
        return "/runs"
    if report.section(section) is None:
        return ""
    return f"#{section}" if section in DASHBOARD else f"/judges#{section}" if section in JUDGES else ""


def cell_address(cell: ReportCell) -> str:
    """Return the address of a number's own page."""
    return f"/cells/{quote(cell.id)}"


def chosen_sections(report: Report | None, wanted: tuple[str, ...]) -> list[ReportSection]:
    """Return some sections of a report in the order that is asked for; none without a report."""
    if report is None:
        return []
    return [section for each in wanted if (section := report.section(each)) is not None]
