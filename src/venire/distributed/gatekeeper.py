"""One gate for all workers: limits, budget and circuit breakers of a run, kept in one process of the cluster."""

from __future__ import annotations

import asyncio
import os
from typing import Literal, NamedTuple

from venire.distributed.packing import pack, unpack
from venire.judges.panel import JudgeLimits
from venire.runner.admission import LocalGate, Pass, Used
from venire.runner.budget import BudgetMeter, Spending
from venire.runner.options import RunnerOptions
from venire.runner.stop import StoppedError, StopSignal

BUNDLE_SECONDS = 0.002
"""How long messages are gathered before they are sent: a call through Ray costs more CPU than what is in it."""

WATCH_SECONDS = 0.2
"""How often it is looked whether the run still has somebody to lead it."""


class Want(NamedTuple):
    """A worker wants to send a request."""

    number: int
    """Counts the wants of a worker."""
    judge: str
    """The judge."""
    money: float
    """What it may cost."""
    tokens: int
    """The tokens that it may take."""


class Left(NamedTuple):
    """A worker gives a pass back."""

    number: int
    """That of the want."""
    used: Used | None
    """What the request has taken; None if it was not sent."""


class Note(NamedTuple):
    """A worker tells what it has heard of a judge."""

    judge: str
    """The judge."""
    what: Literal["succeeded", "refused", "pause", "failed", "give_up"]
    """The method of the gate that hears it."""
    details: tuple[float | str | int, ...] = ()
    """Its arguments."""


class Grant(NamedTuple):
    """The answer to a want."""

    number: int
    """That of the want."""
    rests: int = 0
    """How many rests the judge had been given."""
    stopped: str = ""
    """Why the request must not be sent; empty if it may."""


class News(NamedTuple):
    """What a worker hears from the gatekeeper."""

    grants: list[Grant]
    """Answers to its wants."""
    given_up: dict[str, str]
    """Judges that are to be asked nothing more, and why."""


class _Desk:
    """What one worker has under way."""

    def __init__(self) -> None:
        self.wants: dict[int, asyncio.Task[None]] = {}
        self.passes: dict[int, tuple[str, Pass]] = {}
        self.grants: list[Grant] = []
        self.filled = asyncio.Event()


class Gatekeeper:
    """Keeps the gates of all judges for all workers. Messages come in bundles, so that a request costs little."""

    def __init__(self, limits: dict[str, JudgeLimits], options: RunnerOptions) -> None:
        self._limits = limits
        self._options = options
        self._budget = BudgetMeter(options.budget)
        self._stop = StopSignal()
        self._gates: dict[str, LocalGate] = {}
        self._desks: dict[str, _Desk] = {}
        self._watch: asyncio.Task[None] | None = None

    async def open(self, driver: int) -> None:
        """Make the gates, and watch the process on this machine that leads the run.

        When that is gone, workers live on for a while; what they began then would be asked again by the next run.
        """
        self._watch = asyncio.create_task(self._end_with(driver))
        self._gates = {
            judge: LocalGate(limits, self._options, self._budget, self._stop) for judge, limits in self._limits.items()
        }

    async def admit(self, worker: str) -> None:
        """Expect messages of a worker."""
        self._desks[worker] = _Desk()

    async def tell(self, worker: str, messages: bytes) -> None:
        """Take the messages of a worker, packed: what it left, notes and wants; of one that was dismissed, none."""
        desk = self._desks.get(worker)
        if desk is None:
            return
        lefts, notes, wants = unpack(messages)
        for number, used in lefts:
            judge, granted = desk.passes.pop(number)
            self._gates[judge].leave(granted, used)
        for judge, what, details in notes:
            getattr(self._gates[judge], what)(*details)
        for want in wants:
            desk.wants[want.number] = asyncio.create_task(self._grant(desk, want))

    async def news(self, worker: str) -> bytes:
        """Wait until there is something to tell a worker; returns `News`, packed."""
        desk = self._desks[worker]
        await desk.filled.wait()
        await asyncio.sleep(BUNDLE_SECONDS)
        desk.filled.clear()
        grants, desk.grants = desk.grants, []
        return pack(News(grants, {judge: gate.given_up for judge, gate in self._gates.items() if gate.given_up}))

    async def dismiss(self, worker: str) -> None:
        """Forget a worker that was lost: what it had under way may have been sent, so it counts as spent."""
        desk = self._desks.pop(worker, None)
        if desk is None:
            return
        for task in desk.wants.values():
            task.cancel()
        for judge, granted in desk.passes.values():
            self._gates[judge].leave(granted, Used(granted.money, granted.tokens))
        desk.filled.set()

    async def stop(self, reason: str) -> None:
        """Let nothing more through."""
        self._stop.request(reason)

    async def spent(self) -> Spending:
        """Return what was spent so far."""
        return self._budget.spent

    async def _end_with(self, driver: int) -> None:
        while _is_alive(driver):
            await asyncio.sleep(WATCH_SECONDS)
        self._stop.request("the command that leads the run is gone")

    async def _grant(self, desk: _Desk, want: Want) -> None:
        try:
            granted = await self._gates[want.judge].enter(want.money, want.tokens)
        except StoppedError as stopped:
            desk.grants.append(Grant(want.number, stopped=str(stopped)))
        else:
            desk.passes[want.number] = (want.judge, granted)
            desk.grants.append(Grant(want.number, granted.rests))
        del desk.wants[want.number]
        desk.filled.set()


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True
