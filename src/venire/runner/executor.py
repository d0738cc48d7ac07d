"""Who works through the tasks of a run, and the one that does it in this process."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable, Collection, Iterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager
from typing import Any, Protocol

import msgspec

from venire.judges.panel import JudgeLimits
from venire.judges.provider import Provider
from venire.runner.admission import LocalAdmission, spare_places
from venire.runner.budget import BudgetMeter, Spending
from venire.runner.call import make_services
from venire.runner.claimed_work import ClaimedTask, ClaimedWork, Recorded, Work
from venire.runner.context import Respondent, RunContext
from venire.runner.options import RunnerOptions
from venire.runner.stop import JudgePausedError, StoppedError
from venire.words.said import say


class TaskWorker(Protocol):
    """Whoever answers the tasks of one judge or target in this process."""

    def look_up(self, tasks: Collection[Any]) -> Recorded:
        """Return what the ledger holds of these tasks."""

    async def answer(self, task: Any, subject: Any, recorded: Recorded, tell: Callable[[Any], None]) -> None:
        """Answer a task, and those that follow from it, and tell of each; what is recorded is not asked again."""


MOST_IN_A_BATCH = 64
"""How many tasks are claimed and looked up together at most."""
LEAST_IN_A_BATCH = 8
"""How many at least: the ledger may be far away."""


class Executor(Protocol):
    """Whoever works through tasks; holds no more of them than are under way."""

    def run(self, judge: Respondent, work: Work) -> AsyncIterator[Any]:
        """Yield the answers of a judge as they come, in no particular order.

        Ends early, with all that was under way, when a stop is asked for; a budget that is spent asks for one. Ends
        early too when the judge is paused, which the run's context says then.
        """

    async def spent(self) -> dict[str, Spending]:
        """Return what was spent so far by judge, on tasks that were left unfinished too."""


class RunEngine(Protocol):
    """What executors run on."""

    def executor(self, context: RunContext) -> AbstractAsyncContextManager[Executor]:
        """Make ready for the work of a run, and tidy up after it."""


def limits_of(judge: Respondent, options: RunnerOptions) -> JudgeLimits:
    """Return the limits that hold for a judge in a run; in a sequential one there is one request at a time."""
    return msgspec.structs.replace(judge.limits, concurrency=1) if options.mode == "sequential" else judge.limits


class LocalEngine:
    """Works in this process, with these providers by the names of their judges."""

    def __init__(self, providers: Mapping[str, Provider]) -> None:
        self._providers = providers

    @asynccontextmanager
    async def executor(self, context: RunContext) -> AsyncIterator[Executor]:
        """Give an executor of this process; the providers stay open."""
        with rare_collections():
            yield LocalExecutor(context, self._providers)


class LocalExecutor:
    """Works through tasks with many coroutines."""

    def __init__(self, context: RunContext, providers: Mapping[str, Provider]) -> None:
        self._context = context
        self._providers = providers
        self._options = context.spec.options
        self._services = make_services(context.ledger, context.writer, self._options, context.spec.run, context.stop)
        self._budget = BudgetMeter(self._options.budget)
        self._workers: dict[str, TaskWorker] = {}

    async def run(self, judge: Respondent, work: Work) -> AsyncIterator[Any]:
        """Yield the answers as they come; see `Executor.run`."""
        places = limits_of(judge, self._options).concurrency
        worker = self._worker(judge)
        size = max(LEAST_IN_A_BATCH, min(MOST_IN_A_BATCH, 2 * places), places)
        ledger, claims = self._context.ledger, self._context.claims
        claimed = ClaimedWork(work, size, claims, worker.look_up, is_near=ledger.is_near)
        answers: asyncio.Queue[Any] = asyncio.Queue()
        # Some more than there are places: whoever was refused, or records a reply, waits without keeping one.
        asking = [
            asyncio.create_task(self._work(judge.name, claimed, worker, answers))
            for _ in range(places + spare_places(places))
        ]
        working = len(asking)
        try:
            while working:
                batch = [await answers.get()]
                while not answers.empty():
                    batch.append(answers.get_nowait())
                await self._context.writer.settle()  # An answer is told of once its judgement is durable.
                for each in batch:
                    if each is not None:
                        yield each
                working -= batch.count(None)
            await asyncio.gather(*asking)
        finally:
            for coroutine in asking:
                coroutine.cancel()
            await asyncio.gather(*asking, return_exceptions=True)
            await claimed.close()

    async def spent(self) -> dict[str, Spending]:
        """Return what was spent so far, by judge."""
        return self._budget.spent

    def _worker(self, judge: Respondent) -> TaskWorker:
        """Return the worker of a judge; it is asked again with the pace that was learnt."""
        if judge.name not in self._workers:
            limits, stop = limits_of(judge, self._options), self._context.stop
            admission = LocalAdmission(judge.name, judge.price, limits, self._options, self._budget, stop)
            spec: Any = self._context.spec  # A judge meets the spec of a panel, a target that of a collection.
            provider = self._providers[judge.name]
            self._workers[judge.name] = spec.worker(judge, provider, self._services, admission)
        return self._workers[judge.name]

    async def _next(self, judge: str, claimed: ClaimedWork) -> ClaimedTask | None:
        """Return the next task; None if the run or the judge is to end, or there is none."""
        item = None if self._context.stop.reason else await claimed.next()
        if item is not None and (self._context.stop.reason or self._context.is_paused(judge)):
            claimed.done([item.task])
            return None
        return item

    async def _work(self, judge: str, claimed: ClaimedWork, worker: TaskWorker, answers: asyncio.Queue[Any]) -> None:
        stop = self._context.stop

        def tell(answer: Any) -> None:
            self._context.note(judge, answer)
            answers.put_nowait(answer)

        try:
            while item := await self._next(judge, claimed):
                if item.held_by:
                    answers.put_nowait(self._context.spec.held_answer(item))
                    continue
                try:
                    await worker.answer(item.task, item.subject, item.recorded, tell)
                    if item.recorded:  # Nothing may have been waited for: let whoever takes the answers keep up.
                        await asyncio.sleep(0)
                finally:
                    claimed.done([item.task])
        except StoppedError as stopped:
            stop.request(stopped.reason)
        except JudgePausedError as paused:
            self._context.paused.setdefault(judge, paused.reason)
        except Exception:
            stop.request(say("stop.error"))  # the others must not go on paying for nothing
            raise
        finally:
            answers.put_nowait(None)


COLLECT_AFTER = 10_000
"""How many objects more than before there must be, before Python looks for cycles among them."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """Look for cycles less often: requests under way hold many objects and few cycles, and each look goes through all.

    It saves a run, and a server under votes, a tenth of the CPU. A process that looks more rarely still, or never, is
    left as it is.
    """
    youngest, *older = gc.get_threshold()
    if 0 < youngest < COLLECT_AFTER:
        gc.set_threshold(COLLECT_AFTER, *older)
    try:
        yield
    finally:
        gc.set_threshold(youngest, *older)
