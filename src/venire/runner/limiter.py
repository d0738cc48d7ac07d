"""Waits until a request of a judge may be sent: for one of its places, and for its pace."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable

from venire.runner.pace import Pace

LOOK_SECONDS = 1.0
"""How long one waits for the pace at most before looking again: what holds it back may have passed."""


class JudgeLimiter:
    """Lets requests through one by one, in the order in which they came, as many at once as there are places.

    A place that becomes free is handed straight to whoever has waited longest: a run under way does that for each call.
    """

    def __init__(
        self,
        places: int,
        pace: Pace,
        clock: Callable[[], float],
        call_later: Callable[[float, Callable[[], None]], object],
        check: Callable[[], None],
    ) -> None:
        self._places = places
        self._pace = pace
        self._clock = clock
        self._call_later = call_later
        self._check = check
        self._in_flight = 0
        self._waiting: deque[tuple[asyncio.Future[float], int]] = deque()
        self._is_timer_set = False

    async def acquire(self, tokens: int) -> float:
        """Wait until a request of about so many tokens may be sent, and return when it is; `release` follows it.

        Until the judge has replied once, one request is sent at a time. Raises whatever the check raises.
        """
        self._check()
        if not self._waiting and self._has_place() and self._pace.wait(now := self._clock()) <= 0:
            self._in_flight += 1
            self._pace.sent(now, tokens)
            return now
        turn: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._waiting.append((turn, tokens))
        self.look_again()
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled() and turn.exception() is None:
                self.release()  # It was its turn just then: the next one may go.
            raise

    def release(self) -> None:
        """Let the next request through."""
        self._in_flight -= 1
        self.look_again()

    def look_again(self) -> None:
        """Let through whoever may be sent now; if the judge is to end, tell all who wait."""
        while self._waiting:
            turn, tokens = self._waiting[0]
            if turn.done():  # Whoever waited has gone.
                self._waiting.popleft()
                continue
            try:
                self._check()
            except Exception as error:  # Whatever it is, whoever waits must hear of it.
                turn.set_exception(error)
                continue
            if not self._has_place():
                return
            now = self._clock()
            if self._pace.wait(now) > 0:
                self._look_in(min(self._pace.look_after(now), LOOK_SECONDS))
                return
            self._waiting.popleft()
            self._in_flight += 1
            self._pace.sent(now, tokens)
            turn.set_result(now)

    def _has_place(self) -> bool:
        return self._in_flight < (self._places if self._pace.has_replied else 1)

    def _look_in(self, seconds: float) -> None:
        if not self._is_timer_set:
            self._is_timer_set = True
            self._call_later(seconds, self._timer_rang)

    def _timer_rang(self) -> None:
        self._is_timer_set = False
        self.look_again()
