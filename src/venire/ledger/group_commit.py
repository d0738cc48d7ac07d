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
    """Drafts on their way, and the future of the coroutine that waits for them to be durable, if there is one."""

    __slots__ = ("drafts", "durable")

    def __init__(self, drafts: Sequence[Draft], durable: asyncio.Future[Head] | None) -> None:
        self.drafts = drafts
        self.durable = durable


class GroupCommit:
    """The one writer of a ledger in an asynchronous program; use it as `async with GroupCommit(ledger) as writer`.

    Entries keep the order of the calls. If a commit fails, everyone whose drafts were in it gets the error and none of
    these drafts is in the ledger. The ledger itself stays open when the writer is closed.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._changed = Condition()
        self._waiting: list[_Waiter] = []
        self._is_urgent = False
        self._is_busy = False
        self._closing = False
        self._lost: Exception | None = None
        self._thread = Thread(target=self._commit_until_closed, name="venire-ledger-writer", daemon=True)
        self._thread.start()

    async def append(self, drafts: Sequence[Draft]) -> Head:
        """Append the drafts together and return the head after the commit, once it is durable.

        Cancelling the call stops the waiting only: the drafts may be in the ledger all the same.
        Raises `UsageError` for a payload that cannot be stored, and `LedgerError` if the commit fails, or if one has
        failed that left drafts were in.
        """
        durable: asyncio.Future[Head] = asyncio.get_running_loop().create_future()
        self._add(_Waiter(drafts, durable))
        self._wake()
        return await durable

    def leave(self, drafts: Sequence[Draft]) -> None:
        """Let the drafts go into the next commit together, without waiting for it; `settle` and closing do.

        Raises `UsageError` for a payload that cannot be stored. If their commit fails, whoever comes next is told.
        """
        self._add(_Waiter(drafts, None))

    async def settle(self) -> None:
        """Wait until all that was appended or left so far is durable; raises `LedgerError` if some of it is lost."""
        if self._waiting or self._is_busy or self._lost:
            await self.append(())

    async def close(self) -> None:
        """Commit what is waiting, then stop the writer; closing twice does nothing.

        Raises the error of a commit that left drafts were in.
        """
        await self._finish()
        lost, self._lost = self._lost, None
        if lost is not None:
            raise lost

    async def __aenter__(self) -> GroupCommit:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await (self.close() if error is None else self._finish())  # The first error tells the most.

    async def _finish(self) -> None:
        with self._changed:
            self._closing = True
            self._changed.notify()
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _add(self, waiter: _Waiter) -> None:
        for draft in waiter.drafts:
            _ = draft.payload_bytes  # Encoded here, so that a bad payload fails its own caller and no one else's.
        with self._changed:
            if self._closing:
                raise LedgerError("the ledger's writer is closed: nothing can be appended any more")
            if self._lost is not None:
                raise self._lost
            self._waiting.append(waiter)

    def _wake(self) -> None:
        with self._changed:
            if self._waiting and not self._is_urgent:
                self._is_urgent = True
                self._changed.notify()

    def _commit_until_closed(self) -> None:
        while group := self._next_group():
            try:
                head = self._ledger.append([draft for waiter in group for draft in waiter.drafts])
            except Exception as error:  # Whatever it is, the waiters must hear of it.
                if any(waiter.durable is None for waiter in group):
                    self._lost = error
                _tell(group, None, error)
            else:
                _tell(group, head, None)

    def _next_group(self) -> list[_Waiter]:
        with self._changed:
            self._is_busy = False
            self._changed.wait_for(lambda: self._is_urgent or self._closing)
            group, self._waiting = self._waiting, []
            self._is_urgent, self._is_busy = False, True
            return group


def _tell(group: list[_Waiter], head: Head | None, error: Exception | None) -> None:
    # One wake-up for each loop and not for each waiter: waking a loop is a system call.
    waiting = [waiter.durable for waiter in group if waiter.durable is not None]
    for loop in {future.get_loop() for future in waiting}:
        futures = [future for future in waiting if future.get_loop() is loop]
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
