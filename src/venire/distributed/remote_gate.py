"""The gate as a worker sees it: what its requests want and tell goes to the gatekeeper in bundles."""

from __future__ import annotations

import asyncio
from itertools import count
from typing import Any

from venire.distributed.gatekeeper import BUNDLE_SECONDS, Left, News, Note, Want
from venire.distributed.packing import pack, unpack
from venire.runner.admission import Pass, Used
from venire.runner.stop import StoppedError, StopSignal

GATEKEEPER_LOST = "the process that keeps the limits of the run was lost"
"""Why a run ends that nobody keeps within its limits any more."""


class GateLine:
    """The line between a worker and the gatekeeper.

    What comes up within a moment, or while a bundle is on its way, goes into one bundle.
    """

    def __init__(self, gatekeeper: Any, worker: str, stop: StopSignal) -> None:
        self._gatekeeper = gatekeeper
        self._worker = worker
        self._stop = stop
        self._numbers = count()
        self._open: dict[int, asyncio.Future[int]] = {}
        self._lefts: list[Left] = []
        self._notes: list[Note] = []
        self._wants: list[Want] = []
        self._something = asyncio.Event()
        self._tasks = [asyncio.create_task(self._keep_telling()), asyncio.create_task(self._keep_hearing())]
        self.given_up: dict[str, str] = {}
        """Judges that are to be asked nothing more, and why."""

    async def enter(self, judge: str, money: float, tokens: int) -> Pass:
        """Ask for a pass and wait for it; see `Gate.enter`."""
        self._stop.check()
        number = next(self._numbers)
        future: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._open[number] = future
        self._wants.append(Want(number, judge, money, tokens))
        self._something.set()
        return Pass(money, tokens, await future, number)

    def leave(self, number: int, used: Used | None) -> None:
        """Give a pass back."""
        self._lefts.append(Left(number, used))
        self._something.set()

    def note(self, note: Note) -> None:
        """Tell something."""
        self._notes.append(note)
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
            except Exception:  # Whatever it is: without the gatekeeper nobody knows what may still be sent.
                self._hang_up()
                return

    async def _tell(self) -> None:
        lefts, self._lefts = self._lefts, []
        notes, self._notes = self._notes, []
        wants, self._wants = self._wants, []
        if lefts or notes or wants:
            await self._gatekeeper.tell.remote(self._worker, pack((lefts, notes, wants)))

    async def _keep_hearing(self) -> None:
        while True:
            try:
                news: News = unpack(await self._gatekeeper.news.remote(self._worker))
            except Exception:  # Whatever it is: without the gatekeeper nobody knows what may still be sent.
                self._hang_up()
                return
            self.given_up = news.given_up
            for number, rests, stopped in news.grants:
                future = self._open.pop(number)
                if stopped and not future.done():
                    future.set_exception(StoppedError(stopped))
                elif not future.done():
                    future.set_result(rests)
                elif not stopped:  # Whoever wanted it has gone.
                    self.leave(number, None)

    def _hang_up(self) -> None:
        self._stop.request(GATEKEEPER_LOST)
        for future in self._open.values():
            if not future.done():
                future.set_exception(StoppedError(self._stop.reason))


class RemoteGate:
    """The gate of one judge, kept elsewhere."""

    def __init__(self, line: GateLine, judge: str) -> None:
        self._line = line
        self._judge = judge

    @property
    def given_up(self) -> str:
        """Why nothing more is asked of the judge; empty while it is."""
        return self._line.given_up.get(self._judge, "")

    async def enter(self, money: float, tokens: int) -> Pass:
        """Wait until a request may be sent; see `Gate.enter`."""
        return await self._line.enter(self._judge, money, tokens)

    def leave(self, granted: Pass, used: Used | None) -> None:
        """Give a pass back, with what the request took."""
        self._line.leave(granted.number, used)

    def succeeded(self) -> None:
        """Hear that the judge has replied."""
        self._line.note(Note(self._judge, "succeeded"))

    def refused(self) -> None:
        """Hear that the judge's server asks for fewer requests."""
        self._line.note(Note(self._judge, "refused"))

    def pause(self, seconds: float) -> None:
        """Let nothing through for a while."""
        if seconds > 0:
            self._line.note(Note(self._judge, "pause", (seconds,)))

    def failed(self, reason: str, rests: int) -> None:
        """Hear that a task has failed for good."""
        self._line.note(Note(self._judge, "failed", (reason, rests)))

    def give_up(self, reason: str) -> None:
        """Ask this judge nothing more."""
        self._line.given_up = {**self._line.given_up, self._judge: reason}
        self._line.note(Note(self._judge, "give_up", (reason,)))
