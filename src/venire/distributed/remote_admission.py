"""Admission as a worker sees it: its requests and reports go to the admission server in bundles."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from itertools import count
from typing import Any

import msgspec

from venire.distributed.admission_server import (
    BUNDLE_SECONDS,
    AdmissionRequest,
    AdmissionUpdate,
    Following,
    JudgeReport,
    Lease,
    Release,
    WorkerMessage,
)
from venire.distributed.cluster import pack, unpack
from venire.runner.admission import Heard, Reservation, Used
from venire.runner.budget import Tokens
from venire.runner.stop import JudgeGivenUpError, JudgePausedError, StoppedError, StopSignal
from venire.words.said import say

ADMISSION_LOST = say("stop.admission_lost")
"""Why a run ends that nobody keeps within its limits any more."""
REPORT_SECONDS = 1.0
"""How long a worker may keep to itself that requests have ended whose places it goes on using, or may soon."""
LEASE_SECONDS = 5.0
"""How long a lease lasts of which nothing more was heard."""


class AdmissionClient:
    """The connection of a worker to the admission server.

    What comes up within a moment, or while a bundle is on its way, goes into one bundle. What nobody waits for waits
    for it a little longer.
    """

    def __init__(self, server: Any, worker: str, stop: StopSignal) -> None:
        self._server = server
        self._worker = worker
        self._numbers = count()
        self._judges: dict[str, RemoteAdmission] = {}
        self._asking: dict[int, RemoteAdmission] = {}
        self._messages: list[WorkerMessage] = []
        self._something = asyncio.Event()
        self._is_urgent = asyncio.Event()
        self._tasks = [asyncio.create_task(self._keep_telling()), asyncio.create_task(self._keep_hearing())]
        self.stop = stop
        """How the worker is told to end."""

    def add_judge(self, judge: str, places: int) -> RemoteAdmission:
        """Return the admission of a judge that has so many places."""
        admission = self._judges[judge] = RemoteAdmission(self, judge, places)
        return admission

    def next_number(self) -> int:
        """Return the number of a new request."""
        return next(self._numbers)

    def ask(self, admission: RemoteAdmission, number: int, judge: str, tokens: Tokens) -> None:
        """Ask for a reservation; the judge's admission is told of the answer."""
        self._asking[number] = admission
        self.tell(AdmissionRequest(number, judge, tokens))

    def tell(self, message: WorkerMessage, *, is_urgent: bool = True) -> None:
        """Tell something, at once or with what is told next."""
        self._messages.append(message)
        self._something.set()
        if is_urgent:
            self._is_urgent.set()

    def remind(self) -> None:
        """Have a bundle sent in a while, though there may be nothing to tell yet."""
        self._something.set()

    async def close(self) -> None:
        """Tell what is left to tell, and hang up."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._tell()

    async def _keep_telling(self) -> None:
        while True:
            await self._something.wait()
            with suppress(TimeoutError):
                async with asyncio.timeout(REPORT_SECONDS):
                    await self._is_urgent.wait()
            await asyncio.sleep(BUNDLE_SECONDS)
            self._something.clear()
            self._is_urgent.clear()
            try:
                await self._tell()
            except Exception:  # Whatever it is: without the admission server nobody knows what may still be sent.
                self._hang_up()
                return

    async def _tell(self) -> None:
        unused = [each for admission in self._judges.values() for each in admission.unused(0)]
        messages, self._messages = self._messages + unused, []
        if messages or any(admission.waits for admission in self._judges.values()):
            self._hear(unpack(await self._server.receive.remote(self._worker, pack(messages))))

    async def _keep_hearing(self) -> None:
        while True:
            try:
                self._hear(unpack(await self._server.next_update.remote(self._worker)))
            except Exception:  # Whatever it is: without the admission server nobody knows what may still be sent.
                self._hang_up()
                return

    def _hear(self, update: AdmissionUpdate) -> None:
        for judge, admission in self._judges.items():
            if not admission.given_up and judge in update.given_up:
                admission.given_up = update.given_up[judge]
                admission.end(JudgeGivenUpError())
        for number, reservation, stopped, paused in update.grants:
            admission = self._asking.pop(number)
            if reservation is not None:
                admission.granted(msgspec.structs.replace(reservation, number=number))
            elif stopped:
                admission.refused(number, StoppedError(stopped))
            else:
                admission.refused(number, JudgePausedError(paused) if paused else JudgeGivenUpError())
        for judge, admission in self._judges.items():
            admission.renew_lease(update.leases.get(judge))

    def _hang_up(self) -> None:
        self.stop.request(ADMISSION_LOST)
        for admission in self._judges.values():
            admission.end(StoppedError(self.stop.reason))


class _Waiting:
    """A request that waits for its turn."""

    __slots__ = ("tokens", "turn")

    def __init__(self, tokens: Tokens) -> None:
        self.tokens = tokens
        self.turn: asyncio.Future[Reservation] = asyncio.get_running_loop().create_future()


class RemoteAdmission:
    """The admission of one judge, decided elsewhere.

    While there is a lease, a request that ends makes room for the next one here, and the server is told later. If none
    is waiting, its place is kept until the next report: another batch may be on its way.
    """

    spare = 0
    """A reply is recorded before its place is free: workers are lost more often than machines."""

    def __init__(self, client: AdmissionClient, judge: str, places: int) -> None:
        self._client = client
        self._judge = judge
        self._places = places
        self._clock = asyncio.get_running_loop().time
        self._asked: dict[int, _Waiting] = {}
        self._waiting: deque[_Waiting] = deque()
        self._heard: dict[int, Heard] = {}
        self._ended: list[Release] = []
        self._held = 0
        self._lease: Lease | None = None
        self._lease_heard_at = 0.0
        self.given_up = ""
        """Why nothing more is asked of the judge; empty while it is."""

    async def reserve(self, tokens: Tokens) -> Reservation:
        """Wait until a request may be sent; see `Admission.reserve`."""
        self._client.stop.check()
        waiting = _Waiting(tokens)
        self._waiting.append(waiting)
        self._go_on()
        return await waiting.turn

    def release(self, reservation: Reservation, used: Used | None) -> None:
        """Give a reservation back, with what the request took, or go on with the next request in its place."""
        number = reservation.number
        self._ended.append(Release(number, used, self._heard.pop(number, None)))
        self._go_on()

    @property
    def waits(self) -> bool:
        """Whether requests wait for which there is no place in this worker's share."""
        return bool(self._waiting)

    def unused(self, keeps: int) -> list[Release]:
        """Give up places that no request is under way in, until no more than `keeps` are held; they are to be told."""
        count = max(0, min(len(self._ended), self._held - keeps))
        given_back, self._ended = self._ended[:count], self._ended[count:]
        self._held -= count
        return given_back

    def heard(self, reservation: Reservation, heard: Heard) -> None:
        """Hear what a request has brought; a reply that says nothing of limits is told of when its request ends."""
        if heard.outcome == "reply" and not heard.rate_limits and self._valid_lease():
            self._heard[reservation.number] = heard
            return
        if heard.outcome == "refusal":
            self._lease = None  # Until the admission server has learnt from it.
        self._client.tell(JudgeReport(self._judge, "heard", (reservation.number, heard)))

    def failed(self, reason: str, rests: int, *, may_pass: bool) -> None:
        """Hear that a task has failed for good."""
        self._client.tell(JudgeReport(self._judge, "failed", (reason, rests), may_pass))

    def give_up(self, reason: str) -> None:
        """Ask this judge nothing more."""
        self.given_up, self._lease = reason, None
        self._client.tell(JudgeReport(self._judge, "give_up", (reason,)))
        self.end(JudgeGivenUpError())

    def pause(self, reason: str) -> None:
        """Ask this judge nothing more in this run."""
        self._lease = None
        self._client.tell(JudgeReport(self._judge, "pause", (reason,)))
        self.end(JudgePausedError(reason))

    def granted(self, reservation: Reservation) -> None:
        """Let the request through that a reservation was asked for."""
        self._held += 1
        waiting = self._asked.pop(reservation.number)
        if waiting.turn.done():  # Whoever wanted it has gone.
            self.release(reservation, None)
        else:
            waiting.turn.set_result(reservation)

    def refused(self, number: int, error: Exception) -> None:
        """Tell a request that it must not be sent."""
        waiting = self._asked.pop(number)
        if not waiting.turn.done():
            waiting.turn.set_exception(error)

    def renew_lease(self, lease: Lease | None) -> None:
        """Go on with another lease, or with none."""
        self._lease, self._lease_heard_at = lease, self._clock()
        self._go_on()

    def end(self, error: Exception) -> None:
        """Let nobody wait any longer."""
        for waiting in (*self._asked.values(), *self._waiting):
            if not waiting.turn.done():
                waiting.turn.set_exception(error)
        self._waiting.clear()

    def _valid_lease(self) -> Lease | None:
        is_valid = not self._client.stop.reason and self._clock() < self._lease_heard_at + LEASE_SECONDS
        return self._lease if is_valid else None

    def _next_waiting(self) -> _Waiting | None:
        while self._waiting:
            waiting = self._waiting.popleft()
            if not waiting.turn.done():
                return waiting
        return None

    def _go_on(self) -> None:
        """Send what waits in the places that a lease lets this worker keep; ask for more places, up to its share."""
        lease = self._valid_lease()
        for each in self.unused(lease.keeps if lease else 0):
            self._client.tell(each)
        while lease is not None and self._ended and (waiting := self._next_waiting()):
            self._follow(self._ended.pop(), waiting, lease)
        most = self._places if lease is None else lease.most
        while self._held + len(self._asked) < most and (waiting := self._next_waiting()):
            number = self._client.next_number()
            self._asked[number] = waiting
            self._client.ask(self, number, self._judge, waiting.tokens)
        if self._ended or (lease is not None and self._waiting):  # Its share may have grown by the next report.
            self._client.remind()

    def _follow(self, ended: Release, waiting: _Waiting, lease: Lease) -> None:
        sent_at = self._clock() - self._lease_heard_at + lease.now
        number = self._client.next_number()
        waiting.turn.set_result(Reservation(waiting.tokens, lease.rests, sent_at, number=number))
        self._client.tell(ended._replace(following=Following(number, waiting.tokens, sent_at)), is_urgent=False)
