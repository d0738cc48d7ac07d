"""How hard a judge is pressed: requests under way, and requests and tokens in a minute, adapting to refusals."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from venire.judges.panel import JudgeLimits

LEAST_SHARE = 1 / 64
"""The smallest share of its limits that a judge is throttled down to."""
RECOVERY = 0.02
"""The share of its limits that a judge wins back with each reply."""
SETTLE_SECONDS = 1.0
"""How long refusals count as one: requests that were under way already must not halve the limits again."""


class JudgeLimiter:
    """Lets requests through one by one; halves its limits when the server refuses, and recovers slowly."""

    def __init__(
        self,
        limits: JudgeLimits,
        clock: Callable[[], float],
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._limits = limits
        self._clock = clock
        self._sleep = sleep
        self._in_flight = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._share = 1.0
        self._halved_at = float("-inf")
        self._paused_until = float("-inf")
        self._next_request = float("-inf")
        self._next_token = float("-inf")

    @property
    def share(self) -> float:
        """The share of its limits that the judge is allowed at present."""
        return self._share

    async def acquire(self, tokens: int) -> None:
        """Wait until a request of about so many tokens may be sent; whoever gets through calls `release` after it."""
        while self._in_flight >= max(1, int(self._limits.concurrency * self._share)):
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if not turn.cancelled():  # It was its turn already: somebody else must have it.
                    self._wake_next()
                raise
        self._in_flight += 1
        try:
            await self._wait_out_pauses()
            await self._wait_for_rates(tokens)
            await self._wait_out_pauses()  # the server may have asked for one meanwhile
        except BaseException:
            self.release()
            raise

    def release(self, *, expected_tokens: int = 0, actual_tokens: int = 0) -> None:
        """Let the next request through, and correct the count of tokens by what was really used."""
        self._in_flight -= 1
        if self._limits.tokens_per_minute and actual_tokens:
            self._next_token += (actual_tokens - expected_tokens) * 60 / self._limits.tokens_per_minute
        self._wake_next()

    def succeeded(self) -> None:
        """Win back a little of the limits."""
        self._share = min(1.0, self._share + RECOVERY)

    def refused(self) -> None:
        """Halve the limits, once for refusals that come together."""
        now = self._clock()
        if now - self._halved_at >= SETTLE_SECONDS:
            self._share = max(LEAST_SHARE, self._share / 2)
            self._halved_at = now

    def pause(self, seconds: float) -> None:
        """Send nothing for a while."""
        self._paused_until = max(self._paused_until, self._clock() + seconds)

    def _wake_next(self) -> None:
        while self._waiting:
            turn = self._waiting.popleft()
            if not turn.done():
                turn.set_result(None)
                break

    async def _wait_out_pauses(self) -> None:
        while (wait := self._paused_until - self._clock()) > 0:
            await self._sleep(wait)

    async def _wait_for_rates(self, tokens: int) -> None:
        start = now = self._clock()
        if self._limits.requests_per_minute:
            start = max(start, self._next_request)
        if self._limits.tokens_per_minute:
            start = max(start, self._next_token)
        if self._limits.requests_per_minute:
            self._next_request = start + 60 / (self._limits.requests_per_minute * self._share)
        if self._limits.tokens_per_minute:
            self._next_token = start + tokens * 60 / (self._limits.tokens_per_minute * self._share)
        if start > now:
            await self._sleep(start - now)
