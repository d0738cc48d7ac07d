"""The same run on a Ray cluster: workers ask and commit, and the ledger is the queue that survives them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Mapping
from contextlib import asynccontextmanager
from typing import Any
from weakref import WeakKeyDictionary

from venire.distributed.cluster import RayOptions, joined, pack, unpack
from venire.distributed.dispatcher import Batch, BatchSize, Dispatcher
from venire.distributed.subject_memory import SubjectMemory
from venire.distributed.worker import BatchAnswers, WorkerSetup
from venire.distributed.worker_pool import WorkerPool, processors_needed, unwrap_errors
from venire.distributed.worker_slot import WorkerSlot
from venire.judges.provider import Provider
from venire.runner.budget import Spending, total
from venire.runner.claimed_work import ClaimedWork, Recorded, Work
from venire.runner.context import Respondent, RunContext, RunSpec
from venire.runner.executor import Executor
from venire.runner.stop import StoppedError, StopSignal
from venire.words.said import say

MOST_IN_A_BATCH = 64
"""How many tasks are claimed, looked up and handed over together at most."""
BATCHES_AT_ONCE = 2
"""In how many batches a worker gets its share of the requests under way; as many again wait for them to end."""

MOST_WAITING = 64
"""How many answered batches may wait to be counted before no further one is handed over."""


class AnswerQueue:
    """Answers as they come, errors that end the run, and None at the end."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[list[Any] | Exception | None] = asyncio.Queue()
        self._room = asyncio.Event()
        self._room.set()

    def put(self, each: list[Any] | Exception | None) -> None:
        """Let something be counted."""
        self._queue.put_nowait(each)
        if self._queue.qsize() > MOST_WAITING:
            self._room.clear()

    async def get(self) -> list[Any] | Exception | None:
        """Return what is to be counted next."""
        each = await self._queue.get()
        if self._queue.qsize() <= MOST_WAITING:
            self._room.set()
        return each

    async def room(self) -> None:
        """Wait until whoever counts the answers has caught up: they are held in memory."""
        await self._room.wait()


class RayEngine:
    """Works on a Ray cluster. The ledger must be one that all its machines can reach."""

    def __init__(
        self,
        options: RayOptions,
        ledger: str,
        make_provider: Callable[[Respondent], Provider],
        environment: Mapping[str, str],
    ) -> None:
        self._options = options
        self._ledger = ledger
        self._make_provider = make_provider
        self._environment = environment

    @asynccontextmanager
    async def executor(self, context: RunContext) -> AsyncIterator[Executor]:
        """Join the cluster, start admission server and workers, and end them afterwards."""
        spec = context.spec.to_be_sent()
        setup = WorkerSetup(spec, (), self._ledger, self._make_provider, self._environment)
        with joined(self._options.address, least_cpus=processors_needed(spec.asked, self._options)) as ray:
            worker_pool = WorkerPool(ray, setup, self._options, context.notify)
            executor = RayExecutor(context, worker_pool)
            watching = asyncio.create_task(executor.forward_stop())
            try:
                await unless_stopped(worker_pool.open(), context.stop)
                yield executor
                await worker_pool.close()
            finally:
                watching.cancel()
                await worker_pool.kill()


