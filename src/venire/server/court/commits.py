"""Writes what the court decides: many changes in one commit, each only if nobody else was quicker.

A change is looked at twice. When its commit begins, the court's own counts must still allow it. And at the end of the
ledger, where nobody else can append any more, it must not rely on anything that entries touch which the court has not
seen yet. What fails either way is handed back, to be decided anew. So a rule such as one vote for each juror and item
holds among any number of servers on one ledger.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from venire.errors import LedgerError, ReadOnlyError
from venire.ledger.entry import Draft, Entry, Head
from venire.server.court.change import Change, Mark, marks_of
from venire.server.court.state import CourtState


class CommitResult(msgspec.Struct, frozen=True):
    """What a commit came to."""

    head: Head
    """The end of the ledger after it."""
    news: Sequence[Entry]
    """What others had appended since the court looked last."""
    entered: Sequence[Change]
    """The changes that were written."""

    @property
    def drafts(self) -> list[Draft]:
        """What was written, in order."""
        return [draft for change in self.entered for draft in change.drafts]


class _Waiter:
    """Somebody who waits for changes to be durable."""

    __slots__ = ("changes", "done")

    def __init__(self, changes: Sequence[Change]) -> None:
        self.changes = changes
        self.done: asyncio.Future[list[Head | None]] = asyncio.get_running_loop().create_future()


class CourtWriter:
    """The one who writes into the record. One event loop owns it; commits are made in a thread of its own."""

    def __init__(self, state: CourtState) -> None:
        self._state = state
        self._thread = ThreadPoolExecutor(1, "venire-court-writer")
        self._waiting: list[_Waiter] = []
        self._working: asyncio.Task[None] | None = None
        self._closed = False

    async def enter(self, changes: Sequence[Change]) -> list[Head | None]:
        """Write changes and return once they are durable and counted: for each the end of the ledger, or None.

        None stands for a change that somebody was quicker than: nothing of it was written, and it is to be decided
        anew. If a commit fails, everyone whose changes were in it gets the error. Cancelling the call stops the waiting
        only. Raises `ReadOnlyError` if the ledger is only looked at, and `LedgerError` if it cannot be written.
        """
        if self._state.options.read_only:
            raise ReadOnlyError(
                "the ledger is only looked at: nothing can be added to it here",
                hint="Another program writes to it; start the server without --read-only once that has ended.",
            )
        if self._closed:
            raise LedgerError("the server is stopping", hint="Ask again: another one may answer.")
        for draft in (draft for change in changes for draft in change.drafts):
            _ = draft.payload_bytes  # Encoded here: at the end of the ledger all other writers would wait for it.
        waiter = _Waiter(changes)
        self._waiting.append(waiter)
        if self._working is None:
            self._working = asyncio.create_task(self._work())
        return await waiter.done

    async def close(self) -> None:
        """Commit what is waiting, and write no more."""
        self._closed = True
        if self._working is not None:
            await self._working
        self._thread.shutdown()

    async def _work(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            try:
                heads = await self._commit([change for waiter in group for change in waiter.changes])
            except Exception as error:  # Whatever it is, those who wait must hear of it.
                for waiter in group:
                    if not waiter.done.done():
                        waiter.done.set_exception(error)
                continue
            for waiter in group:
                if not waiter.done.done():
                    waiter.done.set_result([heads.get(id(change)) for change in waiter.changes])
        self._working = None

    async def _commit(self, changes: Sequence[Change]) -> dict[int, Head]:
        standing = [change for change in changes if change.still_holds()]
        if not standing:
            return {}
        # Taken together with the look at what still holds: nothing may be seen by neither of the two.
        seen = self._state.head.sequence
        result = await asyncio.get_running_loop().run_in_executor(self._thread, self._write, seen, standing)
        self._state.take_in(result.news)
        self._state.take_in_own(result.drafts, result.head)
        return {id(change): result.head for change in result.entered}

    def _write(self, seen: int, changes: Sequence[Change]) -> CommitResult:
        result = CommitResult(Head(), (), ())

        def decide(news: Sequence[Entry]) -> list[Draft]:
            nonlocal result
            result = CommitResult(Head(), news, _undisputed(changes, marks_of(news)))
            return result.drafts

        head = self._state.ledger.append_after(seen, decide)
        return msgspec.structs.replace(result, head=head)


def _undisputed(changes: Sequence[Change], touched: set[Mark]) -> list[Change]:
    """Return the changes that rely on nothing that was touched, be it by an earlier one of them."""
    kept = []
    for change in changes:
        if touched.isdisjoint(change.claims):
            touched |= change.marks
            kept.append(change)
    return kept
