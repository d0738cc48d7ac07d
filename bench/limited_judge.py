"""A judge that allows so many requests in a second and refuses the others, for measuring how a run keeps its pace.

Run: python -m bench.limited_judge '{"rates": [[0, 50]], "burst": 10, "retry_after": 1}'

It prints its port on loopback and serves until it is killed. `rates` are pairs of seconds since the first request and
the requests allowed in a second from then on, 0 for any number; `window` counts in whole seconds in place of a bucket
that holds `burst`; `latency` is the seconds that an answer takes; `retry_after` stands in the header of refusals.
A request without a body is answered with what happened: pairs of seconds since the first request and 1 if it was let
through, 0 if it was refused.
"""

from __future__ import annotations

import asyncio
import sys
import time
from typing import Any, ClassVar

import msgspec

from bench.fast_judge import Connection, answer, serve


class Allowance:
    """Counts what is let through: a bucket that fills steadily, or windows of a second."""

    def __init__(self, setup: dict[str, Any]) -> None:
        self._rates: list[tuple[float, float]] = setup["rates"]
        self._window = setup.get("window", False)
        self._burst = setup.get("burst", 10)
        self._started = self._filled_at = self._window_began = 0.0
        self._held = float(self._burst)
        self._counted = 0
        self.seen: list[tuple[float, int]] = []

    def lets_through(self, now: float) -> bool:
        """Count a request, and tell whether it is let through."""
        self._started = self._started or now
        elapsed = now - self._started
        rate = [each for start, each in self._rates if start <= elapsed][-1]
        allowed = not rate or (self._in_window(rate, elapsed) if self._window else self._in_bucket(rate, elapsed))
        self.seen.append((elapsed, int(allowed)))
        return allowed

    def _in_window(self, rate: float, elapsed: float) -> bool:
        if elapsed - self._window_began >= 1:
            self._window_began, self._counted = float(int(elapsed)), 0
        self._counted += 1
        return self._counted <= rate

    def _in_bucket(self, rate: float, elapsed: float) -> bool:
        self._held = min(self._burst, self._held + (elapsed - self._filled_at) * rate)
        self._filled_at = elapsed
        if self._held < 1:
            return False
        self._held -= 1
        return True


class LimitedJudge(Connection):
    """Answers what the allowance lets through, and refuses the others."""

    setup: ClassVar[dict[str, Any]]
    allowance: ClassVar[Allowance]

    def take(self, body: bytes) -> None:
        """Answer or refuse a request, or say what happened to the others."""
        if not body:
            self.send(msgspec.json.encode(self.allowance.seen))
        elif self.allowance.lets_through(time.monotonic()):
            asyncio.get_running_loop().call_later(self.setup.get("latency", 0.0), self.send, answer(body))
        else:
            asked = self.setup.get("retry_after")
            header = f"\r\nRetry-After: {asked}".encode() if asked else b""
            self.send(b'{"error": {"message": "too many requests"}}', b"429 Too Many Requests" + header)


if __name__ == "__main__":
    LimitedJudge.setup = msgspec.json.decode(sys.argv[1])
    LimitedJudge.allowance = Allowance(LimitedJudge.setup)
    asyncio.run(serve(LimitedJudge))
