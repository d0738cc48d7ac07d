"""Writes what the court decides: many motions in one commit, each only if nobody else was quicker.

A motion is looked at twice. When its commit begins, the court's own counts must still allow it. And at the end of the
ledger, where nobody else can append any more, it must not rely on anything that entries touch which the court has not
seen yet. What fails either way is handed back, to be decided anew. So a rule such as one vote for each juror and item
holds among any number of servers on one ledger.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import msgspec

from venire.errors import LedgerError
from venire.ledger.entry import Draft, Entry, Head
from venire.server.court.change import Mark, Motion, marks_of
from venire.server.court.refusals import ReadOnlyError
from venire.server.court.state import Record


class Minutes(msgspec.Struct, frozen=True):
    """What a commit came to."""

    head: Head
    """The end of the ledger after it."""
    news: Sequence[Entry]
    """What others had appended since the court looked last."""
    entered: Sequence[Motion]
    """The motions that were written."""

    @property
    def drafts(self) -> list[Draft]:
        """What was written, in order."""
        return [draft for motion in self.entered for draft in motion.drafts]


class _Waiter:
    """Somebody who waits for motions to be durable."""

    __slots__ = ("done", "motions")

    def __init__(self, motions: Sequence[Motion]) -> None:
        self.motions = motions
        self.done: asyncio.Future[list[Head | None]] = asyncio.get_running_loop().create_future()


class Clerk:
    """The one who writes into the record. One event loop owns it; commits are made in a thread of its own."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self._thread = ThreadPoolExecutor(1, "venire-clerk")
        self._waiting: list[_Waiter] = []
        self._working: asyncio.Task[None] | None = None
        self._closed = False

    async def enter(self, motions: Sequence[Motion]) -> list[Head | None]:
        """Write motions and return once they are durable and counted: for each the end of the ledger, or None.

        None stands for a motion that somebody was quicker than: nothing of it was written, and it is to be decided
        anew. If a commit fails, everyone whose motions were in it gets the error. Cancelling the call stops the waiting
        only. Raises `ReadOnlyError` if the ledger is only looked at, and `LedgerError` if it cannot be written.
        """
        if self._record.options.read_only:
            raise ReadOnlyError(
                "the ledger is only looked at: nothing can be added to it here",
                hint="Another program writes to it; start the server without --read-only once that has ended.",
            )
        if self._closed:
            raise LedgerError("the server is stopping", hint="Ask again: another one may answer.")
        for draft in (draft for motion in motions for draft in motion.drafts):
            _ = draft.payload_bytes  # Encoded here: at the end of the ledger all other writers would wait for it.
        waiter = _Waiter(motions)
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
                heads = await self._commit([motion for waiter in group for motion in waiter.motions])
            except Exception as error:  # Whatever it is, those who wait must hear of it.
                for waiter in group:
                    if not waiter.done.done():
                        waiter.done.set_exception(error)
                continue
            for waiter in group:
                if not waiter.done.done():
                    waiter.done.set_result([heads.get(id(motion)) for motion in waiter.motions])
        self._working = None

    async def _commit(self, motions: Sequence[Motion]) -> dict[int, Head]:
        standing = [motion for motion in motions if motion.still_holds()]
        if not standing:
            return {}
        # Taken together with the look at what still holds: nothing may be seen by neither of the two.
        seen = self._record.head.sequence
        minutes = await asyncio.get_running_loop().run_in_executor(self._thread, self._write, seen, standing)
        self._record.take_in(minutes.news)
        self._record.take_in_own(minutes.drafts, minutes.head)
        return {id(motion): minutes.head for motion in minutes.entered}

    def _write(self, seen: int, motions: Sequence[Motion]) -> Minutes:
        minutes = Minutes(Head(), (), ())

        def decide(news: Sequence[Entry]) -> list[Draft]:
            nonlocal minutes
            minutes = Minutes(Head(), news, _undisputed(motions, marks_of(news)))
            return minutes.drafts

        head = self._record.ledger.append_after(seen, decide)
        return msgspec.structs.replace(minutes, head=head)


def _undisputed(motions: Sequence[Motion], touched: set[Mark]) -> list[Motion]:
    """Return the motions that rely on nothing that was touched, be it by an earlier one of them."""
    kept = []
    for motion in motions:
        if touched.isdisjoint(motion.claims):
            touched |= motion.marks
            kept.append(motion)
    return kept
