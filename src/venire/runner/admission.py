"""What a request must pass before it is sent: the run's budget, the judge's limits and pace, its circuit breaker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, Protocol

import msgspec

from venire.judges.panel import JudgeLimits, Price
from venire.judges.provider import LimitLeft, Reply
from venire.runner.budget import BudgetMeter, Tokens
from venire.runner.limiter import JudgeLimiter
from venire.runner.options import RunnerOptions
from venire.runner.pace import Pace
from venire.runner.stop import JudgeGivenUpError, JudgePausedError, StopSignal
from venire.words.said import say

SPARE_PART = 2
"""One reply for so many places of a judge may wait for its record when its place is free again already."""


def spare_places(places: int) -> int:
    """Return how many replies of a judge may have freed their places before they are recorded."""
    return -(-places // SPARE_PART)


class Reservation(msgspec.Struct, frozen=True):
    """Leave to send one request."""

    tokens: Tokens
    """What it is guessed to take."""
    rests: int
    """How many rests the judge had been given by then."""
    sent_at: float = 0.0
    """When it was given, by the clock of whoever gave it."""
    is_first: bool = False
    """Whether the judge had not replied yet in this run."""
    failed_before: tuple[str, int] = ("", 0)
    """How the last of its requests had failed by then, and how many in a row, if it had not replied."""
    number: int = 0
    """Which one it is, for admission that is decided in another process."""


class Used(msgspec.Struct, frozen=True):
    """What a request that was sent has really taken."""

    tokens: Tokens | None
    """Of request and reply; None if the server does not say."""


class Heard(msgspec.Struct, frozen=True):
    """What came back, as far as it tells about the pace and the price."""

    outcome: Literal["reply", "refusal", "failure"]
    """A reply; a refusal because of too many requests or tokens; anything else."""
    asked_seconds: float | None = None
    """How long the server asks to be left alone."""
    unit: str = ""
    """What there was too much of, `requests` or `tokens`; empty if the server does not say."""
    rate_limits: tuple[LimitLeft, ...] = ()
    """What is left of the server's limits."""
    failure: str = ""
    """What kind of failure it is; empty for others."""
    billed: Tokens | None = None
    """What the server says it has taken; learnt at once, before the reply is committed."""


def heard_of(reply: Reply, billed: Tokens | None) -> Heard:
    """Return what a reply tells about the pace and the price."""
    if reply.text is not None:
        return Heard("reply", rate_limits=reply.rate_limits, billed=billed)
    is_refusal = reply.error_kind == "rate_limited" or reply.retry_after_seconds is not None
    outcome: Literal["refusal", "failure"] = "refusal" if is_refusal else "failure"
    failure = "" if is_refusal else reply.error_kind or ""
    return Heard(outcome, reply.retry_after_seconds, reply.limited_unit, reply.rate_limits, failure)


class Admission(Protocol):
    """Lets the requests of one judge through and hears what became of them; in this process, or for many of them."""

    @property
    def given_up(self) -> str:
        """Why nothing more is asked of the judge; empty while it is."""

    @property
    def spare(self) -> int:
        """How many replies may free their places before they are recorded: so many more may be lost in a crash."""

    async def reserve(self, tokens: Tokens) -> Reservation:
        """Wait until a request that may take so much may be sent; whoever gets a reservation releases it.

        Raises `StoppedError` if the run is to end or the budget does not allow it, `JudgePausedError` if only the judge
        is to end, and `JudgeGivenUpError` if it is given up.
        """

    def release(self, reservation: Reservation, used: Used | None) -> None:
        """Give a reservation back, with what the request took; None if it was not sent."""

    def heard(self, reservation: Reservation, heard: Heard) -> None:
        """Hear what a request has brought."""

    def failed(self, reason: str, rests: int, *, may_pass: bool) -> None:
        """Hear that a task has failed for good, whose request was sent after so many rests, and whether it may pass."""

    def give_up(self, reason: str) -> None:
        """Ask this judge nothing more: what is left of its tasks has failed."""

    def pause(self, reason: str) -> None:
        """Ask this judge nothing more in this run: what is left of its tasks stays open."""


