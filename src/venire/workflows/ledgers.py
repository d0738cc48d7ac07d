"""Open a ledger for one piece of work, set one up in a database, and name it so that no password is shown."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from pathlib import Path

from venire.config import Settings
from venire.errors import LedgerBusyError, LedgerError, os_reason
from venire.ledger.location import file_of, open_ledger, set_up_ledger, shown_location
from venire.ledger.store import Ledger
from venire.runner.events import Event
from venire.runner.loop import OnEvent
from venire.runner.stop import StopSignal
from venire.words.said import say

__all__ = ["opened_ledger", "require_ledger", "run_ledger", "set_up_ledger", "shown_location"]

BUSY_SECONDS, LOOK_SECONDS = 600.0, 0.2
"""How long a run waits for another process that writes to its ledger, and how often it looks."""


@contextmanager
def opened_ledger(location: str, *, read_only: bool = False) -> Iterator[Ledger]:
    """Open the ledger at a location, and close it whatever happens; see `venire.ledger.location.open_ledger`."""
    with closing(open_ledger(location, read_only=read_only)) as ledger:
        yield ledger


def require_ledger(location: str) -> None:
    """Raise `LedgerError` if a path leads to no ledger: a misspelt one must not become a new, empty ledger."""
    if file_of(location):
        open_ledger(location, read_only=True).close()


@asynccontextmanager
async def run_ledger(settings: Settings, stop: StopSignal, on_event: OnEvent) -> AsyncIterator[Ledger]:
    """Open the ledger that a run writes to, and close it at the end.

    While another process writes to it, an event says so and it is waited for; raises `LedgerBusyError` if that takes
    too long, and `StoppedError` if a stop is asked for meanwhile.
    """
    waited = 0.0
    while True:
        try:
            ledger = await asyncio.to_thread(_open_run_ledger, settings)  # It may wait for others, or for a network.
            break
        except LedgerBusyError as error:
            if waited >= BUSY_SECONDS:
                raise
            if not waited:
                on_event(Event("waiting", reason=error.message))
        await stop.sleep(LOOK_SECONDS)
        waited += LOOK_SECONDS
    with closing(ledger):
        yield ledger


def _open_run_ledger(settings: Settings) -> Ledger:
    """Open the ledger that a run writes to, in a folder that is made for it; errors name the line that says where."""
    try:
        _make_folder(settings.ledger_path)
        return open_ledger(settings.ledger)
    except LedgerError as error:
        if ("ledger",) not in settings.source.lines:
            raise
        message = say("error.plan.ledger", ledger=error.where, problem=error.message)
        raise type(error)(message, where=settings.source.where(("ledger",)), hint=error.hint) from None


def _make_folder(ledger: Path | None) -> None:
    if ledger is None:
        return
    try:
        ledger.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise LedgerError(
            "error.plan.no_ledger_folder", where=str(ledger), folder=ledger.parent, reason=os_reason(error)
        ) from None