class RayExecutor:
    """Deals tasks to workers and gathers their answers."""

    def __init__(self, context: RunContext, worker_pool: WorkerPool) -> None:
        self._context = context
        self._pool = worker_pool
        self._answered: dict[str, Spending] = {}
        self._dispatchers: list[Dispatcher] = []
        self._known: WeakKeyDictionary[Any, SubjectMemory] = WeakKeyDictionary()

    async def run(self, judge: Respondent, work: Work) -> AsyncIterator[Any]:
        """Yield the answers as they come; see `Executor.run`."""
        slots = self._pool.slots(judge.name)
        share = -(-self._pool.limits[judge.name].concurrency // len(slots))
        least = max(1, min(MOST_IN_A_BATCH, share // BATCHES_AT_ONCE))
        found = AnswerQueue()
        spec: Any = self._context.spec  # A judge meets the spec of a panel, a target that of a collection.
        dispatcher = Dispatcher(
            ClaimedWork(work, MOST_IN_A_BATCH, self._context.claims, self._look_up),
            BatchSize(least, MOST_IN_A_BATCH),
            documents=spec.documents_of(judge),
            stop=self._context.stop,
            on_finished=lambda: found.put(None),
            on_held=lambda held: found.put(list(map(spec.held_answer, held))),
        )
        self._dispatchers.append(dispatcher)
        dispatcher.look()  # There may be nobody to look for work, nor ever be: a stop may have been asked for before.
        lanes = [
            asyncio.create_task(self._work(slot, judge.name, dispatcher, found))
            for slot in slots
            for _ in range(2 * -(-share // least))
        ]
        error: Exception | None = None
        try:
            while (each := await found.get()) is not None:
                if isinstance(each, Exception):
                    error = error or each  # What is under way ends before it is raised: it is paid for.
                    continue
                for answer in each:
                    self._context.note(judge.name, answer)
                    yield answer
            if error is not None:
                raise error
        finally:
            for lane in lanes:
                lane.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    def _look_up(self, tasks: Collection[Any]) -> Recorded:
        """Return what the ledger holds of these tasks, so that workers need not look for what nobody has asked."""
        spec = self._context.spec
        return self._context.ledger.find_all([key for task in tasks for key in spec.record_keys(task)])

    async def spent(self) -> dict[str, Spending]:
        """Return what was spent so far by judge: at least what was answered, of which the admission server hears later.

        It alone knows of what is under way or was lost; if it is gone, what was answered is all that is known.
        """
        told, answered = await self._pool.spent() or {}, self._answered
        return {
            judge: _at_least(told.get(judge, Spending()), answered.get(judge, Spending()))
            for judge in (told | answered)
        }

    async def forward_stop(self) -> None:
        """Wait until a stop is asked for, and tell everybody."""
        reason = await self._context.stop.asked()
        for dispatcher in self._dispatchers:
            dispatcher.look()
        await self._pool.stop(reason)

    async def _work(self, slot: WorkerSlot, judge: str, dispatcher: Dispatcher, found: AnswerQueue) -> None:
        """Have one batch after another answered by whoever sits there."""
        try:
            while await self._answer_one_batch(slot, judge, dispatcher, found):
                pass
        except StoppedError as stopped:
            self._context.stop.request(stopped.reason)
        except Exception as error:
            self._end_with(error, found)

    async def _answer_one_batch(self, slot: WorkerSlot, judge: str, dispatcher: Dispatcher, found: AnswerQueue) -> bool:
        worker = await slot.ready()
        await found.room()
        batch = await dispatcher.next()
        if batch is None:
            return False
        begun = asyncio.get_running_loop().time()
        try:
            answered = await self._answered_by(worker, judge, batch)
        except self._pool.lost as error:
            dispatcher.give_back(batch)
            await slot.lose(worker, error)
            return True
        except Exception as error:
            self._end_with(error, found)
            dispatcher.done(batch)
            return False
        slot.has_answered()
        self._count_spent(judge, answered)
        found.put(answered.answers)
        if answered.paused:
            self._context.paused.setdefault(judge, answered.paused)
        if answered.stopped:
            self._context.stop.request(answered.stopped)
        dispatcher.done(batch, asyncio.get_running_loop().time() - begun)
        return True

    async def _answered_by(self, worker: Any, judge: str, batch: Batch) -> BatchAnswers:
        """Have a batch answered; where judges share workers, texts are left out that were sent for another judge."""
        sent = batch
        spec = self._context.spec
        if isinstance(spec, RunSpec) and len(spec.judges) > 1:
            known = self._known.get(worker)
            if known is None:
                known = self._known[worker] = SubjectMemory()
            sent = known.leave_out_known(batch)
        answered: BatchAnswers = unpack(await unwrap_errors(worker.answer.remote(judge, pack(sent))))
        if answered.has_forgotten:
            answered = unpack(await unwrap_errors(worker.answer.remote(judge, pack(batch))))
        return answered

    def _count_spent(self, judge: str, answered: BatchAnswers) -> None:
        spent = [Spending(each.cost, each.tokens, each.calls) for each in answered.answers]
        self._answered[judge] = total([self._answered.get(judge, Spending()), answered.spent_before, *spent])

    def _end_with(self, error: Exception, found: AnswerQueue) -> None:
        found.put(error)
        self._context.stop.request(say("stop.error"))


async def unless_stopped(work: Coroutine[Any, Any, None], stop: StopSignal) -> None:
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


def _at_least(told: Spending, answered: Spending) -> Spending:
    """Return the larger of each amount."""
    return Spending(max(told.money, answered.money), max(told.tokens, answered.tokens), max(told.calls, answered.calls))
