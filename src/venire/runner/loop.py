"""The loop of a run, whatever it asks for: the plan is recorded, tasks are dealt, what becomes of them is counted."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from functools import partial, reduce
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from venire.errors import LedgerBusyError
from venire.ledger.entry import Draft
from venire.ledger.group_commit import GroupCommit
from venire.ledger.store import Ledger
from venire.runner.budget import Spending, budget_reached, total
from venire.runner.claimed_work import Work
from venire.runner.context import AnySpec, Respondent, RunContext
from venire.runner.events import AskedCounts, Event
from venire.runner.executor import Executor, RunEngine
from venire.runner.options import Budget
from venire.runner.plan import RunPlan
from venire.runner.stop import StoppedError, StopSignal
from venire.words.said import Said, as_text, say

MOST_LATER = 100_000
"""How many tasks of a judge are kept in mind to be asked again at the end of a run."""

LOOK_AGAIN_SECONDS = 2.0
"""How long a run that has nothing else to do waits before it looks what became of tasks that another one is asking."""

OnEvent = Callable[[Event], None]

Counts = TypeVar("Counts", bound=AskedCounts)
Counts_co = TypeVar("Counts_co", bound=AskedCounts, covariant=True)
Spec = TypeVar("Spec", bound=msgspec.Struct)


class RunEnd(msgspec.Struct, Generic[Counts], frozen=True):
    """How a run ended."""

    counts: dict[str, Counts]
    """How far each judge, or target, has come."""
    spent: Spending
    """What this run has spent, on tasks that it left unfinished too."""
    stopped: str
    """Why the run ended before its work was done, or who was paused; empty if it was done."""

    @property
    def failed(self) -> int:
        """How many tasks could not be answered."""
        return sum(counts.failed for counts in self.counts.values())


class Job(Protocol[Counts_co]):
    """What is asked for in a run, and how it is counted and recorded."""

    @property
    def spec(self) -> AnySpec:
        """What the run is about."""

    def new_counts(self) -> Counts_co:
        """Begin to count for a judge or target."""

    def work_of(self, asked: Any) -> Work:
        """Yield the tasks of a judge or target."""

    def reason_to_pause(self, counts: Any) -> str:
        """Say why nothing more is asked of somebody whose answers so far are these; empty while it is."""

    def event_of(self, answer: Any, *, is_last: bool = True) -> Event:
        """Return the event of an answer, or of a task that failed and is asked again at the end of the run."""

    def opening(self, plan: RunPlan) -> list[Draft]:
        """Record what the run is about."""

    def opened_details(self, plan: RunPlan) -> dict[str, Any]:
        """Return what is told of the run as it opens."""

    def closing(self, end: RunEnd[Any]) -> Draft:
        """Record how the run ended."""


async def run_job(
    job: Job[Counts], ledger: Ledger, engine: RunEngine, *, plan: RunPlan, stop: StopSignal, on_event: OnEvent
) -> RunEnd[Counts]:
    """Work through all tasks of a job; ends when every task is answered or failed, or a stop is asked for."""
    spec, asking, loop = job.spec, JobAsking(job, stop, on_event), asyncio.get_running_loop()

    def stop_from_thread(reason: str) -> None:
        loop.call_soon_threadsafe(stop.request, reason)

    def tell_waiting(error: LedgerBusyError) -> None:
        on_event(Event("waiting", reason=error.message))

    def notify_of_workers(reason: str) -> None:
        on_event(Event("workers", reason=reason))

    async with GroupCommit(ledger, tell_waiting) as writer, AsyncExitStack() as stack:
        claims = stack.enter_context(ledger.claims(stop_from_thread))
        context = RunContext(
            spec, ledger, writer, stop, claims, asking.paused, asking.is_paused, asking.note, notify_of_workers
        )
        async with engine.executor(context) as executor:
            await asyncio.to_thread(plan.record, ledger)
            await writer.append(job.opening(plan))
            on_event(Event("run_opened", run=spec.run, details=job.opened_details(plan)))
            if spec.options.mode == "sequential":
                for each in spec.asked:
                    await asking.ask(executor, each)
            else:
                await _all_at_once(partial(asking.ask, executor), spec.asked)
            spent = await executor.spent()
        result = asking.result(spent)
        await writer.append([job.closing(result)])
    told = msgspec.to_builtins(result.counts, enc_hook=as_text)
    on_event(Event("run_closed", run=spec.run, reason=result.stopped, details=told))
    return result


class JobAsking(Generic[Counts]):
    """Asks everybody in a run, and counts what becomes of it."""

    def __init__(self, job: Job[Counts], stop: StopSignal, on_event: OnEvent) -> None:
        self._job = job
        self._options = job.spec.options
        self._stop = stop
        self._on_event = on_event
        self._counts: dict[str, Any] = {each.name: job.new_counts() for each in job.spec.asked}
        self._noted: dict[str, Any] = {each.name: job.new_counts() for each in job.spec.asked}
        self.paused: dict[str, str] = {}
        """Who is asked nothing more, and why."""

    async def ask(self, executor: Executor, asked: Respondent) -> None:
        """Ask for everything, and again at the end what failed for a reason that may pass or what others asked."""
        only: set[str] | None = None
        try:
            while True:
                later, held = await self._go_through(executor, asked, only)
                if not (later or held) or self._stop.reason or asked.name in self.paused:
                    break
                if later:
                    self._on_event(Event("asking_again", judge=asked.name, details={"tasks": len(later)}))
                else:
                    await self._stop.sleep(LOOK_AGAIN_SECONDS)
                only = later | held
        except StoppedError:
            pass  # While it waited for another run.
        except Exception:
            self._stop.request(say("stop.error"))
            raise
        if reason := self.paused.get(asked.name):
            self._on_event(_paused_event(asked.name, reason, self._counts[asked.name]))

    async def _go_through(
        self, executor: Executor, asked: Respondent, only: set[str] | None
    ) -> tuple[set[str], set[str]]:
        """Ask once, and return the tasks that failed and may pass, and those that another run is asking."""
        later: set[str] = set()
        held: set[str] = set()
        async for answer in executor.run(asked, self._work_of(asked, only)):
            self._counts[asked.name].add_unreadable(answer.unreadable)
            if answer.is_held:
                held.add(answer.task.id)
            elif only is None and answer.may_pass and answer.task.is_planned and len(later) < MOST_LATER:
                later.add(answer.task.id)
            else:
                self._count(asked.name, answer)
                continue
            self._on_event(self._job.event_of(answer, is_last=False))
        return later, held

    def is_paused(self, name: str) -> bool:
        """Tell whether somebody is asked nothing more, though there is something to ask; what is under way goes on."""
        is_watched = self._options.pause_invalid and name not in self.paused
        if is_watched and (reason := self._job.reason_to_pause(self._noted[name])):
            self.paused[name] = reason
        return name in self.paused

    def note(self, name: str, answer: Any) -> None:
        """Count an answer for whether to go on: who is asked in vain should not be asked on while the disk is slow."""
        self._noted[name].note(answer)

    def result(self, spent: dict[str, Spending]) -> RunEnd[Counts]:
        """Return how the run ended, with what its executor says was spent."""
        for name, each in spent.items():
            counts = self._counts[name]
            counts.calls, counts.tokens, counts.cost = each.calls, each.tokens, each.money
        whole = total(list(spent.values()))
        reason = final_reason(self._stop.reason, self._options.budget, whole)
        return RunEnd(self._counts, whole, reason or _told(self.paused))

    def _count(self, name: str, answer: Any) -> None:
        self._counts[name].add(answer)
        self._on_event(self._job.event_of(answer))

    def _work_of(self, asked: Respondent, only: set[str] | None = None) -> Work:
        for item in self._job.work_of(asked):
            if self.is_paused(asked.name):
                return
            if only is None or item[0].id in only:
                yield item


def not_begun(job: Job[Counts], reason: str) -> RunEnd[Counts]:
    """Return how a run ended that was stopped before it had a plan; it leaves nothing in the ledger."""
    return RunEnd({each.name: job.new_counts() for each in job.spec.asked}, Spending(), reason)


def with_run_id(spec: Spec) -> Spec:
    """Return what a run is about with an id that no other run has, unless it has one already."""
    return spec if spec.run else msgspec.structs.replace(spec, run=new_run_id())  # type: ignore[attr-defined]


async def _all_at_once(ask: Callable[[Respondent], Awaitable[None]], asked: tuple[Respondent, ...]) -> None:
    """Ask everybody; if one of them raises, the others finish what is under way before it is raised on."""
    for error in await asyncio.gather(*map(ask, asked), return_exceptions=True):
        if error is not None:
            raise error


def _paused_event(judge: str, reason: str, counts: Any) -> Event:
    is_invalid = isinstance(reason, Said) and reason.code == "run.invalid_replies"
    return Event("paused", judge=judge, reason=reason, details={"broken": dict(counts.broken) if is_invalid else {}})


def final_reason(reason: str, budget: Budget, spent: Spending) -> str:
    """Return why the run was stopped; if its budget was spent, with what calls under way have spent of it since."""
    part = reason.values.get("part") if isinstance(reason, Said) and reason.code == "stop.budget" else None
    return budget_reached(budget, str(part), spent) if part else reason


def _told(paused: dict[str, str]) -> str:
    told = [say("stop.paused", judge=name, reason=reason) for name, reason in paused.items()]
    return reduce(lambda first, second: say("stop.several", first=first, second=second), told) if told else ""


def new_run_id() -> str:
    """Return an id that no other run has."""
    return secrets.token_hex(8)
