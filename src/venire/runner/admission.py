"""What a request must pass before it is sent: the run's budget, the judge's limits and its circuit breaker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

import msgspec

from venire.judges.panel import JudgeLimits
from venire.runner.budget import BudgetMeter
from venire.runner.options import RunnerOptions
from venire.runner.pace import JudgeLimiter
from venire.runner.stop import StopSignal
from venire.words.said import say


class Reservation(msgspec.Struct, frozen=True):
    """Leave to send one request."""

    money: float
    """What was set aside for it."""
    tokens: int
    """The tokens that were set aside for it."""
    rests: int
    """How many rests the judge had been given by then."""
    number: int = 0
    """Which one it is, for admission that is decided in another process."""


class Used(msgspec.Struct, frozen=True):
    """What a request that was sent has really taken."""

    money: float
    """What it cost."""
    tokens: int
    """Of request and reply together."""


class Admission(Protocol):
    """Lets the requests of one judge through and hears what became of them; in this process, or for many of them."""

    @property
    def given_up(self) -> str:
        """Why nothing more is asked of the judge; empty while it is."""

    async def reserve(self, money: float, tokens: int) -> Reservation:
        """Wait until a request that may take so much may be sent; whoever gets a reservation releases it.

        Raises `StoppedError` if the run is to end or the budget does not allow it.
        """

    def release(self, reservation: Reservation, used: Used | None) -> None:
        """Give a reservation back, with what the request took; None if it was not sent."""

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


class LocalAdmission:
    """The admission of one judge in this process; several judges share a budget."""

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

    async def reserve(self, money: float, tokens: int) -> Reservation:
        """Wait for the budget, then for the judge's turn; see `Admission.reserve`."""
        await self._budget.reserve(money, tokens)
        try:
            await self._limiter.acquire(tokens)
        except BaseException:
            self._budget.release(money, tokens)
            raise
        reservation = Reservation(money, tokens, self._breaker.rests)
        if self._stop.reason:
            self.release(reservation, None)
            self._stop.check()
        return reservation

    def release(self, reservation: Reservation, used: Used | None) -> None:
        """Give a reservation back, with what the request took."""
        self._limiter.release(expected_tokens=reservation.tokens, actual_tokens=used.tokens if used else 0)
        if used is not None:
            self._budget.spend(used.money, used.tokens)
        self._budget.release(reservation.money, reservation.tokens)

    def succeeded(self) -> None:
        """Hear that the judge has replied."""
        self._breaker.succeeded()
        self._limiter.succeeded()


class Breaker:
    """Counts failures in a row and says when a judge is to be given up."""

    def __init__(self, stop_after: int, rest_seconds: float, pause: Callable[[float], None]) -> None:
        self._stop_after = stop_after
        self._rest_seconds = rest_seconds
        self._pause = pause
        self._failures = 0
        self._resting_since_success = False
        self.rests = 0
        """How many rests the judge was given; a request carries the number at which it was sent."""
        self.given_up = ""
        """Why nothing more is asked of the judge; empty while it is."""

    def succeeded(self) -> None:
        """Forget earlier failures."""
        self._failures = 0
        self._resting_since_success = False

    def failed(self, reason: str, sent_after_rests: int) -> None:
        """Count a task that failed for good; after too many in a row, rest, and after the rest give up.

        Requests that were under way when the rest began say nothing about whether it has helped.
        """
        if sent_after_rests != self.rests:
            return
        self._failures += 1
        if self._failures < self._stop_after:
            return
        if self._resting_since_success:
            self.give_up(say("run.keeps_failing", count=self._failures, reason=reason))
            return
        self._resting_since_success = True
        self.rests += 1
        self._pause(self._rest_seconds)

    def give_up(self, reason: str) -> None:
        """Ask this judge nothing more."""
        self.given_up = self.given_up or reason
