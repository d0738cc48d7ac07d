"""What a request must pass before it is sent: the run's budget, the judge's limits and its circuit breaker."""

from __future__ import annotations

import asyncio
from typing import Protocol

import msgspec

from venire.judges.panel import JudgeLimits
from venire.runner.breaker import Breaker
from venire.runner.budget import BudgetMeter
from venire.runner.options import RunnerOptions
from venire.runner.pace import JudgeLimiter
from venire.runner.stop import StopSignal


class Pass(msgspec.Struct, frozen=True):
    """Leave to send one request."""

    money: float
    """What was set aside for it."""
    tokens: int
    """The tokens that were set aside for it."""
    rests: int
    """How many rests the judge had been given by then."""
    number: int = 0
    """Which one it is, for a gate that is kept in another process."""


class Used(msgspec.Struct, frozen=True):
    """What a request that was sent has really taken."""

    money: float
    """What it cost."""
    tokens: int
    """Of request and reply together."""


class Gate(Protocol):
    """Lets the requests of one judge through and hears what became of them; in this process, or for many of them."""

    @property
    def given_up(self) -> str:
        """Why nothing more is asked of the judge; empty while it is."""

    async def enter(self, money: float, tokens: int) -> Pass:
        """Wait until a request that may take so much may be sent; whoever gets a pass leaves with it.

        Raises `StoppedError` if the run is to end or the budget does not allow it.
        """

    def leave(self, granted: Pass, used: Used | None) -> None:
        """Give a pass back, with what the request took; None if it was not sent."""

    def succeeded(self) -> None:
        """Hear that the judge has replied."""

    def refused(self) -> None:
        """Hear that the judge's server asks for fewer requests."""

    def pause(self, seconds: float) -> None:
        """Let nothing through for a while."""

    def failed(self, reason: str, rests: int) -> None:
        """Hear that a task has failed for good, whose request was sent after so many rests."""

    def give_up(self, reason: str) -> None:
        """Ask this judge nothing more."""


class LocalGate:
    """The gate of one judge; several judges share a budget."""

    def __init__(self, limits: JudgeLimits, options: RunnerOptions, budget: BudgetMeter, stop: StopSignal) -> None:
        self._budget = budget
        self._stop = stop
        self._limiter = JudgeLimiter(limits, asyncio.get_running_loop().time, stop.sleep)
        self._breaker = Breaker(options.stop_judge_after, options.rest_seconds, self._limiter.pause)
        self.refused = self._limiter.refused
        self.pause = self._limiter.pause
        self.failed = self._breaker.failed
        self.give_up = self._breaker.give_up

    @property
    def given_up(self) -> str:
        """Why nothing more is asked of the judge; empty while it is."""
        return self._breaker.given_up

    async def enter(self, money: float, tokens: int) -> Pass:
        """Wait for the budget, then for the judge's turn; see `Gate.enter`."""
        await self._budget.reserve(money, tokens)
        try:
            await self._limiter.acquire(tokens)
        except BaseException:
            self._budget.release(money, tokens)
            raise
        granted = Pass(money, tokens, self._breaker.rests)
        if self._stop.reason:
            self.leave(granted, None)
            self._stop.check()
        return granted

    def leave(self, granted: Pass, used: Used | None) -> None:
        """Give a pass back, with what the request took."""
        self._limiter.release(expected_tokens=granted.tokens, actual_tokens=used.tokens if used else 0)
        if used is not None:
            self._budget.spend(used.money, used.tokens)
        self._budget.release(granted.money, granted.tokens)

    def succeeded(self) -> None:
        """Hear that the judge has replied."""
        self._breaker.succeeded()
        self._limiter.succeeded()
