"""Many coroutines, one commit: what they append while a commit is under way goes into the next one together."""

from __future__ import annotations

import asyncio
from functools import partial
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING

from venire.errors import LedgerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

    from venire.ledger.entry import Draft, Head
    from venire.ledger.store import Ledger


GATHER_SECONDS = 0.004
"""How long a group waits for others before it is staged, where many come at once: large groups cost less."""
MANY = 16
"""How many calls in one group are many."""


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

    # Groups are staged in the thread of the loop and committed in another one: two threads that run Python at the same
    # time cost a quarter more CPU than one, but nobody should wait for the disk.

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._lock = Lock()
        self._waiting: list[_Waiter] = []
        self._is_busy = False
        self._patience = 0.0
        self._closing = False
        self._lost: Exception | None = None
        self._staged: SimpleQueue[tuple[list[_Waiter], Callable[[], Head]] | None] = SimpleQueue()
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
        with self._lock:
            self._closing = True
            self._staged.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _add(self, waiter: _Waiter) -> None:
        for draft in waiter.drafts:
            _ = draft.payload_bytes  # Encoded here, so that a bad payload fails its own caller and no one else's.
        with self._lock:
            if self._closing:
                raise LedgerError("the ledger's writer is closed: nothing can be appended any more")
            if self._lost is not None:
                raise self._lost
            self._waiting.append(waiter)
            if waiter.durable is not None and not self._is_busy:
                self._is_busy = True
                waiter.durable.get_loop().call_later(self._patience, self._stage)

    def _stage(self) -> None:
        """Make the next group ready in the thread of a loop, and hand it over."""
        with self._lock:
            if self._closing:
                return  # What is waiting is committed in closing.
            group, self._waiting = self._waiting, []
            self._patience = GATHER_SECONDS if len(group) >= MANY else 0.0
            try:
                commit = self._ledger.stage([draft for waiter in group for draft in waiter.drafts])
            except Exception as error:  # Whatever it is, the waiters must hear of it.
                failure = error
            else:
                self._staged.put((group, commit))
                return
        self._end(group, None, failure)

    def _commit_until_closed(self) -> None:
        while staged := self._staged.get():
            self._commit(*staged)
        with self._lock:
            group, self._waiting = self._waiting, []
        if group:
            self._commit(group, partial(self._ledger.append, [draft for waiter in group for draft in waiter.drafts]))

    def _commit(self, group: list[_Waiter], commit: Callable[[], Head]) -> None:
        try:
            head = commit()
        except Exception as error:  # Whatever it is, the waiters must hear of it.
            self._end(group, None, error)
        else:
            self._end(group, head, None)

    def _end(self, group: list[_Waiter], head: Head | None, error: Exception | None) -> None:
        """Tell those who wait for a group how it went, and have the next one staged."""
        with self._lock:
            if error is not None and any(waiter.durable is None for waiter in group):
                self._lost = error
            loops = {waiter.durable.get_loop(): None for waiter in self._waiting if waiter.durable is not None}
            self._is_busy = any(_call(loop, loop.call_later, self._patience, self._stage) for loop in loops)
        _tell(group, head, error)


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *args: object) -> bool:
    """Have a loop call a function, and tell whether it will; nobody waits in a loop that was closed."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError:
        return False
    return True


def _tell(group: list[_Waiter], head: Head | None, error: Exception | None) -> None:
    # One wake-up for each loop and not for each waiter: waking a loop is a system call.
    waiting = [waiter.durable for waiter in group if waiter.durable is not None]
    for loop in {future.get_loop() for future in waiting}:
        futures = [future for future in waiting if future.get_loop() is loop]
        _call(loop, _resolve, futures, head, error)


def _resolve(futures: list[asyncio.Future[Head]], head: Head | None, error: Exception | None) -> None:
    for future in futures:
        if future.done():
            continue
        if head is not None:
            future.set_result(head)
        elif error is not None:
            future.set_exception(error)
