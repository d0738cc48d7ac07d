"""A limit against stuffing: how many new jurors may come in by an open link from one address."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from litestar.exceptions import TooManyRequestsException

from venire.words.said import say

HOUR = 3600.0
"""Within how many seconds new jurors of an address are counted."""

_MOST_ADDRESSES = 100_000


class JoinLimit:
    """Counts who came in by open links, in this process."""

    def __init__(self, most: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._now = now
        self._joined: dict[str, deque[float]] = {}

    def admit(self, address: str) -> None:
        """Let a new juror in, or raise `TooManyRequestsException`."""
        moment = self._now()
        if len(self._joined) >= _MOST_ADDRESSES:
            self._joined.clear()
        times = self._joined.setdefault(address, deque())
        while times and moment - times[0] >= HOUR:
            times.popleft()
        if len(times) >= self._most:
            wait = {"Retry-After": str(int(HOUR - (moment - times[0])) + 1)}
            raise TooManyRequestsException(detail=say("api.too_many_jurors", most=self._most), headers=wait)
        times.append(moment)
