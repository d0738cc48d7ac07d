"""The one sentence that a section begins with: what its tables show, before how they are to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from venire.reports.page.markup import join, tag
from venire.reports.sections.leaderboard import SIGNIFICANT
from venire.reports.sections.trust import TRUST_SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.reports.report import Report, ReportCell, ReportSection, Row, Table
    from venire.reports.words import ReportWords


def leads(section: ReportSection, report: Report | None, words: ReportWords) -> list[Markup]:
    """Return what a section shows in a sentence, and what its line in the list of trust says, with its light.

    A section without tables says in its notes why it has none; it begins with these. Without a report nothing is said
    of trust.
    """
    if not any(table.rows for table in section.tables):
        return []
    said = [Markup.escape(each) for each in _answers(section, words)]
    return said + [_light(row, words) for row in (_trust_rows(section, report) if report else ())]


def _trust_rows(section: ReportSection, report: Report) -> list[Row]:
    trust = report.table("trust")
    return [row for row in trust.rows if TRUST_SECTIONS.get(row.names[0]) == section.id] if trust else []


def _light(row: Row, words: ReportWords) -> Markup:
    """Repeat a line of the list of trust where it leads to."""
    state, says, figure = (words.value(cell) for cell in row.cells[:3])
    hidden = tag("span", state, words("colon"), class_="hidden")
    light = tag("span", hidden, class_=f"light {row.cells[0].word.replace('.', '-')}", title=state)
    number = Markup() if figure in ("", "–") else tag("span", figure, class_="soft")
    return join(light, " ", says, " ", number)


def _answers(section: ReportSection, words: ReportWords) -> Iterator[str]:
    for table in section.tables:
        if table.id in ("comparisons", "verdict_comparisons"):
            yield from _told_apart(table, words)
        elif table.id == "severity":
            yield from _severity(table, words)
        elif table.id == "dimension_means":
            yield from _weakest(table, words)
        elif table.id == "claims_target_model":
            yield from _unsupported(table, words)
    if section.id == "drift":
        yield from _largest_contrast(section, words)


def _told_apart(table: Table, words: ReportWords) -> Iterator[str]:
    """Say how many of the compared pairs of models differ by more than chance."""
    known = [cell.value for cell in table.column("p_adjusted") if cell.value is not None]
    told = sum(each < SIGNIFICANT for each in known)
    yield words("page.lead.told_apart", told=told, pairs=len(known)) if known else words("page.lead.untested")


def _severity(table: Table, words: ReportWords) -> Iterator[str]:
    """Name the most lenient and the most severe judge."""
    known = _known(table, "leniency")
    if len(known) > 1:
        (severe, least), (lenient, most) = known[0], known[-1]
        named = {"severe": severe, "least": words.value(least), "lenient": lenient, "most": words.value(most)}
        yield words("page.lead.severity", **named)


def _weakest(table: Table, words: ReportWords) -> Iterator[str]:
    """Name the lowest mean among models and dimensions, as a share of its scale."""
    found = [
        ((cell.value - cell.scale[0]) / (cell.scale[1] - cell.scale[0]), row.names[0], column, cell)
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        if cell.value is not None and cell.scale is not None
    ]
    if len(found) > 1:
        _, model, column, cell = min(found, key=lambda each: each[0])
        value = words.value(cell)
        yield words("page.lead.weakest", model=model or "–", dimension=words.column(column), value=value)


def _unsupported(table: Table, words: ReportWords) -> Iterator[str]:
    """Name the model with the fewest claims that the documents support."""
    known = _known(table, "supported")
    if known:
        yield words("page.lead.supported", model=known[0][0], share=words.value(known[0][1]))


def _largest_contrast(section: ReportSection, words: ReportWords) -> Iterator[str]:
    """Name the largest difference between two levels of a factor that is more than chance."""
    tables = [table for table in section.tables if table.id.startswith("contrasts_")]
    found = [
        (table, row, difference)
        for table in tables
        for row, difference, p in zip(table.rows, table.column("difference"), table.column("p_adjusted"), strict=True)
        if difference.value is not None and p.value is not None and p.value < SIGNIFICANT
    ]
    if not found:
        if tables:
            yield words("page.lead.no_contrast")
        return
    table, row, difference = max(found, key=lambda each: abs(each[2].value or 0.0))
    value = difference.value or 0.0
    lower, higher = row.names if value < 0 else row.names[::-1]
    factor = words.head(table.id.removeprefix("contrasts_"))
    yield words(
        "page.lead.contrast", lower=lower, higher=higher, factor=factor, points=words.number(abs(value), "score")
    )


def _known(table: Table, column: str) -> list[tuple[str, ReportCell]]:
    """Return the rows whose number in a column is known, the lowest first."""
    rows = zip((row.names[0] for row in table.rows), table.column(column), strict=True)
    return sorted(((name, cell) for name, cell in rows if cell.value is not None), key=lambda row: row[1].value or 0.0)
