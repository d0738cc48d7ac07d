"""Many coroutines, one commit: what they append while a commit is under way goes into the next one together."""

from __future__ import annotations

import asyncio
import time
from queue import SimpleQueue
from threading import Lock, Thread
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from venire.errors import LedgerBusyError, LedgerError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Self

    from venire.ledger.entry import Draft, Head
    from venire.ledger.store import Ledger

Change = TypeVar("Change")
Result = TypeVar("Result")

GATHER_SECONDS = 0.004
"""How long a group waits for others before it is staged, where many come at once: large groups cost less."""
MANY = 4
"""How many calls in one group are many: while a judge is asked one question after another, there are two."""
BUSY_SECONDS, LOOK_SECONDS = 600.0, 0.2
"""How long a group waits for another process that keeps the ledger from being written to, and how often it looks."""
AT_ONCE = 64
"""How many who waited for a commit go on in one turn of their loop: the same steps one after another cost less."""


class _Waiter(Generic[Change, Result]):
    """Changes on their way, and the future of the coroutine that waits for them to be durable, if there is one."""

    __slots__ = ("changes", "durable")

    def __init__(self, changes: Sequence[Change], durable: asyncio.Future[Result] | None) -> None:
        self.changes = changes
        self.durable = durable


class GroupWriter(Generic[Change, Result]):
    """One writer for many coroutines: gathers what comes while a commit is under way into the next one.

    `stage` makes a group ready in the thread of the loop and returns what commits it, which is called in a thread of
    the writer's own. `finish` is told what a commit came to, in the thread of the loop, before anyone who waits for it
    goes on and before the next group is staged. If any of the three raises, everyone in the group gets the error; but
    while `stage` says that another process keeps the store busy, the group waits, and `on_wait` is told once.
    """

    # Groups are staged in the thread of the loop and committed in another one: two threads that run Python at the same
    # time cost a quarter more CPU than one, but nobody should wait for the disk.

    def __init__(
        self,
        stage: Callable[[Sequence[Change]], Callable[[], Result]],
        *,
        finish: Callable[[Result], None] = lambda _: None,
        on_wait: Callable[[LedgerBusyError], None] = lambda _: None,
        gather_seconds: float = GATHER_SECONDS,
    ) -> None:
        self._make_ready = stage
        self._finish = finish
        self._on_wait = on_wait
        self._busy_since: float | None = None
        self._is_wait_told = False
        self._gather_seconds = gather_seconds
        self._lock = Lock()
        self._waiting: list[_Waiter[Change, Result]] = []
        self._is_busy = False
        self._patience = 0.0
        self._closing = False
        self._lost: Exception | None = None
        self._staged: SimpleQueue[tuple[list[_Waiter[Change, Result]], Callable[[], Result]] | None] = SimpleQueue()
        self._thread = Thread(target=self._commit_until_closed, name="venire-ledger-writer", daemon=True)
        self._thread.start()

    async def append(self, changes: Sequence[Change]) -> Result:
        """Commit the changes together and return what the commit came to, once it is durable.

        Cancelling the call stops the waiting only: the changes may be committed all the same. Raises what staging or
        committing raises, and the error of a commit that left changes were in.
        """
        durable: asyncio.Future[Result] = asyncio.get_running_loop().create_future()
        self._add(_Waiter(changes, durable))
        return await durable

    def leave(self, changes: Sequence[Change]) -> None:
        """Let the changes go into the next commit together, without waiting for it; `settle` and closing do.

        If their commit fails, whoever comes next is told.
        """
        self._add(_Waiter(changes, None))

    async def settle(self) -> None:
        """Wait until all that was appended or left so far is durable; raises an error if some of it is lost."""
        if self._waiting or self._is_busy or self._lost:
            await self.append(())

    async def close(self) -> None:
        """Commit what is waiting, staged in the writer's thread, then stop the writer; closing twice does nothing.

        Raises the error of a commit that left changes were in.
        """
        await self._stop()
        lost, self._lost = self._lost, None
        if lost is not None:
            raise lost

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await (self.close() if error is None else self._stop())  # The first error tells the most.

    async def _stop(self) -> None:
        with self._lock:
            self._closing = True
            self._staged.put(None)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _add(self, waiter: _Waiter[Change, Result]) -> None:
        with self._lock:
            if self._closing:
                raise LedgerError("error.ledger.writer_closed")
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
            self._patience = self._gather_seconds if len(group) >= MANY else 0.0
            try:
                commit = self._make_ready(_changes_of(group))
            except Exception as error:  # Whatever it is, the waiters must hear of it.
                if isinstance(error, LedgerBusyError) and self._may_wait(error):
                    self._waiting = group + self._waiting
                    return
                failure = error
            else:
                self._busy_since, self._is_wait_told = None, False
                self._staged.put((group, commit))
                return
        self._end(group, None, failure)

    def _may_wait(self, error: LedgerBusyError) -> bool:
        """Look again in a while, and say so once; False if it was waited for long enough."""
        loop = asyncio.get_running_loop()
        if self._busy_since is None:
            self._busy_since = loop.time()
        elif not self._is_wait_told:  # Others may write for a moment, which is not worth a word.
            self._is_wait_told = True
            loop.call_soon(self._on_wait, error)
        if loop.time() - self._busy_since >= BUSY_SECONDS:
            return False
        loop.call_later(LOOK_SECONDS, self._stage)
        return True

    def _commit_until_closed(self) -> None:
        while staged := self._staged.get():
            self._commit(*staged)
            del staged  # While the next group is waited for, nothing is kept of this one.
        with self._lock:
            group, self._waiting = self._waiting, []
        if group:
            self._commit(group, lambda: self._stage_patiently(_changes_of(group))())  # noqa: PLW0108 - staging may raise

    def _stage_patiently(self, changes: list[Change]) -> Callable[[], Result]:
        """Make the last group ready in the writer's own thread, where another process can simply be waited for."""
        until = time.monotonic() + BUSY_SECONDS
        while True:
            try:
                return self._make_ready(changes)
            except LedgerBusyError:
                if time.monotonic() >= until:
                    raise
            time.sleep(LOOK_SECONDS)

    def _commit(self, group: list[_Waiter[Change, Result]], commit: Callable[[], Result]) -> None:
        try:
            result = commit()
        except Exception as error:  # Whatever it is, the waiters must hear of it.
            self._end(group, None, error)
        else:
            self._end(group, result, None)

    def _end(self, group: list[_Waiter[Change, Result]], result: Result | None, error: Exception | None) -> None:
        """Tell those who wait for a group how it went, and have the next one staged."""
        if error is not None and any(waiter.durable is None for waiter in group):
            self._lost = error
        # One wake-up for each loop and not for each waiter: waking a loop is a system call.
        waiting = [waiter.durable for waiter in group if waiter.durable is not None]
        goes_on = False
        for loop in {future.get_loop(): None for future in waiting}:
            futures = [future for future in waiting if future.get_loop() is loop]
            goes_on |= _call(loop, self._tell, group, futures, result, error, not goes_on)
        if not goes_on:
            self._go_on()

    def _tell(
        self,
        group: list[_Waiter[Change, Result]],  # noqa: ARG002 - what it holds is let go here, where it was made
        futures: list[asyncio.Future[Result]],
        result: Any,
        error: Exception | None,
        is_first: bool,
    ) -> None:
        if is_first and error is None:
            try:
                self._finish(result)
            except Exception as raised:  # Whatever it is, the waiters must hear of it.
                error = raised
        _wake(futures, result, error)
        if is_first:
            self._go_on()

    def _go_on(self) -> None:
        """Have the next group staged in the loop of somebody who waits for it."""
        with self._lock:
            loops = {waiter.durable.get_loop(): None for waiter in self._waiting if waiter.durable is not None}
            self._is_busy = any(_call(loop, loop.call_later, self._patience, self._stage) for loop in loops)


