"""The same run on a Ray cluster: workers ask and commit, the ledger is the queue that survives."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

import msgspec

from venire.distributed.cluster import joined, node_count
from venire.distributed.dealer import Dealer
from venire.distributed.gatekeeper import Gatekeeper
from venire.distributed.options import RayOptions
from venire.distributed.remote_gate import GATEKEEPER_LOST
from venire.distributed.seat import Seat
from venire.distributed.worker import Answers, Briefing, Worker
from venire.domain.sample import Bundle, Sample
from venire.errors import VenireError
from venire.judges.panel import Judge
from venire.judges.provider import Provider
from venire.runner.answer import Answer
from venire.runner.budget import Spending
from venire.runner.executor import Executor, Work, limits_of
from venire.runner.hearing import Sitting
from venire.runner.stop import StoppedError

MOST_IN_A_BATCH = 64
"""How many tasks are handed over together at most."""
BATCHES_AT_ONCE = 4
"""In how many batches a worker gets its share of the requests under way; as many again wait for them to end."""
NOTICE_SECONDS = 15.0
"""After how long without a worker the user is told what is waited for."""
CLOSE_SECONDS = 10.0
"""How long workers may take to let go."""

_log = logging.getLogger(__name__)
_NO_ROOM = "still waiting for the cluster to start a worker: it may have no free processor (see `ray status`)"


class RayEngine:
    """Works on a Ray cluster. The ledger must be one that all its machines can reach."""

    def __init__(
        self,
        options: RayOptions,
        ledger: str,
        make_provider: Callable[[Judge], Provider],
        environment: Mapping[str, str],
    ) -> None:
        self._options = options
        self._ledger = ledger
        self._make_provider = make_provider
        self._environment = environment

    @asynccontextmanager
    async def executor(self, sitting: Sitting) -> AsyncIterator[Executor]:
        """Join the cluster, start gatekeeper and workers, and end them afterwards."""
        hearing = msgspec.structs.replace(sitting.hearing, subjects=_elsewhere, documents=None)
        briefing = Briefing(hearing, (), self._ledger, self._make_provider, self._environment)
        with joined(self._options.address, least_cpus=_places(sitting.hearing.judges, self._options)) as ray:
            executor = RayExecutor(ray, sitting, briefing, self._options)
            try:
                await executor.open()
                yield executor
            finally:
                await executor.close()


class RayExecutor:
    """Deals tasks to workers and gathers their answers."""

    def __init__(self, ray: Any, sitting: Sitting, briefing: Briefing, options: RayOptions) -> None:
        self._ray = ray
        self._sitting = sitting
        self._options = sitting.hearing.options
        self._briefing = briefing
        self._lost = ray.exceptions.RayActorError
        self._answered = Spending()
        self._dealers: list[Dealer] = []
        self._beside: list[asyncio.Task[Any]] = []
        limits = {judge.name: limits_of(judge, self._options) for judge in sitting.hearing.judges}
        # It lives and dies with the machine of this process, without which the run could not go on anyway.
        here = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(
            ray.get_runtime_context().get_node_id(), soft=False
        )
        self._gatekeeper = (
            ray.remote(Gatekeeper).options(num_cpus=0, scheduling_strategy=here).remote(limits, self._options)
        )
        self._seats = self._make_seats(sitting.hearing.judges, options)

    async def open(self) -> None:
        """Begin; returns when the first worker of every kind is ready, so that what is misconfigured is told now."""
        await self._gatekeeper.open.remote()
        self._beside.append(asyncio.create_task(self._pass_the_stop_on()))
        notice = asyncio.get_running_loop().call_later(NOTICE_SECONDS, _log.warning, _NO_ROOM)
        try:
            for seats in self._pools:
                opening = [asyncio.create_task(seat.taken()) for seat in seats]
                self._beside += opening
                ready, _ = await asyncio.wait(opening, return_when=asyncio.FIRST_COMPLETED)
                for each in ready:
                    await each
        finally:
            notice.cancel()

    async def run(self, judge: Judge, work: Work) -> AsyncIterator[Answer]:
        """Yield the answers as they come; see `Executor.run`."""
        seats = self._seats[judge.name]
        share = -(-limits_of(judge, self._options).concurrency // len(seats))
        size = max(1, min(MOST_IN_A_BATCH, share // BATCHES_AT_ONCE))
        answers: asyncio.Queue[list[Answer] | Exception | None] = asyncio.Queue()
        dealer = Dealer(
            work,
            size,
            documents=self._sitting.hearing.documents if judge.attach_files else None,
            may_be_done=self._sitting.resuming,
            stop=self._sitting.stop,
            on_finished=lambda: answers.put_nowait(None),
        )
        self._dealers.append(dealer)
        lanes = [
            asyncio.create_task(self._work(seat, judge.name, dealer, answers))
            for seat in seats
            for _ in range(2 * -(-share // size))
        ]
        error: Exception | None = None
        try:
            while (found := await answers.get()) is not None:
                if isinstance(found, Exception):
                    error = error or found  # What is under way ends before it is raised: it is paid for.
                    continue
                for each in found:
                    self._answered.add(each.cost, each.tokens, each.calls)
                    yield each
            if error is not None:
                raise error
        finally:
            for lane in lanes:
                lane.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def spent(self) -> Spending:
        """Return what was spent so far; what a lost worker had under way counts as spent."""
        try:
            spent: Spending = await self._gatekeeper.spent.remote()
        except self._lost:
            return self._answered  # At least this; what else was sent nobody can tell any more.
        return spent

    async def close(self) -> None:
        """End the workers and the gatekeeper."""
        for task in self._beside:
            task.cancel()
        await asyncio.gather(*self._beside, return_exceptions=True)
        workers = self._workers
        if workers:
            await asyncio.wait(
                [asyncio.ensure_future(_quietly(worker.close.remote())) for worker in workers], timeout=CLOSE_SECONDS
            )
        for actor in (*workers, self._gatekeeper):
            self._ray.kill(actor)

    @property
    def _pools(self) -> list[list[Seat]]:
        """The seats by who shares them."""
        return list({id(seats): seats for seats in self._seats.values()}.values())

    @property
    def _workers(self) -> list[Any]:
        return [seat.worker for seats in self._pools for seat in seats if seat.worker is not None]

    def _make_seats(self, judges: tuple[Judge, ...], options: RayOptions) -> dict[str, list[Seat]]:
        """Seat the judges: a local model has processes to itself, all others share theirs."""
        shared = tuple(judge for judge in judges if judge.kind != "local")
        workers = options.workers or node_count(self._ray)
        seats = [self._seat(f"worker-{number}", shared, 1) for number in range(1, workers + 1)]
        return {
            judge.name: seats
            if judge in shared
            else [
                self._seat(f"{judge.name}-{number}", (judge,), _threads(judge))
                for number in range(1, options.models + 1)
            ]
            for judge in judges
        }

    def _seat(self, name: str, judges: tuple[Judge, ...], cpus: int) -> Seat:
        actor = self._ray.remote(Worker).options(num_cpus=cpus, scheduling_strategy="SPREAD")
        briefing = msgspec.structs.replace(self._briefing, judges=judges)

        async def make(full_name: str) -> Any:
            await self._told(self._gatekeeper.admit.remote(full_name))
            worker = actor.remote()
            try:
                await _unwrapped(worker.open.remote(briefing, self._gatekeeper, full_name))
            except BaseException:
                self._ray.kill(worker)
                raise
            return worker

        async def dismiss(full_name: str, worker: Any) -> None:
            self._ray.kill(worker)  # It may only be out of reach; nobody waits for its answers any more.
            await self._told(self._gatekeeper.dismiss.remote(full_name))

        return Seat(name, make, dismiss, self._lost)

    async def _told(self, call: Any) -> None:
        """Wait for a call to the gatekeeper; raises `StoppedError` if it is gone."""
        try:
            await call
        except self._lost:
            raise StoppedError(GATEKEEPER_LOST) from None

    async def _work(
        self, seat: Seat, judge: str, dealer: Dealer, answers: asyncio.Queue[list[Answer] | Exception | None]
    ) -> None:
        try:
            while await self._answer_one_batch(seat, judge, dealer, answers):
                pass
        except StoppedError as stopped:
            self._sitting.stop.request(str(stopped))
        except Exception as error:
            self._sitting.stop.request("an error has ended the run")
            answers.put_nowait(error)

    async def _answer_one_batch(
        self, seat: Seat, judge: str, dealer: Dealer, answers: asyncio.Queue[list[Answer] | Exception | None]
    ) -> bool:
        worker = await seat.taken()
        batch = await dealer.next()
        if batch is None:
            return False
        try:
            found: Answers = await _unwrapped(worker.answer.remote(judge, batch))
        except self._lost as error:
            dealer.give_back(batch)
            await seat.lose(worker, error)
            return True
        except BaseException:
            dealer.done()
            raise
        seat.has_answered()
        answers.put_nowait(found.answers)
        if found.stopped:
            self._sitting.stop.request(found.stopped)
        dealer.done()
        return True

    async def _pass_the_stop_on(self) -> None:
        reason = await self._sitting.stop.asked()
        tellings = [self._gatekeeper.stop.remote(reason), *(worker.stop.remote(reason) for worker in self._workers)]
        await asyncio.gather(*map(_quietly, tellings))
        for dealer in self._dealers:
            dealer.look()


async def _unwrapped(call: Any) -> Any:
    """Wait for a call; an error of ours that was raised on another machine is raised as it was there."""
    try:
        return await call
    except Exception as error:
        cause = getattr(error, "cause", None)
        if isinstance(cause, VenireError):
            raise cause from None
        raise


async def _quietly(call: Any) -> None:
    """Wait for a call to somebody who may be gone."""
    with suppress(Exception):
        await call


def _places(judges: tuple[Judge, ...], options: RayOptions) -> int:
    """Return how many processors the workers of a run take up, one machine taken for granted."""
    local = [judge for judge in judges if judge.kind == "local"]
    shared = (options.workers or 1) if len(local) < len(judges) else 0
    return shared + sum(options.models * _threads(judge) for judge in local)


def _threads(judge: Judge) -> int:
    return int(judge.options.get("threads") or 1)


def _elsewhere() -> Iterator[Sample | Bundle]:
    """Read no samples: a worker gets them with its tasks."""
    return iter(())
