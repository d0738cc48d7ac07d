"""How often each person or address may call: a bucket of tokens for each, in this process or shared by all."""

from __future__ import annotations

import asyncio
import time
from typing import Protocol

from litestar.exceptions import TooManyRequestsException

from venire.server.options import RateLimit
from venire.server.people.registry_store import Buckets
from venire.words.said import say

_MOST_CALLERS = 100_000
_PARTS_OF_A_BURST = 20


class Callers(Protocol):
    """Whoever counts requests."""

    async def admit(self, caller: str) -> None:
        """Count one request; raises `TooManyRequestsException` if there were too many."""


def callers_for(buckets: Buckets | None, limit: RateLimit) -> Callers:
    """Return who counts: this process alone, or a database that several servers share."""
    return LocalCallers(limit) if buckets is None else SharedCallers(buckets, limit)


class LocalCallers:
    """Buckets in memory, for a server of one process."""

    def __init__(self, limit: RateLimit) -> None:
        self._limit = limit
        self._buckets: dict[str, tuple[float, float]] = {}

    async def admit(self, caller: str) -> None:
        """Count one request; raises `TooManyRequestsException` if there were too many."""
        moment = time.monotonic()
        tokens, before = self._buckets.pop(caller, (float(self._limit.burst), moment))
        tokens = min(self._limit.burst, tokens + (moment - before) * self._limit.per_second)
        _make_room(self._buckets)
        if tokens < 1:
            self._buckets[caller] = (tokens, moment)
            raise _too_many((1 - tokens) / self._limit.per_second)
        self._buckets[caller] = (tokens - 1, moment)


class SharedCallers:
    """Buckets in the database of the keys, from which each process takes a few tokens at a time.

    What a process has taken and not used is lost to the others, so that the limit holds for all together.
    """

    def __init__(self, buckets: Buckets, limit: RateLimit) -> None:
        self._buckets = buckets
        self._limit = limit
        self._at_once = max(1, limit.burst // _PARTS_OF_A_BURST)
        self._taken: dict[str, int] = {}
        self._refused_until: dict[str, float] = {}

    async def admit(self, caller: str) -> None:
        """Count one request; raises `TooManyRequestsException` if there were too many."""
        if not self._taken.get(caller):
            await self._take(caller)
        self._taken[caller] -= 1

    async def _take(self, caller: str) -> None:
        wait = self._refused_until.get(caller, 0.0) - time.monotonic()
        if wait > 0:
            raise _too_many(wait)
        work = asyncio.get_running_loop().run_in_executor
        given, left = await work(None, self._buckets.take_tokens, caller, self._at_once, self._limit)
        _make_room(self._taken)
        _make_room(self._refused_until)
        self._refused_until.pop(caller, None)
        self._taken[caller] = self._taken.pop(caller, 0) + given
        if not self._taken[caller]:
            seconds = (1 - left) / self._limit.per_second
            self._refused_until[caller] = time.monotonic() + seconds
            raise _too_many(seconds)


def _make_room(callers: dict[str, tuple[float, float]] | dict[str, int] | dict[str, float]) -> None:
    """Forget whoever has not called for longest, so that strangers cannot fill the memory."""
    if len(callers) >= _MOST_CALLERS:
        del callers[next(iter(callers))]


def _too_many(seconds: float) -> TooManyRequestsException:
    return TooManyRequestsException(detail=say("api.too_many"), headers={"Retry-After": str(int(seconds) + 1)})
