"""A run: a panel before a set of samples, with everything that happens committed to the ledger."""

from __future__ import annotations

import asyncio
import platform
import secrets
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, closing
from functools import partial, reduce
from typing import Any

import msgspec

from venire.judges.panel import Judge
from venire.judges.prompt import template_digest, template_text
from venire.ledger.entry import Draft, Kind
from venire.ledger.group_commit import GroupCommit
from venire.ledger.location import shown_location
from venire.ledger.store import Ledger
from venire.runner.budget import Spending, budget_reached, total
from venire.runner.claimed_work import Work
from venire.runner.context import RunContext, RunSpec
from venire.runner.events import Event, JudgeCounts, event_of, reason_to_pause
from venire.runner.executor import Executor, RunEngine
from venire.runner.options import Budget
from venire.runner.plan import RunPlan, make_plan
from venire.runner.stop import StoppedError, StopSignal
from venire.runner.task import is_planned, plan_tasks
from venire.runner.worker import Answer
from venire.shapes.registry import shape_of
from venire.version import __version__
from venire.words.said import Said, as_text, say

MOST_LATER = 100_000
"""How many tasks of a judge are kept in mind to be asked again at the end of a run."""

LOOK_AGAIN_SECONDS = 2.0
"""How long a run that has nothing else to do waits before it looks what became of tasks that another one is asking."""

OnEvent = Callable[[Event], None]


class RunResult(msgspec.Struct, frozen=True):
    """How a run ended."""

    counts: dict[str, JudgeCounts]
    """How far each judge has come."""
    spent: Spending
    """What this run has spent, on tasks that it left unfinished too."""
    stopped: str
    """Why the run ended before its work was done, or which judges were paused; empty if it was done."""

    @property
    def failed(self) -> int:
        """How many tasks could not be answered."""
        return sum(counts.failed for counts in self.counts.values())


async def run_panel(
    spec: RunSpec,
    ledger: Ledger,
    engine: RunEngine,
    *,
    plan: RunPlan | None = None,
    stop: StopSignal | None = None,
    on_event: OnEvent = lambda _: None,
) -> RunResult:
    """Put all samples before all judges; ends when every task is answered or failed, or a stop is asked for.

    The plan is made first if it is not given; whoever gives one closes it.
    """
    stop = stop or StopSignal()
    if plan is None:
        try:
            made = await asyncio.to_thread(make_plan, spec, stop)
        except StoppedError as stopped:
            return not_begun(spec, stopped.reason)
        with closing(made):
            return await run_panel(spec, ledger, engine, plan=made, stop=stop, on_event=on_event)
    spec = msgspec.structs.replace(spec, run=spec.run or new_run_id())
    asking, loop = PanelAsking(spec, stop, on_event), asyncio.get_running_loop()

    def stop_from_thread(reason: str) -> None:
        loop.call_soon_threadsafe(stop.request, reason)

    async with GroupCommit(ledger) as writer, AsyncExitStack() as stack:
        claims = stack.enter_context(ledger.claims(stop_from_thread))
        context = RunContext(spec, ledger, writer, stop, claims, asking.paused, asking.is_paused)
        async with engine.executor(context) as executor:
            await asyncio.to_thread(plan.record, ledger)
            protocol = Draft(Kind.PROTOCOL, spec.protocol, spec.protocol.digest)
            await writer.append([protocol, _opening(spec, plan)])
            on_event(_opened_event(spec, plan))
            if spec.options.mode == "sequential":
                for judge in spec.judges:
                    await asking.ask(executor, judge)
            else:
                await _all_at_once(partial(asking.ask, executor), spec.judges)
            spent = await executor.spent()
        result = asking.result(spent)
        await writer.append([_closing(spec.run, result)])
    told = msgspec.to_builtins(result.counts, enc_hook=as_text)
    on_event(Event("run_closed", run=spec.run, reason=result.stopped, details=told))
    return result


