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
        if not self._head.locked() and (sent_at := self._try(tokens)) is not None:
            return sent_at  # Nobody stood before us, and there was nothing to wait for, as is most often so.
        async with self._head:
            while (sent_at := self._try(tokens)) is None:
                if self._is_full():
                    self._room.clear()
                    await self._room.wait()
                else:
                    await self._sleep(min(max(self._pace.wait(self._clock()), 0.0), LOOK_SECONDS))
            return sent_at

    def _try(self, tokens: int) -> float | None:
        """Count a request as sent if it may be sent at once, and return when; None if it may not."""
        self._check()
        now = self._clock()
        if self._is_full() or self._pace.wait(now) > 0:
            return None
        self._in_flight += 1
        self._pace.sent(now, tokens)
        return now

    def _is_full(self) -> bool:
        return self._in_flight >= (self._places if self._pace.has_replied else 1)

    def release(self) -> None:
        """Let the next request through."""
        self._in_flight -= 1
        self._room.set()

    def look_again(self) -> None:
        """Wake whoever waits for a place: there may be more of them now, or none."""
        self._room.set()
