"""Tasks by the batch: claimed, so that no other run pays for them too, and looked up, so that nobody pays twice."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator
from itertools import islice
from typing import Any

import msgspec

from venire.ledger.entry import Entry, Kind
from venire.ledger.store import Claims

Work = Iterator[tuple[Any, Any]]
"""Tasks with what they are about, read as they are needed: samples for judges, planned outputs for targets."""

Recorded = dict[tuple[Kind, str], Entry]
"""What the ledger holds already, by kind and key."""


class ClaimedTask(msgspec.Struct, frozen=True, gc=False):
    """A task that this run may ask, or one that another run is asking."""

    task: Any
    """The task."""
    subject: Any
    """What it is about."""
    held_by: str = ""
    """Who else is asking it; empty if nobody is."""
    recorded: Recorded = {}
    """What the ledger holds of its batch."""


class ClaimedWork:
    """Reads the work of a judge by the batch. A ledger that is not near is asked in another thread."""

    def __init__(
        self,
        work: Work,
        size: int,
        claims: Claims,
        look_up: Callable[[Collection[Any]], Recorded] = lambda _: {},
        *,
        is_near: bool = False,
    ) -> None:
        self._work = work
        self._size = size
        self._claims = claims
        self._look_up = look_up
        self._is_near = is_near
        self._ready: deque[ClaimedTask] = deque()
        self._coming: asyncio.Task[None] | None = None
        self._is_read = False
        self._error: Exception | None = None

    async def next(self) -> ClaimedTask | None:
        """Return a task, and see to it that more of them are ready when they are needed; None at the end."""
        if not self._ready and not await self._is_ready():
            return None
        if len(self._ready) <= self._size // 2 and not self._is_read:
            self._begin_fetching()
        return self._ready.popleft()

    async def next_batch(self, most: int) -> list[ClaimedTask]:
        """Return a few tasks, of which some may be held by others; empty at the end."""
        await self._is_ready()
        return [self._ready.popleft() for _ in range(min(most, len(self._ready)))]

    def done(self, tasks: Collection[Any]) -> None:
        """Let others ask these tasks: what was answered is in the ledger."""
        self._claims.let_go([task.id for task in tasks])

    async def close(self) -> None:
        """Let go of what was claimed and is not asked."""
        if self._coming is not None:
            await asyncio.gather(self._coming, return_exceptions=True)
        self.done([each.task for each in self._ready if not each.held_by])
        self._ready.clear()

    def _begin_fetching(self) -> asyncio.Task[None]:
        if self._coming is None:
            items = list(islice(self._work, self._size))
            self._is_read = len(items) < self._size
            self._coming = asyncio.create_task(self._claim(items))
        return self._coming

    async def _is_ready(self) -> bool:
        while not self._ready:
            if self._error is not None:
                raise self._error
            if self._is_read and self._coming is None:
                return False
            await asyncio.shield(self._begin_fetching())
        return True

    async def _claim(self, items: list[tuple[Any, Any]]) -> None:
        try:
            tasks = [task for task, _ in items]
            held, recorded = (
                self._ask_ledger(tasks) if self._is_near else await asyncio.to_thread(self._ask_ledger, tasks)
            )
            self._ready += [ClaimedTask(*item, held.get(item[0].id, ""), recorded) for item in items]
        except Exception as error:  # Whoever asks for a task next must hear of it.
            self._error = error
        finally:
            self._coming = None

    def _ask_ledger(self, tasks: list[Any]) -> tuple[dict[str, str], Recorded]:
        held = self._claims.take([task.id for task in tasks])  # First: what others answer from now on is not of these.
        return held, self._look_up([task for task in tasks if task.id not in held])
