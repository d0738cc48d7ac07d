"""Deals the tasks of a judge to workers in batches, and takes back those of workers that were lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from venire.judges.provider import Attachment
from venire.runner.claimed_work import ClaimedTask, ClaimedWork
from venire.runner.request import Documents
from venire.runner.stop import StopSignal

QUICK_SECONDS, SLOW_SECONDS = 1.0, 4.0
"""A batch that is answered sooner is followed by a larger one, and one that takes longer by a smaller one."""


class Item(msgspec.Struct, frozen=True):
    """A task with everything that a worker needs for it."""

    task: Any
    """The task."""
    subject: Any
    """What it is about."""
    documents: Mapping[str, Attachment]
    """The documents that go with it, for judges that get them."""


class Batch(msgspec.Struct, frozen=True):
    """Tasks that are handed over together."""

    items: list[Item]
    """The tasks."""
    is_new: bool = False
    """Whether the ledger held nothing of them when they were claimed; others are looked up before they are asked."""
    is_returned: bool = False
    """Whether a worker had them that was lost: of what it was answered, nobody has told the driver yet."""
    is_remembered: bool = False
    """Whether the worker is to remember the subjects for other judges, and subjects that it knows are left out."""


class BatchSize:
    """How many tasks are handed over together: more and more as long as they are answered quickly.

    Each batch costs a message and an answer; but what is handed over late waits for nobody, and is told of in time.
    """

    def __init__(self, least: int, most: int) -> None:
        self._least = least
        self._most = most
        self.size = least
        """How many tasks there are in the next batch."""

    def learn(self, seconds: float) -> None:
        """Hear how long a batch took."""
        if seconds < QUICK_SECONDS:
            self.size = min(2 * self.size, self._most)
        elif seconds > SLOW_SECONDS:
            self.size = max(self.size // 2, self._least)


class Dispatcher:
    """Hands out batches until every task is done; tells once, through `on_finished`, when nothing is left to wait for.

    Of what was taken back some may have been done before the worker was lost: workers look it up first. What another
    run is asking is told through `on_held`.
    """

    def __init__(
        self,
        claimed: ClaimedWork,
        size: BatchSize,
        *,
        documents: Documents | None,
        stop: StopSignal,
        on_finished: Callable[[], None],
        on_held: Callable[[list[ClaimedTask]], None],
    ) -> None:
        self._claimed = claimed
        self._size = size
        self._on_held = on_held
        self._lock = asyncio.Lock()
        self._documents = documents
        self._stop = stop
        self._on_finished = on_finished
        self._returned: list[Batch] = []
        self._handed_out = 0
        self._exhausted = False
        self._finished = False
        self._changed = asyncio.Event()

    async def next(self) -> Batch | None:
        """Return a batch, waiting while one may still come back; None if nothing will be left to do."""
        while True:
            async with self._lock:
                batch = await self._take()
                if batch is not None:
                    self._handed_out += 1
                    return batch
            self._end_if_over()  # Who else waits is not woken by it: that one would only wake this one in turn.
            if self._finished:
                return None
            self._changed.clear()
            await self._changed.wait()

    def done(self, batch: Batch, seconds: float | None = None) -> None:
        """Count a batch as done, which took so long."""
        if seconds is not None:
            self._size.learn(seconds)
        self._claimed.done([item.task for item in batch.items])
        self._handed_out -= 1
        self.look()

    def give_back(self, batch: Batch) -> None:
        """Take back a batch whose worker was lost."""
        self._handed_out -= 1
        self._returned.append(Batch(batch.items, is_returned=True))
        self.look()

    def look(self) -> None:
        """See whether all is done, or a stop was asked for and nothing is under way any more; wake who waits."""
        self._end_if_over()
        self._changed.set()

    def _end_if_over(self) -> None:
        is_over = self._stop.reason or (self._exhausted and not self._returned)
        if is_over and not self._handed_out and not self._finished:
            self._finished = True
            self._changed.set()
            self._on_finished()

    async def _take(self) -> Batch | None:
        while not self._stop.reason:
            if self._returned:
                return self._returned.pop()
            claimed = await self._claimed.next_batch(self._size.size)
            if not claimed:
                self._exhausted = True
                return self._returned.pop() if self._returned else None
            if held := [each for each in claimed if each.held_by]:
                self._on_held(held)
            items = [self._pack(each.task, each.subject) for each in claimed if not each.held_by]
            if items and not self._stop.reason:
                return Batch(items, is_new=not any(each.recorded for each in claimed))
        return None

    def _pack(self, task: Any, subject: Any) -> Item:
        return Item(task, subject, self._documents(subject) if self._documents else {})
