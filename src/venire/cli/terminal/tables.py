"""Tables of numbers by judge that fit a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from venire.reports.words import ReportWords


def column_table(
    title: str,
    judges: Sequence[str],
    columns: Mapping[str, Sequence[str | int]],
    words: ReportWords,
    *,
    rows: str = "judge",
) -> Table:
    """Make a table with a row for each judge, or target.

    Columns, named as in the wording, in which all is zero are left out.
    """
    from rich.table import Table
    from rich.text import Text

    shown = {name: list(map(str, cells)) for name, cells in columns.items()}
    shown = {name: cells for name, cells in shown.items() if any(cell.lstrip("~≤") != "0" for cell in cells)}
    table = Table(box=None, title=title, title_justify="left", padding=(0, 1, 0, 0), pad_edge=False)
    head = Text(words(f"run.{rows}"))
    table.add_column(head, overflow="fold", min_width=head.cell_len)
    for name in shown:
        table.add_column(words(f"run.{name}"), justify="right", no_wrap=True)
    for position, judge in enumerate(judges):
        table.add_row(Text(judge), *(cells[position] for cells in shown.values()))
    return table
