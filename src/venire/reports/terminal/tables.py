"""Tables for a person at a terminal: the widest form that fits, with small bars where a number has a scale."""

from __future__ import annotations

from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from venire.domain.hidden import show_controls
from venire.reports.cells import NOTHING
from venire.reports.report import ReportCell, Row, Table
from venire.reports.terminal.line_breaks import broken_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

    from venire.reports.words import ReportWords

_BAR = 10
_BETWEEN_COLUMNS = 2
_SHADES = " ▏▎▍▌▋▊▉█"
_GRIDS = frozenset({"drift_models", "pairs"})
"""Tables of each with each, of which the short form shows the numbers alone."""


class _Form(NamedTuple):
    """A form of a table."""

    shown: RichTable
    """What can be printed."""
    width: int
    """How much room it takes; Rich would take longer to measure it than to print it."""


def bar(share: float, width: int = _BAR) -> str:
    """Draw a share of 0 to 1 as a bar of eighths.

    >>> bar(0.5, 4)
    '██  '
    """
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    whole, part = divmod(eighths, 8)
    return (_SHADES[8] * whole + (_SHADES[part] if part else "")).ljust(width)


def print_notes(console: Console, table: Table, words: ReportWords) -> None:
    """Say below a table what to keep in mind about its intervals, such as which are rough, each thing once."""
    from rich.text import Text

    for note in dict.fromkeys(cell.note for row in table.rows for cell in row.cells if cell.note):
        columns = dict.fromkeys(
            words.column(column)
            for row in table.rows
            for column, cell in zip(table.columns, row.cells, strict=True)
            if cell.note == note
        )
        said = words("terminal.note", columns=words("list").join(columns), note=words.of(note))
        console.print(Text(broken_for(console.width, show_controls(said)), style="dim"))


def print_table(console: Console, table: Table, words: ReportWords, *, full: bool) -> Table:
    """Print a table in the widest form that fits, or row by row if none does; return what of it was printed."""
    if not full and table.id in _GRIDS:
        tries = _grid_tries(table, words)
    else:
        tries = _full_tries(table, words) if full else _brief_tries(table, words)
    fitting = next((made for made in tries if made[1].width <= console.width), None)
    if fitting is None:
        _print_stacked(console, table, words)
        return table
    console.print(fitting[1].shown)
    return fitting[0]


def _full_tries(table: Table, words: ReportWords) -> Iterator[tuple[Table, _Form]]:
    """Yield ever narrower forms of a table; in the last ones its counts are left out."""
    yield table, _table(table, words, on_one_line=True)
    for each in (table, _without_counts(table)):
        yield each, _table(each, words)
        yield each, _table(each, words, narrow=True)


def _brief_tries(table: Table, words: ReportWords) -> Iterator[tuple[Table, _Form]]:
    """Yield ever narrower forms of a table, a row a line; the last columns, which say the least, go first."""
    fewer = (table.only_columns(range(count)) for count in range(len(table.columns) - 1, 0, -1))
    for each in (table, _without_counts(table)):
        yield each, _table(each, words, on_one_line=True)
        yield each, _table(each, words, narrow=True, on_one_line=True)
    for each in fewer:
        yield each, _table(each, words, narrow=True, on_one_line=True)


def _grid_tries(table: Table, words: ReportWords) -> Iterator[tuple[Table, _Form]]:
    """Yield ever narrower forms of a table of each with each, by its numbers alone: those on a scale with a bar."""
    bare = [Row(row.names, tuple(_bare(cell) for cell in row.cells)) for row in table.rows]
    grid = Table(table.id, table.heads, table.columns, tuple(bare))
    for count in range(len(table.columns), 0, -1):
        each = grid.only_columns(range(count))
        yield each, _table(each, words, on_one_line=True)
        yield each, _table(each, words, narrow=True, on_one_line=True)


def _bare(cell: ReportCell) -> ReportCell:
    return replace(cell, low=None, high=None, note="", word=cell.word if cell.unit == "word" else "")


def _width(text: str) -> int:
    """Return how much room the longest line of a text takes."""
    from rich.cells import cell_len

    return max(map(cell_len, text.splitlines()), default=0)


def _without_counts(table: Table) -> Table:
    """Leave out columns of counts, which a narrow terminal has no room for; the page and the files have them."""
    kept = [place for place in _places(table) if any(row.cells[place].unit != "count" for row in table.rows)]
    return table.only_columns(kept or _places(table))


