"""The same run on a Ray cluster: workers ask and commit, and the ledger is the queue that survives them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from venire.distributed.cluster import joined
from venire.distributed.crew import Crew, places, unwrapped
from venire.distributed.dealer import Dealer
from venire.distributed.options import RayOptions
from venire.distributed.packing import pack, unpack
from venire.distributed.seat import Seat
from venire.distributed.worker import Answers, Briefing
from venire.domain.sample import Bundle, Sample
from venire.judges.panel import Judge
from venire.judges.provider import Provider
from venire.runner.budget import Spending
from venire.runner.context import Sitting
from venire.runner.executor import Executor, Work
from venire.runner.stop import StoppedError, StopSignal
from venire.runner.worker import Answer

MOST_IN_A_BATCH = 64
"""How many tasks are handed over together at most."""
BATCHES_AT_ONCE = 2
"""In how many batches a worker gets its share of the requests under way; as many again wait for them to end."""

Found = asyncio.Queue[list[Answer] | Exception | None]
"""Answers as they come, errors that end the run, and None at the end."""


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
        with joined(self._options.address, least_cpus=places(hearing.judges, self._options)) as ray:
            crew = Crew(ray, briefing, self._options)
            executor = RayExecutor(sitting, crew)
            watching = asyncio.create_task(executor.pass_the_stop_on())
            try:
                await _unless_stopped(crew.open(), sitting.stop)
                yield executor
                await crew.close()
            finally:
                watching.cancel()
                await crew.kill()


class RayExecutor:
    """Deals tasks to workers and gathers their answers."""

    def __init__(self, sitting: Sitting, crew: Crew) -> None:
        self._sitting = sitting
        self._crew = crew
        self._answered = Spending()
        self._dealers: list[Dealer] = []

    async def run(self, judge: Judge, work: Work) -> AsyncIterator[Answer]:
        """Yield the answers as they come; see `Executor.run`."""
        seats = self._crew.seats(judge.name)
        share = -(-self._crew.limits[judge.name].concurrency // len(seats))
        size = max(1, min(MOST_IN_A_BATCH, share // BATCHES_AT_ONCE))
        found: Found = asyncio.Queue()
        dealer = Dealer(
            work,
            size,
            documents=self._sitting.hearing.documents if judge.attach_files else None,
            may_be_done=self._sitting.resuming,
            stop=self._sitting.stop,
            on_finished=lambda: found.put_nowait(None),
        )
        self._dealers.append(dealer)
        dealer.look()  # There may be nobody to look for work, nor ever be: a stop may have been asked for before.
        lanes = [
            asyncio.create_task(self._work(seat, judge.name, dealer, found))
            for seat in seats
            for _ in range(2 * -(-share // size))
        ]
        error: Exception | None = None
        try:
            while (each := await found.get()) is not None:
                if isinstance(each, Exception):
                    error = error or each  # What is under way ends before it is raised: it is paid for.
                    continue
                for answer in each:
                    self._answered.add(answer.cost, answer.tokens, answer.calls)
                    yield answer
            if error is not None:
                raise error
        finally:
            for lane in lanes:
                lane.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def spent(self) -> Spending:
        """Return what was spent so far, or at least on what was answered if the gatekeeper is gone."""
        return await self._crew.spent() or self._answered

    async def pass_the_stop_on(self) -> None:
        """Wait until a stop is asked for, and tell everybody."""
        reason = await self._sitting.stop.asked()
        for dealer in self._dealers:
            dealer.look()
        await self._crew.stop(reason)

    async def _work(self, seat: Seat, judge: str, dealer: Dealer, found: Found) -> None:
        """Have one batch after another answered by whoever sits there."""
        try:
            while await self._answer_one_batch(seat, judge, dealer, found):
                pass
        except StoppedError as stopped:
            self._sitting.stop.request(str(stopped))
        except Exception as error:
            self._end_with(error, found)

    async def _answer_one_batch(self, seat: Seat, judge: str, dealer: Dealer, found: Found) -> bool:
        worker = await seat.taken()
        batch = await dealer.next()
        if batch is None:
            return False
        try:
            answered: Answers = unpack(await unwrapped(worker.answer.remote(judge, pack(batch))))
        except self._crew.lost as error:
            dealer.give_back(batch)
            await seat.lose(worker, error)
            return True
        except Exception as error:
            self._end_with(error, found)
            dealer.done()
            return False
        seat.has_answered()
        found.put_nowait(answered.answers)
        if answered.stopped:
            self._sitting.stop.request(answered.stopped)
        dealer.done()
        return True

    def _end_with(self, error: Exception, found: Found) -> None:
        found.put_nowait(error)
        self._sitting.stop.request("an error has ended the run")


async def _unless_stopped(work: Coroutine[Any, Any, None], stop: StopSignal) -> None:
    """Wait for work, or until a stop is asked for: what is waited for may never come."""
    doing, asked = asyncio.ensure_future(work), asyncio.ensure_future(stop.asked())
    try:
        await asyncio.wait((doing, asked), return_when=asyncio.FIRST_COMPLETED)
        if doing.done():
            await doing
    finally:
        for each in (doing, asked):
            each.cancel()
        await asyncio.gather(doing, asked, return_exceptions=True)


def _elsewhere() -> Iterator[Sample | Bundle]:
    """Read no samples: a worker gets them with its tasks."""
    return iter(())