class LocalAdmission:
    """The admission of one judge in this process; several judges share a budget."""

    def __init__(
        self,
        judge: str,
        price: Price,
        limits: JudgeLimits,
        options: RunnerOptions,
        budget: BudgetMeter,
        stop: StopSignal,
    ) -> None:
        self._budget = budget
        self._account = budget.account(judge, price)
        self._stop = stop
        self._patience_seconds = options.retry_after_limit_seconds
        loop = asyncio.get_running_loop()
        self._clock = loop.time
        self._pace = Pace(limits)
        self._limiter = JudgeLimiter(limits.concurrency, self._pace, loop.time, loop.call_later, self._check)
        stop.when_asked(self._limiter.look_again)
        self._breaker = Breaker(options.stop_judge_after, options.rest_seconds, self._rest)
        self._paused = ""
        self._first_failures = ("", 0)
        self.spare = spare_places(limits.concurrency)
        """How many replies may free their places before they are recorded."""

    @property
    def given_up(self) -> str:
        """Why nothing more is asked of the judge; empty while it is."""
        return self._breaker.given_up

    async def reserve(self, tokens: Tokens) -> Reservation:
        """Wait for the budget, then for the judge's turn; see `Admission.reserve`."""
        while True:
            if self._budget.has_limits:
                self._check()
                await self._budget.reserve(self._account, tokens)
            else:
                self._account.begin(tokens)
            try:
                sent_at = await self._limiter.acquire(self._account.stretched(tokens).total)
            except BaseException:
                self._budget.settle(self._account, tokens, None, was_sent=False)
                raise
            if self._budget.holds():
                return Reservation(
                    tokens, self._breaker.rests, sent_at, not self._pace.has_replied, self._first_failures
                )
            self._limiter.release()  # While it waited, bills have come in that are higher than any before.
            self._budget.settle(self._account, tokens, None, was_sent=False)

    def release(self, reservation: Reservation, used: Used | None) -> None:
        """Give a reservation back, with what the request took."""
        self._limiter.release()
        self._settle(reservation, used)

    def may_lease(self) -> bool:
        """Tell whether nothing but its places holds the judge back, so that one request may follow another unasked."""
        is_open = not (self._stop.reason or self._paused or self.given_up)
        return is_open and not self._budget.has_limits and self._pace.is_free(self._clock())

    @property
    def rests(self) -> int:
        """How many rests the judge was given."""
        return self._breaker.rests

    def renew(self, reservation: Reservation, used: Used | None, tokens: Tokens, sent_at: float) -> Reservation:
        """Hear that a request has ended, and that another was sent in its place when nothing else held it back."""
        self._settle(reservation, used)
        self._account.begin(tokens)
        self._pace.sent(sent_at, self._account.stretched(tokens).total)
        return Reservation(tokens, self._breaker.rests, sent_at)

    def _settle(self, reservation: Reservation, used: Used | None) -> None:
        guess, billed = reservation.tokens, used.tokens if used else None
        if billed is not None:
            expected = self._account.stretched(guess).total
            self._pace.used(self._clock(), expected, billed.total)
        self._budget.settle(self._account, guess, billed, was_sent=used is not None)

    def heard(self, reservation: Reservation, heard: Heard) -> None:
        """Learn the pace from what a request has brought; pause a judge that has only refused for too long."""
        now, sent_at = self._clock(), reservation.sent_at
        if heard.billed is not None:
            self._account.learn(reservation.tokens, heard.billed)
        if heard.rate_limits:
            self._pace.told(now, heard.rate_limits)
        if heard.outcome == "reply":
            self._breaker.succeeded()
            is_first = not self._pace.has_replied
            self._pace.replied(now, sent_at)
            if is_first:
                self._limiter.look_again()
        elif heard.outcome == "refusal":
            self._first_failures = ("", 0)
            self._pace.refused(now, sent_at, reservation.tokens.total, heard.asked_seconds, heard.unit)
            if self._pace.seconds_without_reply(now) > self._patience_seconds:
                self.pause(say("run.only_refuses", seconds=self._patience_seconds))
        elif not self._pace.has_replied:
            kind, count = self._first_failures
            self._first_failures = (heard.failure, count + 1 if heard.failure == kind else 1)

    def failed(self, reason: str, rests: int, *, may_pass: bool) -> None:
        """Hear that a task has failed for good; too many in a row bring a rest, and then the end."""
        self._breaker.failed(reason, rests, may_pass=may_pass)
        self._limiter.look_again()

    def give_up(self, reason: str) -> None:
        """Ask this judge nothing more: what is left of its tasks has failed."""
        self._breaker.give_up(reason)
        self._limiter.look_again()

    def pause(self, reason: str) -> None:
        """Ask this judge nothing more in this run."""
        self._paused = self._paused or reason
        self._limiter.look_again()

    def _rest(self, seconds: float) -> None:
        self._pace.hold(self._clock(), seconds)

    def _check(self) -> None:
        if not (self._stop.reason or self._paused or self._breaker.given_up):
            return  # As for nearly each request.
        self._stop.check()
        if self._paused:
            raise JudgePausedError(self._paused)
        raise JudgeGivenUpError


class Breaker:
    """Counts failures in a row and says when a judge is to be given up."""

    def __init__(self, stop_after: int, rest_seconds: float, pause: Callable[[float], None]) -> None:
        self._stop_after = stop_after
        self._rest_seconds = rest_seconds
        self._pause = pause
        self._failures = 0
        self._resting_since_success = False
        self._has_succeeded = False
        self.rests = 0
        """How many rests the judge was given; a request carries the number at which it was sent."""
        self.given_up = ""
        """Why nothing more is asked of the judge; empty while it is."""

    def succeeded(self) -> None:
        """Forget earlier failures."""
        self._failures = 0
        self._resting_since_success = False
        self._has_succeeded = True

    def failed(self, reason: str, sent_after_rests: int, *, may_pass: bool) -> None:
        """Count a task that failed for good; after too many in a row, rest, and after the rest give up.

        Requests that were under way when the rest began say nothing about whether it has helped. A judge that has only
        failed, for reasons that do not pass, is given no rest.
        """
        if sent_after_rests != self.rests:
            return
        self._failures += 1
        if self._failures < self._stop_after:
            return
        if not (may_pass or self._has_succeeded):
            self.give_up(say("run.never_replied", count=self._failures, reason=reason))
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
