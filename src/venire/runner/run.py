"""A run of judges: a panel before a set of samples, with everything that happens committed to the ledger."""

from __future__ import annotations

import asyncio
import platform
from contextlib import closing
from typing import Any

import msgspec

from venire.judges.panel import Judge
from venire.judges.prompt import template_digest, template_text
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import shown_location
from venire.ledger.store import Ledger
from venire.runner.claimed_work import Work
from venire.runner.context import RunSpec
from venire.runner.events import JudgeCounts, event_of, reason_to_pause
from venire.runner.executor import RunEngine
from venire.runner.loop import OnEvent, RunEnd, not_begun, run_job, with_run_id
from venire.runner.plan import RunPlan, make_plan
from venire.runner.stop import StoppedError, StopSignal
from venire.shapes.registry import shape_of
from venire.version import __version__

RunResult = RunEnd[JudgeCounts]
"""How a run of judges ended."""


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
            return not_begun(PanelJob(spec), stopped.reason)
        with closing(made):
            return await run_panel(spec, ledger, engine, plan=made, stop=stop, on_event=on_event)
    return await run_job(PanelJob(with_run_id(spec)), ledger, engine, plan=plan, stop=stop, on_event=on_event)


class PanelJob:
    """Judging, as the loop of a run knows it."""

    def __init__(self, spec: RunSpec) -> None:
        self.spec = spec
        self.event_of = event_of
        self.reason_to_pause = reason_to_pause
        self.new_counts = JudgeCounts

    def work_of(self, asked: Judge) -> Work:
        """Yield the tasks of a judge, with their samples."""
        return self.spec.work_of(asked)

    def opening(self, plan: RunPlan) -> list[Draft]:
        """Record the protocol and what the run is about."""
        return [Draft(Kind.PROTOCOL, self.spec.protocol, self.spec.protocol.digest), _opening(self.spec, plan)]

    def opened_details(self, plan: RunPlan) -> dict[str, Any]:
        """Return who judges, by which protocol, and how many tasks are planned."""
        canaries = self.spec.canaries
        planned = {
            judge.name: plan.judges[judge.name].tasks + (canaries.count(judge) if canaries else 0)
            for judge in self.spec.judges
        }
        return {"judges": list(planned), "protocol": self.spec.protocol.id, "planned": planned}

    def closing(self, end: RunResult) -> Draft:
        """Record how the run ended."""
        payload = {"run": self.spec.run, "stopped": end.stopped, "counts": end.counts, "spent": end.spent}
        return Draft(Kind.RUN_CLOSED, payload, self.spec.run)


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
            "settings": {**spec.settings, **({"canaries": spec.canaries.record()} if spec.canaries else {})},
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
