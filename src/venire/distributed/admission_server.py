"""Admission for all workers: limits, budget and circuit breakers of a run, kept in one process of the cluster."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from typing import Literal, NamedTuple

from venire.distributed.cluster import pack, unpack
from venire.judges.panel import JudgeLimits, Price
from venire.runner.admission import Heard, LocalAdmission, Reservation, Used
from venire.runner.budget import BudgetMeter, Spending, Tokens
from venire.runner.options import RunnerOptions
from venire.runner.stop import JudgeGivenUpError, JudgePausedError, StoppedError, StopSignal
from venire.words.said import say

BUNDLE_SECONDS = 0.002
"""How long messages are gathered before they are sent: a call through Ray costs more CPU than what is in it."""

WATCH_SECONDS = 0.2
"""How often it is looked whether the run still has somebody to lead it."""


class AdmissionRequest(NamedTuple):
    """A worker asks whether it may send a request."""

    number: int
    """Counts the requests of a worker."""
    judge: str
    """The judge."""
    tokens: Tokens
    """What it is guessed to take."""


class Following(NamedTuple):
    """A request that a worker has sent in the place of one that had ended, as its lease allows."""

    number: int
    """Counts the requests of a worker."""
    tokens: Tokens
    """What it is guessed to take."""
    sent_at: float
    """When it was sent, by the clock of the admission server."""


class Release(NamedTuple):
    """A worker tells that a request has ended."""

    number: int
    """That of the request."""
    used: Used | None
    """What the request has taken; None if it was not sent."""
    heard: Heard | None = None
    """What it has brought, unless that was told before."""
    following: Following | None = None
    """What was sent in its place; None if the place is free for others."""


class JudgeReport(NamedTuple):
    """A worker tells what it has heard of a judge."""

    judge: str
    """The judge."""
    what: Literal["heard", "failed", "give_up", "pause"]
    """The method of `Admission` that is called with it."""
    details: tuple[Heard | str | int, ...] = ()
    """Its arguments; for what was heard, the number of the request in place of its reservation."""
    may_pass: bool | None = None
    """For failures, whether they may pass."""


WorkerMessage = AdmissionRequest | Release | JudgeReport
"""What a worker says; it is taken in the order in which it was said."""


class Grant(NamedTuple):
    """The answer to a request for admission."""

    number: int
    """That of the request."""
    reservation: Reservation | None = None
    """The leave to send it; None if it must not be sent."""
    stopped: str = ""
    """Why the run is to end; empty if it is not."""
    paused: str = ""
    """Why the judge is to end; empty if it is not, or if it is given up."""


class Lease(NamedTuple):
    """Leave to send one request after another in the places that a worker has, without asking each time.

    It is given while nothing but its places holds a judge back: no budget, no rate, no pause.
    """

    keeps: int
    """How many places of the judge the worker may keep so."""
    most: int
    """How many it may ask for; where places cannot be dealt evenly, one more than it keeps."""
    rests: int
    """How many rests the judge has been given."""
    now: float
    """The time at the admission server."""


class AdmissionUpdate(NamedTuple):
    """What a worker hears from the admission server."""

    grants: list[Grant]
    """Answers to its requests."""
    given_up: dict[str, str]
    """Judges that are to be asked nothing more, and why."""
    leases: dict[str, Lease]
    """The leases from now on, by judge; those that are not there have ended."""


class _WorkerState:
    """What one worker has under way."""

    def __init__(self) -> None:
        self.requests: dict[int, asyncio.Task[None]] = {}
        self.wanted: Counter[str] = Counter()
        self.held: Counter[str] = Counter()
        self.keeps: dict[str, int] = {}
        self.reservations: dict[int, tuple[str, Reservation]] = {}
        self.grants: list[Grant] = []
        self.has_news = False
        self.filled = asyncio.Event()

    def asks(self, judge: str) -> bool:
        """Tell whether it has something of a judge, or wants it."""
        return bool(self.held[judge] or self.wanted[judge])

    def tell(self) -> None:
        """Have it told that something has changed."""
        self.has_news = True
        self.filled.set()


class AdmissionServer:
    """Decides for all workers and judges what may be sent. Messages come in bundles, so that a request costs little."""

    def __init__(self, limits: dict[str, JudgeLimits], prices: dict[str, Price], options: RunnerOptions) -> None:
        self._limits = limits
        self._prices = prices
        self._options = options
        self._budget = BudgetMeter(options.budget)
        self._stop = StopSignal()
        self._admissions: dict[str, LocalAdmission] = {}
        self._workers: dict[str, _WorkerState] = {}
        self._leased: set[str] = set()
        self._watch: asyncio.Task[None] | None = None

    async def open(self, driver: int) -> None:
        """Begin to admit, and watch the process on this machine that leads the run.

        When that is gone, workers live on for a while; what they began then would be asked again by the next run.
        """
        self._watch = asyncio.create_task(self._end_with(driver))
        self._admissions = {
            judge: LocalAdmission(judge, self._prices[judge], limits, self._options, self._budget, self._stop)
            for judge, limits in self._limits.items()
        }

    async def admit(self, worker: str) -> None:
        """Expect messages of a worker."""
        self._workers[worker] = _WorkerState()

    async def receive(self, worker: str, messages: bytes) -> bytes:
        """Take the messages of a worker, packed: releases, reports and requests; of one that was dismissed, none.

        Returns `AdmissionUpdate`, packed, with what can be answered at once: mostly all of it, as a request that ended
        makes room for the next. So one call through Ray does for both ways; what has to wait comes by `next_update`.
        """
        state = self._workers.get(worker)
        if state is None:
            return pack(AdmissionUpdate([], {}, {}))
        for message in unpack(messages):
            self._take(state, message)
        await asyncio.sleep(0)  # Whoever need not wait gets through.
        self._end_leases()
        return self._update(state)

    async def next_update(self, worker: str) -> bytes:
        """Wait until there is something to tell a worker; returns `AdmissionUpdate`, packed."""
        state = self._workers[worker]
        while not (state.grants or state.has_news) and worker in self._workers:
            await state.filled.wait()
            await asyncio.sleep(BUNDLE_SECONDS)
            state.filled.clear()
        return self._update(state)

    def _take(self, state: _WorkerState, message: WorkerMessage) -> None:
        if isinstance(message, AdmissionRequest):
            state.wanted[message.judge] += 1
            state.requests[message.number] = asyncio.create_task(self._grant(state, message))
        elif isinstance(message, Release):
            self._release(state, message)
        elif message.what == "heard":
            number, heard = message.details
            self._admissions[message.judge].heard(state.reservations[number][1], heard)  # type: ignore[index, arg-type]
        else:
            named = {} if message.may_pass is None else {"may_pass": message.may_pass}
            getattr(self._admissions[message.judge], message.what)(*message.details, **named)

    def _release(self, state: _WorkerState, ended: Release) -> None:
        judge, reservation = state.reservations.pop(ended.number)
        admission, following = self._admissions[judge], ended.following
        if ended.heard is not None:
            admission.heard(reservation, ended.heard)
        if following is None:
            admission.release(reservation, ended.used)
            state.held[judge] -= 1
        else:
            renewed = admission.renew(reservation, ended.used, following.tokens, following.sent_at)
            state.reservations[following.number] = (judge, renewed)

    def _update(self, state: _WorkerState) -> bytes:
        grants, state.grants, state.has_news = state.grants, [], False
        given_up = {judge: each.given_up for judge, each in self._admissions.items() if each.given_up}
        return pack(AdmissionUpdate(grants, given_up, self._leases(state)))

    def _leases(self, state: _WorkerState) -> dict[str, Lease]:
        """Return what a worker may keep of the judges' places: an even share of them, if there is one for each."""
        leases = {}
        now = asyncio.get_running_loop().time()
        for judge in self._leased:
            workers, places = self._workers_of(judge, state), self._limits[judge].concurrency
            if workers <= places:
                share = places // workers
                leases[judge] = Lease(share, -(-places // workers), self._admissions[judge].rests, now)
        state.keeps = {judge: lease.keeps for judge, lease in leases.items()}
        return leases

    def _workers_of(self, judge: str, state: _WorkerState) -> int:
        """Return how many workers ask a judge, this one among them."""
        return 1 + sum(1 for each in self._workers.values() if each is not state and each.asks(judge))

    def _end_leases(self) -> None:
        """See which judges are held back by nothing but their places; tell those whose lease ends, or shrinks."""
        before, self._leased = self._leased, {name for name, each in self._admissions.items() if each.may_lease()}
        has_ended = bool(before - self._leased)
        for each in self._workers.values():
            if has_ended or any(self._holds_too_many(each, judge) for judge in self._leased):
                each.tell()

    def _holds_too_many(self, state: _WorkerState, judge: str) -> bool:
        """Tell whether others ask a judge by now, and this worker does not know yet that its share is smaller."""
        share = self._limits[judge].concurrency // self._workers_of(judge, state)
        return share < min(state.held[judge], state.keeps.get(judge, 0))

    async def dismiss(self, worker: str) -> None:
        """Forget a worker that was lost: what it had under way may have been sent, so it counts as spent."""
        state = self._workers.pop(worker, None)
        if state is None:
            return
        for task in state.requests.values():
            task.cancel()
        for judge, reservation in state.reservations.values():
            self._admissions[judge].release(reservation, Used(None))
        state.filled.set()

    async def stop(self, reason: str) -> None:
        """Let nothing more through."""
        self._stop.request(reason)
        self._end_leases()

    async def spent(self) -> dict[str, Spending]:
        """Return what was spent so far, by judge."""
        return self._budget.spent

    async def _end_with(self, driver: int) -> None:
        while _is_alive(driver):
            await asyncio.sleep(WATCH_SECONDS)
        await self.stop(say("stop.command_gone"))

    async def _grant(self, state: _WorkerState, request: AdmissionRequest) -> None:
        try:
            reservation = await self._admissions[request.judge].reserve(request.tokens)
        except StoppedError as stopped:
            state.grants.append(Grant(request.number, stopped=stopped.reason))
        except JudgePausedError as paused:
            state.grants.append(Grant(request.number, paused=paused.reason))
        except JudgeGivenUpError:
            state.grants.append(Grant(request.number))
        else:
            state.reservations[request.number] = (request.judge, reservation)
            state.held[request.judge] += 1
            state.grants.append(Grant(request.number, reservation))
        del state.requests[request.number]
        state.wanted[request.judge] -= 1
        state.filled.set()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
