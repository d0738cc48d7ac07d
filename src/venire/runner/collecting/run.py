"""A run that collects: targets are asked for the outputs of a design, and everything is committed to the ledger."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from venire.domain.output import OutputState, PlannedOutput
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import shown_location
from venire.ledger.store import Ledger
from venire.runner.collecting.spec import CollectSpec
from venire.runner.collecting.task import OutputTask
from venire.runner.collecting.worker import OutputAnswer
from venire.runner.events import AskedCounts, Event
from venire.runner.executor import RunEngine
from venire.runner.loop import OnEvent, RunEnd, run_job, with_run_id
from venire.runner.plan import RunPlan
from venire.runner.stop import StopSignal
from venire.targets.target import Target
from venire.version import __version__


class TargetCounts(AskedCounts):
    """How far a target has come."""

    complete: int = 0
    """Outputs that ended by themselves."""
    empty: int = 0
    """Outputs without text, which are never judged."""
    refused: int = 0
    """Outputs of which the target's server says that they are refusals."""
    cut_off: int = 0
    """Outputs that ended at a limit of length."""

    def add(self, answer: OutputAnswer) -> None:
        """Count one answer."""
        state = answer.state
        if state is None:
            self.add_failure(answer.cause, answer.failure)
            return
        self.done += 1
        self.was_done += answer.was_done
        self.complete += state is OutputState.COMPLETE
        self.empty += state is OutputState.EMPTY
        self.refused += state is OutputState.REFUSED
        self.cut_off += state is OutputState.CUT_OFF


CollectResult = RunEnd[TargetCounts]
"""How a run ended that collects."""


async def run_collection(
    spec: CollectSpec,
    ledger: Ledger,
    engine: RunEngine,
    *,
    plan: RunPlan,
    stop: StopSignal,
    on_event: OnEvent = lambda _: None,
) -> CollectResult:
    """Ask all targets for all outputs; ends when each is there or has failed, or a stop is asked for."""
    return await run_job(CollectJob(with_run_id(spec)), ledger, engine, plan=plan, stop=stop, on_event=on_event)


class CollectJob:
    """Collecting, as the loop of a run knows it."""

    def __init__(self, spec: CollectSpec) -> None:
        self.spec = spec
        self.new_counts = TargetCounts

    def work_of(self, asked: Target) -> Iterator[tuple[OutputTask, PlannedOutput]]:
        """Yield the tasks of a target."""
        return self.spec.work_of(asked)

    def reason_to_pause(self, counts: TargetCounts) -> str:  # noqa: ARG002
        """Return nothing: what targets give back is kept, whatever it is."""
        return ""

    def event_of(self, answer: OutputAnswer, *, is_last: bool = True) -> Event:
        """Return the event of an output, or of one that failed and is asked for again at the end of the run."""
        failed: Literal["failed", "postponed"] = "failed" if is_last else "postponed"
        return Event(
            failed if answer.state is None else "answered",
            judge=answer.task.target,
            sample=answer.sample,
            status=answer.state.value if answer.state else "",
            reason=answer.failure,
            cause=answer.cause,
            was_done=answer.was_done,
            calls=answer.calls,
            cost=answer.cost,
        )

    def opening(self, plan: RunPlan) -> list[Draft]:
        """Record what is collected from whom."""
        payload = {
            "run": self.spec.run,
            "plan": plan.judges,
            "targets": [target_record(target) for target in self.spec.targets],
            "share": self.spec.share,
            "runner": self.spec.options,
            "settings": self.spec.settings,
            "software": {"venire": __version__, "python": platform.python_version()},
        }
        return [Draft(Kind.COLLECTION_OPENED, payload, self.spec.run)]

    def opened_details(self, plan: RunPlan) -> dict[str, Any]:
        """Return who is asked, and how many outputs are planned."""
        planned = {name: planned.tasks for name, planned in plan.judges.items()}
        return {"targets": list(planned), "planned": planned}

    def closing(self, end: CollectResult) -> Draft:
        """Record how the run ended."""
        payload = {"run": self.spec.run, "stopped": end.stopped, "counts": end.counts, "spent": end.spent}
        return Draft(Kind.COLLECTION_CLOSED, payload, self.spec.run)


def target_record(target: Target) -> dict[str, Any]:
    """Return what the record of a run says about a target; it holds names of variables, never keys or passwords."""
    record: dict[str, Any] = msgspec.to_builtins(target)
    if target.kind == "replay" and (ledger := target.options.get("ledger")):
        record["options"]["ledger"] = shown_location(ledger)
    return {**record, "digest": target.digest}
