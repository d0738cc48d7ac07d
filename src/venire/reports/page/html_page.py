"""The report as one self-contained page: nothing is loaded from elsewhere; no script is needed to read its numbers."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.charts.heat_map import TALL
from venire.reports.page.environment import SHARED, page_environment
from venire.reports.page.figures import HEAT_MAPS, figures
from venire.reports.page.first_screen import FIRST_SCREEN, KNOWN_THERE, grouped, ranked_chart, section_link
from venire.reports.page.leads import leads
from venire.reports.page.markup import cell_anchor, cell_link, with_code
from venire.reports.page.outputs_section import outputs_script, outputs_section, script_digest
from venire.reports.report import ListedLines
from venire.reports.words import ReportWords

if TYPE_CHECKING:
    import jinja2

    from venire.reports.outputs.in_report import ReportOutputs
    from venire.reports.report import Report

LONG = 24
"""From how many characters on words may be broken anywhere, as digests have no blanks."""

WHOLE_TEXT = 400
"""From how many characters on a cell holds a whole text, which a narrow column would make as high as many screens."""

LONGEST_WORD = 18
"""How many characters the words of a row's name may have before they may be broken anywhere."""

LINKED = 40
"""How many judgements are linked from one number; `venire trace` walks to all."""

TRACE = "venire trace REPORT.json CELL"
"""How a number is followed on the command line."""


def html_page(report: Report, language: str, outputs: ReportOutputs | None = None) -> str:
    """Return the page in a language, with the outputs if they are given; the same report gives the same bytes."""
    return _template().render(
        report=report,
        lines=ListedLines(report.lines),
        words=ReportWords(language, report.names),
        outputs=outputs,
        outputs_section=outputs_section(report, outputs, language) if outputs else "",
    )


@cache
def _template() -> jinja2.Template:
    environment = page_environment()
    environment.filters |= {
        "figures": figures,
        "link": cell_link,
        "anchor": cell_anchor,
        "grouped": grouped,
        "leads": leads,
    }
    environment.filters |= {"with_code": with_code, "longest_word": longest_word}
    environment.filters |= {**FIRST_SCREEN, "ranked_chart": ranked_chart}
    style = "".join(files(SHARED).joinpath(name).read_text("utf-8") for name in ("style.css", "outputs.css"))
    environment.globals |= {"script": outputs_script(), "script_digest": Markup(script_digest())}  # noqa: S704 - ours
    environment.globals |= {**KNOWN_THERE, "section_link": section_link}
    environment.globals |= {
        "style": Markup(style),  # noqa: S704 - ours
        "long": LONG,
        "whole_text": WHOLE_TEXT,
        "longest": LONGEST_WORD,
        "linked": LINKED,
        "heat_maps": HEAT_MAPS,
        "tall": TALL,
        "trace": TRACE,
    }
    return environment.get_template("report.html")


def longest_word(text: str) -> int:
    """Return how many characters the longest word has; a line may be broken behind a blank or a hyphen.

    >>> longest_word("q1-conflict-implicit of alder")
    9
    """
    return max(map(len, re.split(r"(?<=[\s-])", text)), default=0)
