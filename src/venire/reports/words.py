"""The words of reports and commands in one language: titles, sentences, reasons, and how numbers are written."""

from __future__ import annotations

from math import floor, log10
from typing import TYPE_CHECKING

from venire.domain.protocol import in_language
from venire.domain.rule import RULES
from venire.errors import UsageError
from venire.reports.report import Column, Note, ReportCell, Rows, Term
from venire.words import language as said
from venire.words.language import languages

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from venire.domain.flag import Finding
    from venire.domain.rule import Rule
    from venire.reports.judgement_line import JudgementLine

WORDED_HEADS = frozenset({"outcome", "fact", "measured", "bias", "latent", "voter_kind", "trust"})
"""Heads whose rows are named by us and not by the data."""

_LISTED = 6
_DIGEST = 64
_DIGITS = {"score": 2, "share": 1, "coefficient": 3, "difference": 2, "seconds": 2, "money": 4, "share_difference": 1}


class ReportWords(said.Words):
    """All wording of a report, or of what commands print, in one language."""

    def __init__(self, language: str, names: Mapping[str, Mapping[str, str]] | None = None) -> None:
        if language not in languages():
            raise UsageError("error.report.language", known=languages(), language=language)
        super().__init__(language)
        self._names = names or {}

    def sentence(self, note: Note) -> str:
        """Return the sentence of a note."""
        filled = {name: self._argument(value) for name, value in note.arguments.items()}
        return self(note.key, **filled)

    def paragraphs(self, notes: Sequence[Note]) -> list[tuple[str, bool]]:
        """Return what notes say, joined to paragraphs, and the warnings after them; each with whether it is one."""
        joined: list[list[str]] = [[]]
        for note in notes:
            if note.begins:
                joined.append([])
            if not note.warning:
                joined[-1].append(self.sentence(note))
        plain = [(self("sentence.between").join(sentences), False) for sentences in joined if sentences]
        return plain + [(self.sentence(note), True) for note in notes if note.warning]

    def _argument(self, value: str | int | float | Term | tuple[str | Term, ...]) -> str | int | float:
        if isinstance(value, tuple):
            return self("list").join(str(self._argument(each)) for each in value)
        if not isinstance(value, Term):
            return value
        if value.kind == "text":
            return self(value.key, **value.arguments)
        return self.head(value.key) if value.kind == "head" else self.name(value.key)

    def name(self, name: str) -> str:
        """Return what a name of the data, such as a dimension, is called for a reader."""
        own = self("name.overall") if name == "overall" else name
        known = self._names.get(name, {})
        return in_language(known, self.language) if len(known) == 1 else known.get(self.language, own)

    def table(self, table_id: str) -> str:
        """Return the title of a table."""
        if table_id.startswith("contrasts_"):
            return self("table.contrasts", factor=self.head(table_id.removeprefix("contrasts_")))
        if table_id in ("leaderboard_counted", "leaderboard_left_out"):
            return self(
                "table.leaderboard_otherwise", counted=self(f"recovered.{table_id.removeprefix('leaderboard_')}")
            )
        return self(f"table.{table_id}")

    def head(self, head: str) -> str:
        """Return the title of a column of names; a factor of the data is called as in the data."""
        return self(f"head.{head}") if f"head.{head}" in self else head

    def column(self, column: Column) -> str:
        """Return the title of a column."""
        return self.name(column.name) if column.name else self(f"column.{column.id}")

    def row_name(self, head: str, name: str) -> str:
        """Return the name of a row."""
        # A factor of the data may be called as one of our heads: its levels are then called as in the data.
        if head in WORDED_HEADS and code_of(head, name) in self:
            return self(code_of(head, name))
        if head == "factor":
            return self.head(name)
        return (self.name(name) if head in ("dimension", "probes") else name) or "–"

    def rule(self, rule: Rule) -> str:
        """Return what a rule of the catalogue says."""
        return rule.says(self.language)

    def finding(self, finding: Finding) -> str:
        """Say in one line which rule is broken, where, and what was expected and found."""
        values = {"rule": finding.rule, "expected": finding.expected, "found": finding.found}
        return self("check.finding", place=finding.pointer or "/", **values)

    def counts(self, counts: Mapping[str, int]) -> str:
        """Write what a number rests on, such as `units 40, raters 3`."""
        named = {name: self(code) if (code := code_of("n", name)) in self else name for name in counts}
        return self("comma").join(f"{named[name]} {count}" for name, count in counts.items())

    def rows(self, rows: Rows) -> str:
        """Say which rows are behind a number."""
        if rows.sequences is not None:
            return self("rows.entries", count=len(rows.sequences))
        conditions = [f"{self.head(name)} = {_listed(values)}" for name, values in rows.where.items()]
        if rows.dimension:
            conditions.append(self.name(rows.dimension))
        return self("semicolon").join([self(f"rows.{rows.among}"), *conditions])

    def result(self, line: JudgementLine) -> str:
        """Say what a judgement came to: overall score, verdict, scores and status."""
        overall = f"{line.overall:g}" if line.overall is not None else self("unknown")
        scores = self("list").join(f"{self.name(name)} {score:g}" for name, score in line.scores.items())
        status = self(f"check.status.{line.status}") if line.status else ""
        return " · ".join(filter(None, (overall, line.verdict, scores, status)))

    def value(self, cell: ReportCell) -> str:
        """Return what a cell shows: its number or word, without the interval."""
        if cell.unit == "word":
            return self.of(cell.text) or (self(_word_code(cell.word)) if cell.word else self("unknown"))
        return self("unknown") if cell.value is None else self.number(cell.value, cell.unit)

    def band(self, cell: ReportCell) -> str:
        """Return the word for the size of a coefficient, such as "high agreement"; empty if it has none."""
        return self(cell.word) if cell.unit != "word" and cell.word and cell.value is not None else ""

    def interval(self, cell: ReportCell) -> str:
        """Return the interval of a cell; empty without one."""
        if cell.low is None or cell.high is None:
            return ""
        return self("number.interval", low=self.number(cell.low, cell.unit), high=self.number(cell.high, cell.unit))

    def with_interval(self, cell: ReportCell) -> str:
        """Return what a cell shows, and its interval behind it if it has one."""
        shown, interval = self.value(cell), self.interval(cell)
        return self("number.with_interval", value=shown, interval=interval) if interval else shown

    def number(self, value: float, unit: str) -> str:
        """Write a number with the signs of this language."""
        percent = "number.points" if unit == "share_difference" else "number.percent"
        return number_text(value, unit).replace(" %", self(percent)).replace("\u202f", self("number.thousands"))


