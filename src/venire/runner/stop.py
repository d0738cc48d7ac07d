"""The end of a run before its work is done: asked for by the user, or by a budget that is spent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class StoppedError(Exception):
    """The run is to end. What was not asked yet is left for the next run."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """Why."""


class JudgePausedError(Exception):
    """One judge is to end, and the others go on. What it was not asked yet is left for the next run."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
        """Why."""


class JudgeGivenUpError(Exception):
    """A judge is asked nothing more; what is left of its tasks has failed."""


class StopSignal:
    """Asks a run to finish the requests that are under way and to send nothing more."""

    def __init__(self) -> None:
        self.reason = ""
        self._asked = asyncio.Event()
        self._told: list[Callable[[], None]] = []

    def request(self, reason: str) -> None:
        """Ask for the stop; the first reason stays."""
        self.reason = self.reason or reason
        self._asked.set()
        for tell in self._told:
            tell()

    def when_asked(self, tell: Callable[[], None]) -> None:
        """Call somebody when a stop is asked for."""
        self._told.append(tell)

    def check(self) -> None:
        """Raise `StoppedError` if a stop was asked for."""
        if self.reason:
            raise StoppedError(self.reason)

    async def asked(self) -> str:
        """Wait until a stop is asked for, and return why."""
        await self._asked.wait()
        return self.reason

    async def sleep(self, seconds: float) -> None:
        """Wait so long; raise `StoppedError` as soon as a stop is asked for."""
        try:
            async with asyncio.timeout(seconds):
                await self._asked.wait()
        except TimeoutError:
            return
        raise StoppedError(self.reason)
