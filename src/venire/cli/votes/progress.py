"""Progress of a long import: a bar at a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from venire.cli.terminal.printing import open_console


@contextmanager
def vote_progress(total: int, *, quiet: bool) -> Iterator[Callable[[int], None]]:
    """Give a function that is told how many votes are done."""
    if quiet or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("votes"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=open_console(stderr=True), transient=True) as progress:
        task = progress.add_task("votes", total=total)
        yield lambda done: progress.update(task, completed=done)
