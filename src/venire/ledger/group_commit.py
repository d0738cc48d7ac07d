"""Many coroutines, one commit: what they append while a commit is under way goes into the next one together."""

from __future__ import annotations

import asyncio
from threading import Condition, Thread
from typing import TYPE_CHECKING

from venire.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

    from venire.ledger.entry import Draft, Head
    from venire.ledger.store import Ledger


class _Waiter:
    """A coroutine that waits for its drafts to be durable."""

    __slots__ = ("drafts", "durable", "loop")

    def __init__(self, drafts: Sequence[Draft], loop: asyncio.AbstractEventLoop) -> None:
        self.drafts = drafts
        self.loop = loop
        self.durable: asyncio.Future[Head] = loop.create_future()


class GroupCommit:
    """The one writer of a ledger in an asynchronous program; use it as `async with GroupCommit(ledger) as writer`.

    Entries keep the order of the calls. If a commit fails, everyone whose drafts were in it gets the error and none of
    these drafts is in the ledger. The ledger itself stays open when the writer is closed.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._changed = Condition()
        self._waiting: list[_Waiter] = []
        self._closing = False
        self._thread = Thread(target=self._commit_until_closed, name="venire-ledger-writer", daemon=True)
        self._thread.start()

    async def append(self, drafts: Sequence[Draft]) -> Head:
        """Append the drafts together and return the head after the commit, once it is durable.

        Cancelling the call stops the waiting only: the drafts may be in the ledger all the same.
        Raises `UsageError` for a payload that cannot be stored, and `LedgerError` if the commit fails.
        """
        for draft in drafts:
            _ = draft.payload_bytes  # Encoded here, so that a bad payload fails its own caller and no one else's.
        waiter = _Waiter(drafts, asyncio.get_running_loop())
        with self._changed:
            if self._closing:
                raise LedgerError("the ledger's writer is closed: nothing can be appended any more")
            self._waiting.append(waiter)
            if len(self._waiting) == 1:  # For those that follow it has been woken already.
                self._changed.notify()
        return await waiter.durable

    async def close(self) -> None:
        """Commit what is waiting, then stop the writer; closing twice does nothing."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    async def __aenter__(self) -> GroupCommit:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _commit_until_closed(self) -> None:
        while group := self._next_group():
            try:
                head = self._ledger.append([draft for waiter in group for draft in waiter.drafts])
            except Exception as error:  # Whatever it is, the waiters must hear of it.
                _tell(group, None, error)
            else:
                _tell(group, head, None)

    def _next_group(self) -> list[_Waiter]:
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closing)
            group, self._waiting = self._waiting, []
            return group


def _tell(group: list[_Waiter], head: Head | None, error: Exception | None) -> None:
    # One wake-up for each loop and not for each waiter: waking a loop is a system call.
    for loop in {waiter.loop for waiter in group}:
        futures = [waiter.durable for waiter in group if waiter.loop is loop]
        try:
            loop.call_soon_threadsafe(_resolve, futures, head, error)
        except RuntimeError:
            continue  # The loop was closed; nobody waits there any more.


def _resolve(futures: list[asyncio.Future[Head]], head: Head | None, error: Exception | None) -> None:
    for future in futures:
        if future.done():
            continue
        if head is not None:
            future.set_result(head)
        elif error is not None:
            future.set_exception(error)