def _table(table: Table, words: ReportWords, *, narrow: bool = False, on_one_line: bool = False) -> _Form:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(title=Text(words.table(table.id)), title_justify="left", box=None, pad_edge=False)
    between = " " if on_one_line else "\n"
    columns = [_column([row.cells[place] for row in table.rows], table, words, between) for place in _places(table)]
    rows = [
        [
            *(Text(show_controls(words.row_name(*named))) for named in zip(table.heads, row.names, strict=True)),
            *(column[number] for column in columns),
        ]
        for number, row in enumerate(table.rows)
    ]
    titles = [*map(words.head, table.heads), *map(words.column, table.columns)]
    width = -_BETWEEN_COLUMNS
    for place, title in enumerate(map(show_controls, titles)):
        below = max((_width(row[place].plain) for row in rows), default=1)
        head = _broken(title, below) if narrow else title
        width += _BETWEEN_COLUMNS + max(below, _width(head))
        shown.add_column(Text(head), justify="left" if place < len(table.heads) else "right", no_wrap=True)
    for cells in rows:
        shown.add_row(*cells)
    return _Form(shown, width)


def _broken(title: str, width: int) -> str:
    r"""Break a title at its blanks so that it takes no more room than what stands below it.

    >>> _broken("win rate of first place", 10)
    'win rate\nof first\nplace'
    """
    return "\n".join(wrap(title, width, break_long_words=False, break_on_hyphens=False))


def _places(table: Table) -> range:
    return range(len(table.columns))


def _column(cells: list[ReportCell], table: Table, words: ReportWords, between: str) -> list[Text]:
    """Write the cells of a column; bars, where there are some, begin below one another."""
    from rich.text import Text

    texts = [_cell(cell, words, between) for cell in cells]
    bars = [_bar_of(cell, table, words) for cell in cells]
    if not any(bars):
        return texts
    if between == "\n":
        return [
            Text.assemble(text, "\n", (drawn, "cyan")) if drawn else text
            for drawn, text in zip(bars, texts, strict=True)
        ]
    widest = max(text.cell_len for text in texts)
    room = max(map(len, bars))
    return [
        Text.assemble((drawn.ljust(room), "cyan"), " " * (1 + widest - text.cell_len), text)
        for drawn, text in zip(bars, texts, strict=True)
    ]


def _bar_of(cell: ReportCell, table: Table, words: ReportWords) -> str:
    """Draw a number that has a scale as a bar, in the tables that have them."""
    if cell.value is None:
        return ""
    if table.id == "leaderboard" and cell.id.endswith(".score"):
        return bar(cell.value / 10)
    if table.id == "drift_models" and cell.scale and not words.interval(cell):
        low, high = cell.scale
        return bar((cell.value - low) / (high - low), 4)
    return ""


def _print_stacked(console: Console, table: Table, words: ReportWords) -> None:
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
            if words.band(cell):
                line.append(words("stacked.band", band=words.band(cell)))
            console.print(Padding(line, (0, 0, 0, 2)))


def print_sides(console: Console, table: Table, words: ReportWords) -> None:
    """Print claims row by row: what was found, and below it the two texts beside one another."""
    from rich.padding import Padding
    from rich.table import Table as RichTable
    from rich.text import Text

    console.print(Text(words.table(table.id), style="italic"))
    for row in table.rows:
        cells = {
            column.id: show_controls(words.value(each)) for column, each in zip(table.columns, row.cells, strict=True)
        }
        names = " · ".join(show_controls(name) for name in row.names)
        console.print(Text.assemble((cells["finding"], "bold"), f"  {names}"))
        sides = RichTable.grid(expand=True, padding=(0, 2))
        sides.add_column(ratio=1)
        sides.add_column(ratio=1)
        passage = Text.assemble((words("stacked.name", name=cells["document"]), "dim"), cells["passage"])
        has_passage = cells["passage"] != NOTHING
        sides.add_row(Text(cells["claim"]), passage if has_passage else Text(NOTHING, style="dim"))
        console.print(Padding(sides, (0, 0, 0, 2)))
        if cells.get("differs", NOTHING) != NOTHING:
            console.print(Padding(Text(cells["differs"], style="dim"), (0, 0, 0, 2)))


def _cell(cell: ReportCell, words: ReportWords, between: str) -> Text:
    """Write a number, and beside or below it the word for its size and its interval."""
    from rich.text import Text

    if cell.unit != "word" and cell.value is None:
        return Text(words("unknown"), style="dim")
    text = Text(show_controls(words.value(cell)))
    interval = words.interval(cell)
    if interval and between == " ":
        interval = words("stacked.interval", interval=interval).strip()
    for further in (words.band(cell), interval):
        if further:
            text.append(f"{between}{further}", style="dim")
    return text
