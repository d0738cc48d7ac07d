"""The report for a person at a terminal: sentences, tables, and small bars where a number has a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.report import Cell, Report, Section, Table
from venire.reports.wording import Words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_BAR = 10
_SHADES = " ▏▎▍▌▋▊▉█"
_LEFT_OUT = frozenset({"instruments"})
"""Tables of long texts, which the page and the files show."""


def print_report(console: Console, report: Report, language: str) -> None:
    """Print all sections of a report."""
    from rich.rule import Rule

    words = Words(language, report.names)
    for section in report.sections:
        console.print(Rule(words(f"section.{section.id}"), align="left", style="dim"))
        _print_section(console, section, words)


def bar(share: float, width: int = _BAR) -> str:
    """Draw a share of 0 to 1 as a bar of eighths.

    >>> bar(0.5, 4)
    '██  '
    """
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    whole, part = divmod(eighths, 8)
    return (_SHADES[8] * whole + (_SHADES[part] if part else "")).ljust(width)


def _print_section(console: Console, section: Section, words: Words) -> None:
    from rich.text import Text

    for note in section.notes:
        console.print(Text(words.sentence(note), style="yellow" if note.warning else ""))
    for table in section.tables:
        if table.id not in _LEFT_OUT:
            console.print(_table(table, words))


def _table(table: Table, words: Words) -> object:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(title=Text(words.table(table.id)), title_justify="left", box=None, pad_edge=False)
    for head in table.heads:
        shown.add_column(Text(words.head(head)), overflow="fold")
    for column in table.columns:
        shown.add_column(Text(words.column(column)), justify="left" if table.id == "run" else "right", overflow="fold")
    for row in table.rows:
        names = [Text(words.row_name(head, name)) for head, name in zip(table.heads, row.names, strict=True)]
        shown.add_row(*names, *(_cell(cell, table, words) for cell in row.cells))
    return shown


def _cell(cell: Cell, table: Table, words: Words) -> Text:
    from rich.text import Text

    if cell.unit != "word" and cell.value is None:
        return Text(words("unknown"), style="dim")
    text = Text(words.value(cell))
    if words.interval(cell):
        text.append(f"\n{words.interval(cell)}", style="dim")
    if table.id == "leaderboard" and cell.id.endswith(".score") and cell.value is not None:
        text.append(f"\n{bar(cell.value / 10)}", style="cyan")
    return text
