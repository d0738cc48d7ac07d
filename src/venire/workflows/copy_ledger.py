"""Copy a ledger into another store, entry by entry as it is: sequences, times and hashes stay the same."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import msgspec

from venire.errors import LedgerError
from venire.ledger.entry import Entry, Head
from venire.ledger.store import Ledger

_BATCH_ENTRIES, _BATCH_BYTES = 2_000, 16_000_000


class EntrySource(Protocol):
    """What can be copied: a ledger, or its entries kept elsewhere."""

    def head(self) -> Head:
        """Return the end of the entries."""

    def read(self, after: int = 0) -> Iterator[Entry]:
        """Yield the entries behind the given sequence in order."""


class LedgerCopy(msgspec.Struct, frozen=True):
    """What copying a ledger did."""

    copied: int
    """How many entries were copied now; fewer than there are if an earlier copy was gone on with."""
    head: Head
    """The head that both ledgers have, down to its hash."""


def copy_ledger(
    source: EntrySource, target: Ledger, on_progress: Callable[[int, int], None] = lambda *_: None
) -> LedgerCopy:
    """Copy what the source holds now into a target that is empty or holds an earlier copy of the same ledger.

    Every link is checked on the way, and the heads are compared at the end. A copy that was interrupted goes on where
    it stopped. `on_progress` gets the number of the last entry copied and of the last entry to copy. Raises
    `LedgerError` if the target holds something else, and `TamperedError` if the source is damaged.
    """
    goal, start = source.head(), target.head()
    _check_is_beginning(start, source, goal)
    for batch in _batches(_up_to(goal, source.read(after=start.sequence))):
        on_progress(target.adopt(batch).sequence, goal.sequence)
    end = target.head()
    if end != goal:
        raise LedgerError(
            "error.export.copy_differs", entry=goal.sequence, digest=goal.hash, found=end.sequence, other=end.hash
        )
    return LedgerCopy(goal.sequence - start.sequence, goal)


def _check_is_beginning(start: Head, source: EntrySource, goal: Head) -> None:
    if start.sequence == 0:
        return
    if start.sequence > goal.sequence:
        raise LedgerError("error.export.target_longer", found=start.sequence, most=goal.sequence)
    same = next(source.read(after=start.sequence - 1), None)
    if same is None or same.hash != start.hash:
        raise LedgerError("error.export.target_differs", entry=start.sequence)


def _up_to(goal: Head, entries: Iterable[Entry]) -> Iterator[Entry]:
    for entry in entries:
        if entry.sequence > goal.sequence:
            return  # Appended since the copying began.
        yield entry


def _batches(entries: Iterable[Entry]) -> Iterator[list[Entry]]:
    batch: list[Entry] = []
    size = 0
    for entry in entries:
        batch.append(entry)
        size += len(entry.payload) + len(entry.blob)
        if len(batch) == _BATCH_ENTRIES or size >= _BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
