"""Open whatever holds outputs to be looked at, and record marks on those of a ledger."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from venire.ledger.entry import Draft
from venire.reports.report import Choices
from venire.workflows.ledgers import opened_ledger
from venire.workflows.outputs.file_outputs import read_file_outputs
from venire.workflows.outputs.ledger_outputs import LedgerOutputs
from venire.workflows.outputs.source import OutputSource


@contextmanager
def opened_outputs(location: str, choices: Choices | None = None) -> Iterator[OutputSource]:
    """Open the outputs of a ledger, a table of scores, the results of a check or a report, for looking at them only."""
    found = read_file_outputs(Path(location), choices or Choices())
    if found is not None:
        yield found
        return
    with opened_ledger(location, read_only=True) as ledger:
        yield LedgerOutputs(ledger, location)


def mark_writer(location: str) -> Callable[[Draft], Awaitable[None]]:
    """Return what writes a mark into a ledger; it raises `LedgerError` while another program writes to it."""

    async def write(draft: Draft) -> None:
        await asyncio.to_thread(_append, location, draft)

    return write


def _append(location: str, draft: Draft) -> None:
    with opened_ledger(location) as ledger:
        ledger.append([draft])
