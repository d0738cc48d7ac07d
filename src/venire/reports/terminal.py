"""The report for a person at a terminal: sentences, tables, and small bars where a number has a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.reports.line_breaks import broken_for
from venire.reports.markup import show_controls
from venire.reports.report import Cell, Report, Row, Section, Table
from venire.reports.wording import Words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

_BAR = 10
_ANY_WIDTH = 10_000
_SHADES = " ▏▎▍▌▋▊▉█"
_LEFT_OUT = frozenset({"instruments", "votes_trail"})
"""Tables of long texts or very many rows, which the page and the files show."""


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
        sentence = broken_for(console.width, show_controls(words.sentence(note)))
        console.print(Text(sentence, style="yellow" if note.warning else ""))
    for table in section.tables:
        if table.id in _LEFT_OUT or not table.rows:
            continue
        tries = (
            _table(table, words),
            _table(table, words, narrow=True),
            _table(_without_counts(table), words, narrow=True),
        )
        fitting = [shown for shown in tries if _width(console, shown) <= console.width]
        if fitting:
            console.print(fitting[0])
        else:
            _print_stacked(console, table, words)


def _width(console: Console, shown: RichTable) -> int:
    return console.measure(shown, options=console.options.update(max_width=_ANY_WIDTH)).maximum


def _without_counts(table: Table) -> Table:
    """Leave out columns of counts, which a narrow terminal has no room for; the page and the files have them."""
    kept = [place for place in range(len(table.columns)) if any(row.cells[place].unit != "count" for row in table.rows)]
    rows = tuple(Row(row.names, tuple(row.cells[place] for place in kept)) for row in table.rows)
    return Table(table.id, table.heads, tuple(table.columns[place] for place in kept), rows)


def _table(table: Table, words: Words, *, narrow: bool = False) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(title=Text(words.table(table.id)), title_justify="left", box=None, pad_edge=False)
    for head in table.heads:
        shown.add_column(Text(_title(words.head(head), narrow=narrow)), no_wrap=True)
    for column in table.columns:
        shown.add_column(Text(_title(words.column(column), narrow=narrow)), justify="right", no_wrap=True)
    for row in table.rows:
        names = [
            Text(show_controls(words.row_name(head, name))) for head, name in zip(table.heads, row.names, strict=True)
        ]
        shown.add_row(*names, *(_cell(cell, table, words) for cell in row.cells))
    return shown


def _title(title: str, *, narrow: bool) -> str:
    shown = show_controls(title)
    return shown.replace(" ", "\n") if narrow else shown


def _print_stacked(console: Console, table: Table, words: Words) -> None:
    """Print a table that is wider than the terminal row by row, a cell on each line."""
    from rich.padding import Padding
    from rich.text import Text

    console.print(Text(words.table(table.id), style="italic"))
    for row in table.rows:
        named = zip(table.heads, row.names, strict=True)
        console.print(Text(" · ".join(show_controls(words.row_name(head, name)) for head, name in named), style="bold"))
        for column, cell in zip(table.columns, row.cells, strict=True):
            line = Text(words("stacked.name", name=show_controls(words.column(column))), style="dim")
            line.append(show_controls(words.value(cell)), style="not dim")
            if words.interval(cell):
                line.append(words("stacked.interval", interval=words.interval(cell)))
            console.print(Padding(line, (0, 0, 0, 2)))


def _cell(cell: Cell, table: Table, words: Words) -> Text:
    from rich.text import Text

    if cell.unit != "word" and cell.value is None:
        return Text(words("unknown"), style="dim")
    text = Text(show_controls(words.value(cell)))
    if words.interval(cell):
        text.append(f"\n{words.interval(cell)}", style="dim")
    if table.id == "leaderboard" and cell.id.endswith(".score") and cell.value is not None:
        text.append(f"\n{bar(cell.value / 10)}", style="cyan")
    return text
