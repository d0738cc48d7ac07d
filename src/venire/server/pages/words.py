"""The words of pages in one language: their own, and beside them those of reports."""

from __future__ import annotations

from collections.abc import Mapping

from venire.domain.rule import RULES
from venire.reports.report import Column, Note, ReportCell
from venire.reports.words import LANGUAGES, ReportWords


class PageWords:
    """All wording of pages in one language.

    >>> PageWords("en")("vote.progress", done=1, total=3)
    '1 of 3 done'
    """

    def __init__(self, language: str, names: Mapping[str, Mapping[str, str]] | None = None) -> None:
        self.language = language
        self.report = ReportWords(language, names or {})

    def __call__(self, key: str, **arguments: str | int | float) -> str:
        """Return a text with its arguments filled in."""
        return self.report(f"pages.{key}", **arguments)

    def choose(self, wordings: Mapping[str, str]) -> str:
        """Return the wording of a protocol in this language, or in any that it has."""
        return wordings.get(self.language) or next(iter(wordings.values()), "")

    def name(self, name: str) -> str:
        """Return what a name of the data is called for a reader."""
        return self.report.name(name)

    def rule(self, rule_id: str) -> str:
        """Return what a rule says; the id alone for one that the catalogue does not know."""
        rule = RULES.get(rule_id)
        return rule_id if rule is None else rule.says(self.language)

    def section(self, section_id: str) -> str:
        """Return the title of a report's section."""
        return self.report(f"section.{section_id}")

    def table(self, table_id: str) -> str:
        """Return the title of a report's table."""
        return self.report.table(table_id)

    def head(self, head: str) -> str:
        """Return the title of a column of names."""
        return self.report.head(head)

    def column(self, column: Column) -> str:
        """Return the title of a column of numbers."""
        return self.report.column(column)

    def row_name(self, head: str, name: str) -> str:
        """Return the name of a row."""
        return self.report.row_name(head, name)

    def value(self, cell: ReportCell) -> str:
        """Return what a cell shows."""
        return self.report.value(cell)

    def interval(self, cell: ReportCell) -> str:
        """Return the interval of a cell; empty without one."""
        return self.report.interval(cell)

    def reason(self, cell: ReportCell) -> str:
        """Return why a cell's number is not known."""
        return self.report.of(cell.reason)

    def sentence(self, note: Note) -> str:
        """Return the sentence of a note."""
        return self.report.sentence(note)

    @property
    def other_language(self) -> str:
        """The language that a visitor may change to."""
        return next(language for language in LANGUAGES if language != self.language)
