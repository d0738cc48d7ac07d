"""Live progress of a run: a table at a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

import click

if TYPE_CHECKING:
    from venire.config import Settings
    from venire.runner.events import Event

_SECONDS_BETWEEN_LINES = 5.0


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


class PlainLines:
    """Prints a line every few seconds, for logs and pipes."""

    def __init__(self, judges: list[str]) -> None:
        self._tallies = {name: Tally() for name in judges}
        self._next_line = _SECONDS_BETWEEN_LINES

    def update(self, event: Event, elapsed_seconds: float) -> None:
        """Count, and print a line when it is time."""
        if event.judge:
            self._tallies[event.judge].add(event)
        if elapsed_seconds >= self._next_line:
            self._next_line = elapsed_seconds + _SECONDS_BETWEEN_LINES
            parts = [
                f"{name} {tally.answered} judged, {tally.invalid} invalid, {tally.failed} failed"
                for name, tally in self._tallies.items()
            ]
            click.echo(f"{elapsed_seconds:.0f} s: {'; '.join(parts)}", err=True)


class LiveTable:
    """A table that is redrawn in place."""

    def __init__(self, live: Any, judges: list[str], tasks: int | None) -> None:
        self._live = live
        self._tallies = {name: Tally() for name in judges}
        self._tasks = tasks
        self._next_draw = 0.0

    def update(self, event: Event, elapsed_seconds: float) -> None:
        """Count, and redraw a few times in a second."""
        if event.judge:
            self._tallies[event.judge].add(event)
        if elapsed_seconds >= self._next_draw or event.event == "run_closed":
            self._next_draw = elapsed_seconds + 0.25
            self._live.update(self._draw(max(elapsed_seconds, 0.001)))

    def _draw(self, elapsed_seconds: float) -> Any:
        from rich.table import Table

        table = Table(box=None)
        for column in ("judge", "judged", "valid", "invalid", "failed", "calls/s", "cost", "left"):
            table.add_column(column, justify="left" if column == "judge" else "right")
        for name, tally in self._tallies.items():
            done = tally.answered + tally.failed
            rate = done / elapsed_seconds
            left = f"{(self._tasks - done) / rate:.0f} s" if self._tasks and rate and self._tasks > done else ""
            of = f"/{self._tasks}" if self._tasks else ""
            table.add_row(
                name,
                f"{tally.answered}{of}",
                str(tally.valid),
                str(tally.invalid),
                str(tally.failed),
                f"{tally.asked / elapsed_seconds:.1f}",
                f"{tally.cost:.4g}",
                left,
            )
        return table


@contextmanager
def progress_display(settings: Settings, *, quiet: bool) -> Iterator[Display]:
    """Choose the display that fits: none, plain lines, or a live table."""
    judges = [judge.name for judge in settings.judges]
    if quiet:
        yield Silence()
    elif not sys.stderr.isatty():
        yield PlainLines(judges)
    else:
        from rich.console import Console
        from rich.live import Live

        with Live(console=Console(stderr=True), transient=True, auto_refresh=False) as live:
            yield LiveTable(_Refreshing(live), judges, _count_tasks(settings))


class _Refreshing:
    def __init__(self, live: Any) -> None:
        self._live = live

    def update(self, drawing: Any) -> None:
        self._live.update(drawing, refresh=True)


def _count_tasks(settings: Settings) -> int:
    from venire.workflows.judge import hearing_of

    samples = sum(1 for _ in hearing_of(settings, lambda _: None).subjects())
    return round(samples * (1 + settings.config.runner.reask_share))
