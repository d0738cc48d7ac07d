"""Live progress of a run: a table at a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from venire.cli.terminal.printing import echo, open_console

if TYPE_CHECKING:
    from venire.reports.words import ReportWords
    from venire.runner.events import Event

_SECONDS_BETWEEN_LINES = 5.0
_SECONDS_BETWEEN_DRAWINGS = 0.25


class Display(Protocol):
    """Whatever shows the progress of a run."""

    def update(self, event: Event, elapsed_seconds: float) -> None:
        """Take note of an event."""


class Silence:
    """Shows nothing."""

    def update(self, event: Event, elapsed_seconds: float) -> None:
        """Take no note."""


class Tally:
    """Counts of one judge as events tell them."""

    def __init__(self) -> None:
        self.tasks = 0  # How many are planned; 0 while that is not known.
        self.answered = self.valid = self.invalid = self.failed = self.asked = 0
        self.cost = 0.0

    def add(self, event: Event) -> None:
        """Count one event."""
        self.cost += event.cost
        self.asked += event.calls
        self.failed += event.event == "failed"
        self.answered += event.event == "answered"
        self.valid += event.status == "valid"
        self.invalid += event.status == "invalid"

    def cells(self, elapsed_seconds: float) -> dict[str, str]:
        """Return what is shown, by the name of its column in the wording."""
        done, elapsed = self.answered + self.failed, max(elapsed_seconds, 0.001)
        of = f"/{self.tasks}" if self.tasks else ""
        open_tasks = max(self.tasks - done, 0)
        left = f"{open_tasks * elapsed / done:.0f} s" if open_tasks and done else ""
        return {
            "judged": f"{self.answered}{of}",
            "valid": str(self.valid),
            "invalid": str(self.invalid),
            "failed": str(self.failed),
            "calls_per_second": f"{self.asked / elapsed:.1f}",
            "cost": f"{self.cost:.4g}",
            "left": left,
        }


class TargetTally(Tally):
    """Counts of one target as events tell them."""

    def __init__(self) -> None:
        super().__init__()
        self.empty = 0

    def add(self, event: Event) -> None:
        """Count one event."""
        super().add(event)
        self.empty += event.status == "empty"

    def cells(self, elapsed_seconds: float) -> dict[str, str]:
        """Return what is shown, by the name of its column in the wording."""
        cells = super().cells(elapsed_seconds)
        own = {"collected": cells.pop("judged"), "empty": str(self.empty)}
        return own | {name: cell for name, cell in cells.items() if name not in ("valid", "invalid")}


class Tallies(dict[str, Tally]):
    """Counts by name. What a run plans as it opens is all that there is, unless it goes in rounds."""

    def __init__(self, tallies: Mapping[str, Tally], *, in_rounds: bool = False) -> None:
        super().__init__(tallies)
        self._in_rounds = in_rounds

    def add(self, event: Event) -> None:
        """Count one event, or note how many tasks a run plans."""
        if event.event == "run_opened" and not self._in_rounds:
            for name, tasks in event.details["planned"].items():
                self[name].tasks = tasks
        elif event.judge:
            self[event.judge].add(event)


class PlainLines:
    """Prints a line for each judge every few seconds, for logs and pipes."""

    def __init__(self, words: ReportWords, tallies: Tallies) -> None:
        self._words = words
        self._tallies = tallies
        self._next_line = _SECONDS_BETWEEN_LINES

    def update(self, event: Event, elapsed_seconds: float) -> None:
        """Count, and print when it is time."""
        self._tallies.add(event)
        if elapsed_seconds < self._next_line:
            return
        self._next_line = elapsed_seconds + _SECONDS_BETWEEN_LINES
        for name, tally in self._tallies.items():
            echo(self._line(name, tally.cells(elapsed_seconds), elapsed_seconds), err=True)

    def _line(self, judge: str, cells: dict[str, str], elapsed_seconds: float) -> str:
        words = self._words
        parts = [words("run.line_part", cell=cell, name=words(f"run.{name}")) for name, cell in cells.items() if cell]
        joined = words("comma").join(parts)
        return words("run.line", elapsed=f"{elapsed_seconds:.0f}", judge=judge, parts=joined)


class LiveTable:
    """A table that is redrawn in place."""

    def __init__(self, draw: Callable[[Any], None], words: ReportWords, tallies: Tallies) -> None:
        self._draw = draw
        self._words = words
        self._tallies = tallies
        self._next_draw = 0.0

    def update(self, event: Event, elapsed_seconds: float) -> None:
        """Count, and redraw a few times in a second."""
        self._tallies.add(event)
        if elapsed_seconds >= self._next_draw or event.event == "run_closed":
            self._next_draw = elapsed_seconds + _SECONDS_BETWEEN_DRAWINGS
            self._draw(self._table(elapsed_seconds))

    def _table(self, elapsed_seconds: float) -> Any:
        from rich.table import Table
        from rich.text import Text

        table = Table(box=None)
        rows = {name: tally.cells(elapsed_seconds) for name, tally in self._tallies.items()}
        table.add_column(self._words("run.judge"))
        for column in next(iter(rows.values())):
            table.add_column(self._words(f"run.{column}"), justify="right", no_wrap=True)
        for name, cells in rows.items():
            table.add_row(Text(name), *cells.values())
        return table


@contextmanager
def progress_display(
    names: list[str], words: ReportWords, *, quiet: bool, in_rounds: bool = False, tally: type[Tally] = Tally
) -> Iterator[Display]:
    """Choose the display that fits: none, plain lines, or a live table; of rounds it is not known how many come."""
    if quiet:
        yield Silence()
        return
    tallies = Tallies({name: tally() for name in names}, in_rounds=in_rounds)
    if not sys.stderr.isatty():
        yield PlainLines(words, tallies)
        return
    from rich.live import Live

    with Live(console=open_console(stderr=True), transient=True, auto_refresh=False) as live:
        yield LiveTable(partial(live.update, refresh=True), words, tallies)
