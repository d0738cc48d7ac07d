"""A place for a worker: whoever sits there is replaced when it is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from venire.errors import UsageError

MOST_LOST = 3
"""How many workers in a row may be lost before they have answered anything."""


class WorkerSlot:
    """Holds one worker at a time."""

    def __init__(
        self,
        name: str,
        make: Callable[[str], Awaitable[Any]],
        dismiss: Callable[[str, Any], Awaitable[None]],
        lost: type[Exception],
    ) -> None:
        self._name = name
        self._make = make
        self._dismiss = dismiss
        self._lost = lost
        self._lock = asyncio.Lock()
        self._lost_in_a_row = 0
        self._lives = 0
        self.worker: Any = None
        """Who sits here; None for nobody."""

    async def ready(self) -> Any:
        """Return the worker that sits here; a new one is made where there is none, which may wait for room.

        Raises `UsageError` if several in a row did not last.
        """
        async with self._lock:
            while self.worker is None:
                self._lives += 1
                try:
                    self.worker = await self._make(self._full_name)
                except self._lost as error:
                    self._count_lost(error)
            return self.worker

    async def lose(self, worker: Any, error: Exception) -> None:
        """Give up a worker that no longer answers; raises `UsageError` if those before it did not last either."""
        async with self._lock:
            if worker is not self.worker:
                return  # Somebody else has seen it before.
            self.worker = None
            await self._dismiss(self._full_name, worker)
            self._count_lost(error)

    def has_answered(self) -> None:
        """Trust the worker again."""
        self._lost_in_a_row = 0

    @property
    def _full_name(self) -> str:
        return f"{self._name}-{self._lives}"

    def _count_lost(self, error: Exception) -> None:
        self._lost_in_a_row += 1
        if self._lost_in_a_row >= MOST_LOST:
            raise UsageError("error.ray.workers_lost", count=self._lost_in_a_row, reason=str(error))
