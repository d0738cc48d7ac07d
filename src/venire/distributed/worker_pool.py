"""The processes of a run on a cluster: one admission server, and workers that are replaced when they are lost."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import msgspec

from venire.distributed.admission_server import AdmissionServer
from venire.distributed.cluster import RayOptions, node_count, pack
from venire.distributed.remote_admission import ADMISSION_LOST
from venire.distributed.worker import SOFTWARE, Worker, WorkerSetup
from venire.distributed.worker_slot import WorkerSlot
from venire.errors import ConfigError, VenireError
from venire.judges.panel import JudgeLimits
from venire.runner.budget import Spending
from venire.runner.context import Respondent
from venire.runner.executor import limits_of
from venire.runner.options import RunnerOptions
from venire.runner.stop import StoppedError
from venire.words.said import say

NOTICE_SECONDS = 15.0
"""After how long without a worker the user is told what is waited for."""
CLOSE_SECONDS = 10.0
"""How long workers may take to let go."""

PING_SECONDS = 15.0
"""How often it is looked whether a worker still answers."""
SILENT_SECONDS = 300.0
"""How long a worker may not answer before it is ended, and its tasks are given to others."""
OPENING_SECONDS = 1800.0
"""How long a worker may take to begin once the cluster has room for it; it may have to load a model."""

_NO_ROOM = say("run.no_room")
_UNTRACED = {"enable_task_events": False}  # Ray would keep an account of every call; the ledger has a better one.


class WorkerPool:
    """Whoever works on a run. All judges share the workers, but a local model has some to itself."""

    def __init__(self, ray: Any, setup: WorkerSetup, options: RayOptions, notify: Callable[[str], None]) -> None:
        self._ray = ray
        self._setup = setup
        self._notify = notify
        self._told_silent: set[str] = set()
        self.lost: type[Exception] = ray.exceptions.RayActorError
        """What a call raises whose process is gone."""
        judges = setup.spec.asked
        self.limits = {judge.name: _shared_limits(judge, setup.spec.options, options) for judge in judges}
        """The limits of each judge for all workers together."""
        # It lives and dies with the machine of this process, without which the run could not go on anyway.
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        server = ray.remote(AdmissionServer).options(num_cpus=0, scheduling_strategy=here, **_UNTRACED)
        prices = {judge.name: judge.price for judge in judges}
        self._server = server.remote(self.limits, prices, setup.spec.options)
        self._pools = self._make_pools(judges, options)
        self._opening: list[asyncio.Task[Any]] = []
        self._watching: set[asyncio.Task[None]] = set()

    async def open(self) -> None:
        """Begin; returns when the first worker of every pool is ready, so that what is misconfigured is told now."""
        await unwrap_errors(self._server.open.remote(os.getpid()))
        notice = asyncio.get_running_loop().call_later(NOTICE_SECONDS, self._notify, _NO_ROOM)
        try:
            for slots in self._pools.values():
                opening = [asyncio.create_task(slot.ready()) for slot in slots]
                self._opening += opening
                ready, _ = await asyncio.wait(opening, return_when=asyncio.FIRST_COMPLETED)
                for each in ready:
                    await each
        finally:
            notice.cancel()

    def slots(self, judge: str) -> list[WorkerSlot]:
        """Return the slots of the workers that ask a judge."""
        return next(slots for judges, slots in self._pools.items() if judge in judges)

    async def stop(self, reason: str) -> None:
        """Let nothing more be sent."""
        calls = [self._server.stop.remote(reason), *(worker.stop.remote(reason) for worker in self._workers)]
        await asyncio.gather(*map(_quietly, calls))

    async def spent(self) -> dict[str, Spending] | None:
        """Return what was spent so far by judge, and by lost workers at most; None if nobody can tell any more."""
        try:
            spent: dict[str, Spending] = await self._server.spent.remote()
        except self.lost:
            return None
        return spent

    async def close(self) -> None:
        """Let workers commit and let go; whoever takes too long is not waited for."""
        closing = [asyncio.ensure_future(_quietly(worker.close.remote())) for worker in self._workers]
        if closing:
            await asyncio.wait(closing, timeout=CLOSE_SECONDS)

    async def kill(self) -> None:
        """End all processes at once, those that are only beginning too."""
        tasks = [*self._opening, *self._watching]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for actor in (*self._workers, self._server):
            self._ray.kill(actor)

    @property
    def _workers(self) -> list[Any]:
        return [slot.worker for slots in self._pools.values() for slot in slots if slot.worker is not None]

    def _make_pools(
        self, judges: tuple[Respondent, ...], options: RayOptions
    ) -> dict[tuple[str, ...], list[WorkerSlot]]:
        """Return the slots by the names of the judges that are asked from them."""
        pools: dict[tuple[str, ...], list[WorkerSlot]] = {}
        shared = tuple(judge for judge in judges if not is_local(judge))
        if shared:
            names = [f"worker-{number}" for number in range(1, (options.workers or node_count(self._ray)) + 1)]
            pools[tuple(judge.name for judge in shared)] = [self._slot(name, shared, 1) for name in names]
        for judge in filter(is_local, judges):
            names = [f"{judge.name}-{number}" for number in range(1, options.models + 1)]
            pools[(judge.name,)] = [self._slot(name, (judge,), _threads(judge)) for name in names]
        return pools

    def _slot(self, name: str, judges: tuple[Respondent, ...], cpus: int) -> WorkerSlot:
        actor = self._ray.remote(Worker).options(num_cpus=cpus, scheduling_strategy="SPREAD", **_UNTRACED)
        setup = pack(msgspec.structs.replace(self._setup, judges=judges))

        async def make(full_name: str) -> Any:
            await self._told(self._server.admit.remote(full_name))
            worker = actor.remote()
            try:
                await unwrap_errors(worker.ping.remote())  # There may be no room for it for a long time.
                opening = asyncio.ensure_future(
                    unwrap_errors(worker.open.remote(SOFTWARE, setup, self._server, full_name))
                )
                await asyncio.wait([opening], timeout=OPENING_SECONDS)
                if not opening.done():
                    self._end_silent(full_name, worker, OPENING_SECONDS)
                await opening
            except BaseException:
                self._ray.kill(worker)
                raise
            watching = asyncio.create_task(self._end_when_silent(full_name, worker))
            self._watching.add(watching)
            watching.add_done_callback(self._watching.discard)
            return worker

        async def dismiss(full_name: str, worker: Any) -> None:
            if full_name not in self._told_silent:
                self._notify(say("run.worker_lost", name=full_name))
            self._ray.kill(worker)  # It may only be out of reach; nobody waits for its answers any more.
            await self._told(self._server.dismiss.remote(full_name))

        return WorkerSlot(name, make, dismiss, self.lost)

    async def _end_when_silent(self, full_name: str, worker: Any) -> None:
        """End a worker that hangs without dying; whoever waits for its answers sees that it is lost."""
        while True:
            await asyncio.sleep(PING_SECONDS)
            try:
                async with asyncio.timeout(SILENT_SECONDS):
                    await worker.ping.remote()
            except TimeoutError:
                self._end_silent(full_name, worker, SILENT_SECONDS)
                return
            except Exception:  # It is gone, or its cluster is.
                return

    def _end_silent(self, full_name: str, worker: Any, seconds: float) -> None:
        """End a worker that has not answered for so long, and say so."""
        self._told_silent.add(full_name)
        self._notify(say("run.worker_silent", name=full_name, seconds=seconds))
        self._ray.kill(worker)

    async def _told(self, call: Any) -> None:
        """Wait for a call to the admission server; raises `StoppedError` if it is gone."""
        try:
            await call
        except self.lost:
            raise StoppedError(ADMISSION_LOST) from None


def processors_needed(judges: tuple[Respondent, ...], options: RayOptions) -> int:
    """Return how many processors the workers of a run take up on a cluster of one machine."""
    local = list(filter(is_local, judges))
    shared = (options.workers or 1) if len(local) < len(judges) else 0
    return shared + sum(options.models * _threads(judge) for judge in local)


def is_local(judge: Respondent) -> bool:
    """Tell whether the worker that asks a judge loads its model."""
    return judge.kind == "local"


async def unwrap_errors(call: Any) -> Any:
    """Wait for a call; an error of ours that was raised on another machine is raised as it was there."""
    try:
        return await call
    except Exception as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, VenireError):
            raise cause from None
        if getattr(error, "actor_init_failed", False):
            raise ConfigError("error.ray.cannot_start", reason=str(error).strip().splitlines()[-1]) from None
        raise


async def _quietly(call: Any) -> None:
    """Wait for a call to somebody who may be gone."""
    with suppress(Exception):
        await call


def _shared_limits(judge: Respondent, options: RunnerOptions, ray: RayOptions) -> JudgeLimits:
    """Return the limits of a judge for all workers together; those of a local model are for each that is loaded."""
    limits = limits_of(judge, options)
    if not is_local(judge) or options.mode == "sequential":
        return limits
    return msgspec.structs.replace(limits, concurrency=limits.concurrency * ray.models)


def _threads(judge: Respondent) -> int:
    return int(judge.options.get("threads") or 1)