class PanelAsking:
    """Asks the judges of a run, and counts what becomes of it."""

    def __init__(self, spec: RunSpec, stop: StopSignal, on_event: OnEvent) -> None:
        self._spec = spec
        self._stop = stop
        self._on_event = on_event
        self._counts = {judge.name: JudgeCounts() for judge in spec.judges}
        self.paused: dict[str, str] = {}
        """The judges that are asked nothing more, and why."""

    async def ask(self, executor: Executor, judge: Judge) -> None:
        """Ask a judge everything, and again at the end what failed for a reason that may pass or what others asked."""
        only: set[str] | None = None
        try:
            while True:
                later, held = await self._go_through(executor, judge, only)
                if not (later or held) or self._stop.reason or judge.name in self.paused:
                    break
                if later:
                    self._on_event(Event("asking_again", judge=judge.name, details={"tasks": len(later)}))
                else:
                    await self._stop.sleep(LOOK_AGAIN_SECONDS)
                only = later | held
        except StoppedError:
            pass  # While it waited for another run.
        except Exception:
            self._stop.request(say("stop.error"))
            raise
        if reason := self.paused.get(judge.name):
            self._on_event(_paused_event(judge.name, reason, self._counts[judge.name]))

    async def _go_through(self, executor: Executor, judge: Judge, only: set[str] | None) -> tuple[set[str], set[str]]:
        """Ask a judge once, and return the tasks that failed and may pass, and those that another run is asking."""
        later: set[str] = set()
        held: set[str] = set()
        async for answer in executor.run(judge, self._work_of(judge, only)):
            if answer.is_held:
                held.add(answer.task.id)
            elif only is None and answer.may_pass and is_planned(answer.task) and len(later) < MOST_LATER:
                later.add(answer.task.id)
            else:
                self._count(answer)
                continue
            self._on_event(event_of(answer, is_last=False))
        return later, held

    def is_paused(self, judge: str) -> bool:
        """Tell whether a judge is asked nothing more, though there is something to ask; what is under way goes on."""
        is_watched = self._spec.options.pause_invalid and judge not in self.paused
        if is_watched and (reason := reason_to_pause(self._counts[judge])):
            self.paused[judge] = reason
        return judge in self.paused

    def result(self, spent: dict[str, Spending]) -> RunResult:
        """Return how the run ended, with what its executor says was spent."""
        for name, each in spent.items():
            counts = self._counts[name]
            counts.calls, counts.tokens, counts.cost = each.calls, each.tokens, each.money
        whole = total(list(spent.values()))
        reason = _final(self._stop.reason, self._spec.options.budget, whole)
        return RunResult(self._counts, whole, reason or _told(self.paused))

    def _count(self, answer: Answer) -> None:
        self._counts[answer.task.judge].add(answer)
        self._on_event(event_of(answer))

    def _work_of(self, judge: Judge, only: set[str] | None = None) -> Work:
        spec = self._spec
        for item in plan_tasks(judge, spec.protocol, spec.subjects(), spec.options.reask_share):
            if self.is_paused(judge.name):
                return
            if only is None or item[0].id in only:
                yield item


def not_begun(spec: RunSpec, reason: str) -> RunResult:
    """Return how a run ended that was stopped before it had a plan; it leaves nothing in the ledger."""
    return RunResult({judge.name: JudgeCounts() for judge in spec.judges}, Spending(), reason)


async def _all_at_once(ask: Callable[[Judge], Awaitable[None]], judges: tuple[Judge, ...]) -> None:
    """Hear all judges; if one of them raises, the others finish what is under way before it is raised on."""
    for error in await asyncio.gather(*map(ask, judges), return_exceptions=True):
        if error is not None:
            raise error


def _paused_event(judge: str, reason: str, counts: JudgeCounts) -> Event:
    is_invalid = isinstance(reason, Said) and reason.code == "run.invalid_replies"
    return Event("paused", judge=judge, reason=reason, details={"broken": dict(counts.broken) if is_invalid else {}})


def _final(reason: str, budget: Budget, spent: Spending) -> str:
    """Return why the run was stopped; if its budget was spent, with what calls under way have spent of it since."""
    part = reason.values.get("part") if isinstance(reason, Said) and reason.code == "stop.budget" else None
    return budget_reached(budget, str(part), spent) if part else reason


def _told(paused: dict[str, str]) -> str:
    told = [say("stop.paused", judge=name, reason=reason) for name, reason in paused.items()]
    return reduce(lambda first, second: say("stop.several", first=first, second=second), told) if told else ""


def new_run_id() -> str:
    """Return an id that no other run has."""
    return secrets.token_hex(8)


def _opened_event(spec: RunSpec, plan: RunPlan) -> Event:
    planned = {name: planned.tasks for name, planned in plan.judges.items()}
    details = {"judges": list(planned), "protocol": spec.protocol.id, "planned": planned}
    return Event("run_opened", run=spec.run, details=details)


def _opening(spec: RunSpec, plan: RunPlan) -> Draft:
    languages = sorted({judge.language for judge in spec.judges})
    return Draft(
        Kind.RUN_OPENED,
        {
            "run": spec.run,
            "plan": plan.judges,
            "protocol": spec.protocol.digest,
            "protocol_id": spec.protocol.id,
            "profile": spec.profile,
            "evidence": spec.evidence.value,
            "judges": [judge_record(judge) for judge in spec.judges],
            "templates": {
                template_digest(language, spec.protocol): template_text(language, shape_of(spec.protocol).template)
                for language in languages
            },
            "runner": spec.options,
            "settings": spec.settings,
            "software": {"venire": __version__, "python": platform.python_version()},
        },
        spec.run,
    )


def judge_record(judge: Judge) -> dict[str, Any]:
    """Return what the record of a run says about a judge; it holds names of variables, never keys or passwords."""
    record: dict[str, Any] = msgspec.to_builtins(judge)
    if judge.kind == "replay" and (ledger := judge.options.get("ledger")):
        record["options"]["ledger"] = shown_location(ledger)
    return {**record, "digest": judge.digest, "tools": False}


def _closing(run: str, result: RunResult) -> Draft:
    payload = {"run": run, "stopped": result.stopped, "counts": result.counts, "spent": result.spent}
    return Draft(Kind.RUN_CLOSED, payload, run)
