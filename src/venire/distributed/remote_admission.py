"""Admission as a worker sees it: its requests and reports go to the admission server in bundles."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

import msgspec

from venire.distributed.admission_server import BUNDLE_SECONDS, AdmissionRequest, AdmissionUpdate, JudgeReport, Release
from venire.distributed.cluster import pack, unpack
from venire.runner.admission import Heard, Reservation, Used
from venire.runner.budget import Tokens
from venire.runner.stop import JudgeGivenUpError, JudgePausedError, StoppedError, StopSignal
from venire.words.said import say

ADMISSION_LOST = say("stop.admission_lost")
"""Why a run ends that nobody keeps within its limits any more."""


class AdmissionClient:
    """The connection of a worker to the admission server.

    What comes up within a moment, or while a bundle is on its way, goes into one bundle.
    """

    def __init__(self, server: Any, worker: str, stop: StopSignal) -> None:
        self._server = server
        self._worker = worker
        self._stop = stop
        self._numbers = count()
        self._open: dict[int, asyncio.Future[Reservation]] = {}
        self._releases: list[Release] = []
        self._reports: list[JudgeReport] = []
        self._requests: list[AdmissionRequest] = []
        self._something = asyncio.Event()
        self._tasks = [asyncio.create_task(self._keep_telling()), asyncio.create_task(self._keep_hearing())]
        self.given_up: dict[str, str] = {}
        """Judges that are to be asked nothing more, and why."""

    async def reserve(self, judge: str, tokens: Tokens) -> Reservation:
        """Ask for a reservation and wait for it; see `Admission.reserve`."""
        self._stop.check()
        number = next(self._numbers)
        future: asyncio.Future[Reservation] = asyncio.get_running_loop().create_future()
        self._open[number] = future
        self._requests.append(AdmissionRequest(number, judge, tokens))
        self._something.set()
        return msgspec.structs.replace(await future, number=number)

    def release(self, number: int, used: Used | None) -> None:
        """Give a reservation back."""
        self._releases.append(Release(number, used))
        self._something.set()

    def report(self, report: JudgeReport) -> None:
        """Tell something."""
        self._reports.append(report)
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
            await asyncio.sleep(BUNDLE_SECONDS)
            self._something.clear()
            try:
                await self._tell()
            except Exception:  # Whatever it is: without the admission server nobody knows what may still be sent.
                self._hang_up()
                return

    async def _tell(self) -> None:
        releases, self._releases = self._releases, []
        reports, self._reports = self._reports, []
        requests, self._requests = self._requests, []
        if releases or reports or requests:
            self._hear(unpack(await self._server.receive.remote(self._worker, pack((releases, reports, requests)))))

    async def _keep_hearing(self) -> None:
        while True:
            try:
                self._hear(unpack(await self._server.next_update.remote(self._worker)))
            except Exception:  # Whatever it is: without the admission server nobody knows what may still be sent.
                self._hang_up()
                return

    def _hear(self, update: AdmissionUpdate) -> None:
        self.given_up = {**self.given_up, **update.given_up}
        for number, reservation, stopped, paused in update.grants:
            future = self._open.pop(number)
            if future.done():  # Whoever wanted it has gone.
                if reservation is not None:
                    self.release(number, None)
            elif reservation is not None:
                future.set_result(reservation)
            elif stopped:
                future.set_exception(StoppedError(stopped))
            else:
                future.set_exception(JudgePausedError(paused) if paused else JudgeGivenUpError())

    def _hang_up(self) -> None:
        self._stop.request(ADMISSION_LOST)
        for future in self._open.values():
            if not future.done():
                future.set_exception(StoppedError(self._stop.reason))


class RemoteAdmission:
    """The admission of one judge, decided elsewhere."""

    def __init__(self, client: AdmissionClient, judge: str) -> None:
        self._client = client
        self._judge = judge

    @property
    def given_up(self) -> str:
        """Why nothing more is asked of the judge; empty while it is."""
        return self._client.given_up.get(self._judge, "")

    async def reserve(self, tokens: Tokens) -> Reservation:
        """Wait until a request may be sent; see `Admission.reserve`."""
        return await self._client.reserve(self._judge, tokens)

    def release(self, reservation: Reservation, used: Used | None) -> None:
        """Give a reservation back, with what the request took."""
        self._client.release(reservation.number, used)

    def heard(self, reservation: Reservation, heard: Heard) -> None:
        """Hear what a request has brought."""
        self._client.report(JudgeReport(self._judge, "heard", (reservation.number, heard)))

    def failed(self, reason: str, rests: int, *, may_pass: bool) -> None:
        """Hear that a task has failed for good."""
        self._client.report(JudgeReport(self._judge, "failed", (reason, rests), may_pass))

    def give_up(self, reason: str) -> None:
        """Ask this judge nothing more."""
        self._client.given_up = {**self._client.given_up, self._judge: reason}
        self._client.report(JudgeReport(self._judge, "give_up", (reason,)))

    def pause(self, reason: str) -> None:
        """Ask this judge nothing more in this run."""
        self._client.report(JudgeReport(self._judge, "pause", (reason,)))
