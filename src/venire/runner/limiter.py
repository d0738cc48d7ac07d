"""Waits until a request of a judge may be sent: for one of its places, and for its pace."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from venire.runner.pace import Pace

LOOK_SECONDS = 1.0
"""How long one waits for the pace at most before looking again: what holds it back may have passed."""


class JudgeLimiter:
    """Lets requests through one by one, in the order in which they came, as many at once as there are places."""

    def __init__(
        self,
        places: int,
        pace: Pace,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
        check: Callable[[], None],
    ) -> None:
        self._places = places
        self._pace = pace
        self._clock = clock
        self._sleep = sleep
        self._check = check
        self._in_flight = 0
        self._head = asyncio.Lock()
        self._room = asyncio.Event()

    async def acquire(self, tokens: int) -> float:
        """Wait until a request of about so many tokens may be sent, and return when it is; `release` follows it.

        Until the judge has replied once, one request is sent at a time. Raises whatever the check raises.
        """
        async with self._head:
            while True:
                self._check()
                now = self._clock()
                if self._in_flight >= (self._places if self._pace.has_replied else 1):
                    self._room.clear()
                    await self._room.wait()
                elif (wait := self._pace.wait(now)) > 0:
                    await self._sleep(min(wait, LOOK_SECONDS))
                else:
                    self._in_flight += 1
                    self._pace.sent(now, tokens)
                    return now

    def release(self) -> None:
        """Let the next request through."""
        self._in_flight -= 1
        self._room.set()

    def look_again(self) -> None:
        """Wake whoever waits for a place: there may be more of them now, or none."""
        self._room.set()
