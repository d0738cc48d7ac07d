"""A run: a panel before a set of samples, with everything that happens committed to the ledger."""

from __future__ import annotations

import asyncio
import platform
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec

from venire.judges.panel import Judge
from venire.judges.prompt import template_digest, template_text
from venire.ledger.entry import Draft, Kind
from venire.ledger.group_commit import GroupCommit
from venire.ledger.location import shown_location
from venire.ledger.store import Ledger
from venire.runner.budget import Spending
from venire.runner.events import Event, JudgeCounts, event_of
from venire.runner.executor import Engine
from venire.runner.hearing import Hearing, Sitting
from venire.runner.plan import plan_tasks
from venire.runner.stop import StopSignal
from venire.version import __version__

OnEvent = Callable[[Event], None]


class RunResult(msgspec.Struct, frozen=True):
    """How a run ended."""

    counts: dict[str, JudgeCounts]
    """How far each judge has come."""
    spent: Spending
    """What this run has spent, on tasks that it left unfinished too."""
    stopped: str
    """Why the run ended before its work was done; empty if it was done."""

    @property
    def failed(self) -> int:
        """How many tasks could not be answered."""
        return sum(counts.failed for counts in self.counts.values())


async def run_panel(
    hearing: Hearing,
    ledger: Ledger,
    engine: Engine,
    *,
    stop: StopSignal | None = None,
    on_event: OnEvent = lambda _: None,
) -> RunResult:
    """Put all samples before all judges; ends when every task is answered or failed, or a stop is asked for."""
    stop = stop or StopSignal()
    resuming = next(ledger.keys(Kind.REPLY), None) is not None
    counts = {judge.name: JudgeCounts() for judge in hearing.judges}
    async with GroupCommit(ledger) as writer:
        async with engine.executor(Sitting(hearing, ledger, writer, stop, resuming)) as executor:
            await writer.append([Draft(Kind.PROTOCOL, hearing.protocol, hearing.protocol.digest), _opening(hearing)])
            on_event(Event("run_opened", details={"judges": list(counts), "protocol": hearing.protocol.id}))

            async def hear(judge: Judge) -> None:
                work = plan_tasks(judge, hearing.protocol, hearing.subjects(), hearing.options.reask_share)
                try:
                    async for answer in executor.run(judge, work):
                        counts[judge.name].add(answer)
                        on_event(event_of(answer))
                except Exception:
                    stop.request("an error has ended the run")
                    raise

            if hearing.options.mode == "sequential":
                for judge in hearing.judges:
                    await hear(judge)
            else:
                await _all_at_once(hear, hearing.judges)
            result = RunResult(counts, await executor.spent(), stop.reason)
        await writer.append([_closing(result)])
    on_event(Event("run_closed", reason=stop.reason, details=msgspec.to_builtins(counts)))
    return result


async def _all_at_once(hear: Callable[[Judge], Awaitable[None]], judges: tuple[Judge, ...]) -> None:
    """Hear all judges; if one of them raises, the others finish what is under way before it is raised on."""
    for error in await asyncio.gather(*map(hear, judges), return_exceptions=True):
        if error is not None:
            raise error


def _opening(hearing: Hearing) -> Draft:
    languages = sorted({judge.language for judge in hearing.judges})
    return Draft(
        Kind.RUN_OPENED,
        {
            "protocol": hearing.protocol.digest,
            "protocol_id": hearing.protocol.id,
            "profile": hearing.profile,
            "evidence": hearing.evidence.value,
            "judges": [judge_record(judge) for judge in hearing.judges],
            "templates": {template_digest(language): template_text(language) for language in languages},
            "runner": hearing.options,
            "settings": hearing.settings,
            "software": {"venire": __version__, "python": platform.python_version()},
        },
    )


def judge_record(judge: Judge) -> dict[str, Any]:
    """Return what the record of a run says about a judge; it holds names of variables, never keys or passwords."""
    record: dict[str, Any] = msgspec.to_builtins(judge)
    if judge.kind == "replay" and (ledger := judge.options.get("ledger")):
        record["options"]["ledger"] = shown_location(ledger)
    return {**record, "digest": judge.digest, "tools": False}


def _closing(result: RunResult) -> Draft:
    return Draft(Kind.RUN_CLOSED, {"stopped": result.stopped, "counts": result.counts, "spent": result.spent})