def _wake(futures: list[asyncio.Future[Any]], result: Any, error: Exception | None) -> None:
    """Tell those who wait how it went, a few in each turn of their loop: what comes in meanwhile has its turn too."""
    for future in futures[:AT_ONCE]:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)
    if later := futures[AT_ONCE:]:
        asyncio.get_running_loop().call_soon(_wake, later, result, error)


def _changes_of(group: list[_Waiter[Change, Result]]) -> list[Change]:
    return [change for waiter in group for change in waiter.changes]


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., object], *args: object) -> bool:
    """Have a loop call a function, and tell whether it will; nobody waits in a loop that was closed."""
    try:
        loop.call_soon_threadsafe(function, *args)
    except RuntimeError:
        return False
    return True


class GroupCommit(GroupWriter["Draft", "Head"]):
    """The one writer of a ledger in an asynchronous program; use it as `async with GroupCommit(ledger) as writer`.

    Entries keep the order of the calls; `append` returns the head after the commit. If a commit fails, none of its
    drafts is in the ledger. The ledger itself stays open when the writer is closed. Beside what the ledger raises,
    `UsageError` is raised for a payload that cannot be stored.
    """

    def __init__(self, ledger: Ledger, on_wait: Callable[[LedgerBusyError], None] = lambda _: None) -> None:
        super().__init__(ledger.stage, on_wait=on_wait)

    def _add(self, waiter: _Waiter[Draft, Head]) -> None:
        for draft in waiter.changes:
            _ = draft.payload_bytes  # Encoded here, so that a bad payload fails its own caller and no one else's.
        super()._add(waiter)