def code_of(area: str, name: str) -> str:
    """Return the code of a name that records carry, such as `asked again`."""
    return f"{area}.{name.replace(' ', '_').replace('-', '_')}"


def _word_code(word: str) -> str:
    return word if "." in word else f"answer.{word}"


def _listed(values: tuple[str, ...]) -> str:
    shown = " | ".join(value if len(value) < _DIGEST else f"{value[:12]}…" for value in values[:_LISTED])
    return f"{shown} … ({len(values)})" if len(values) > _LISTED else shown


def e_text(e_value: float) -> str:
    """Write an e-value as short as it may be.

    >>> e_text(0.0012), e_text(0.123), e_text(24.96), e_text(412.3), e_text(1.5e9)
    ('0.0012', '0.12', '25', '412', '1.5e+09')
    >>> e_text(0.1), e_text(10.0), e_text(1e6)
    ('0.10', '10', '1e+06')
    """
    if e_value < 0.1:
        return f"{e_value:.2g}"
    return f"{e_value:.2f}" if e_value < 10 else f"{e_value:.0f}" if e_value < 1e6 else f"{e_value:.2g}"


def number_text(value: float, unit: str) -> str:
    """Write a number as readers see it, the same in the terminal and on the page.

    >>> number_text(0.1234, "share"), number_text(-1.5, "difference"), number_text(0.0004, "p")
    ('12.3 %', '−1.50', '< 0.001')
    >>> number_text(1.5, "money"), number_text(0.00002, "money"), number_text(0, "money")
    ('1.5000', '0.00002', '0')
    """
    if unit == "count":
        return f"{value:,.0f}".replace(",", "\u202f")
    if unit == "p":
        return "< 0.001" if value < 0.001 else f"{value:.3f}"
    if unit == "money" and abs(value) < 0.001:
        return money_text(value)
    digits = _DIGITS[unit]
    text = f"{value * 100:.{digits}f} %" if unit in ("share", "share_difference") else f"{value:.{digits}f}"
    if unit in ("difference", "share_difference") and value > 0:
        text = f"+{text}"
    # What rounds to nothing has no sign.
    shown = text if any(digit in text for digit in "123456789") else text.lstrip("+-")
    return shown.replace("-", "−")


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


def rule_text(rule_id: str, language: str) -> str:
    """Return what a rule says; the id alone for one that the catalogue does not know."""
    rule = RULES.get(rule_id)
    return rule_id if rule is None else rule.says(language)
