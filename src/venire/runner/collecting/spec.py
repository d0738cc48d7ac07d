"""What a collection is about: which targets are asked for which outputs, and how."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec

from venire.domain.output import PlannedOutput
from venire.judges.provider import Provider
from venire.ledger.entry import Kind
from venire.runner.admission import Admission
from venire.runner.call import RunServices
from venire.runner.claimed_work import ClaimedTask
from venire.runner.collecting.task import OutputTask, output_task, turn_task
from venire.runner.collecting.worker import CollectWorker, OutputAnswer, held_output
from venire.runner.options import RunnerOptions
from venire.targets.target import Target


class CollectSpec(msgspec.Struct, frozen=True):
    """What a collection is about."""

    targets: tuple[Target, ...]
    """Whoever produces outputs."""
    outputs: Callable[[Target], Iterator[PlannedOutput]]
    """Begins to read the cases, and yields what is to be collected from a target."""
    options: RunnerOptions
    """How the run is done."""
    share: float = 1.0
    """The share of the design that is collected, chosen by hash."""
    settings: dict[str, Any] = {}
    """What else the record of the run should say: prompts, factors, cases."""
    run: str = ""
    """The id of the run, which all that it records carries; the run makes one for itself if it is empty."""

    @property
    def asked(self) -> tuple[Target, ...]:
        """Who is asked."""
        return self.targets

    def work_of(self, target: Target) -> Iterator[tuple[OutputTask, PlannedOutput]]:
        """Yield the tasks of a target as cases are read; nothing is held."""
        for planned in self.outputs(target):
            task = output_task(target, planned)
            if is_chosen(task.id, self.share):
                yield task, planned

    def task_ids(self) -> Iterator[tuple[str, str]]:
        """Read all cases, and yield the target and the id of each task."""
        for target in self.targets:
            for task, _ in self.work_of(target):
                yield target.name, task.id

    def worker(self, target: Target, provider: Provider, services: RunServices, admission: Admission) -> CollectWorker:
        """Return who answers the tasks of a target."""
        return CollectWorker(target, provider, services, admission)

    def record_keys(self, task: OutputTask) -> list[tuple[Kind, str]]:
        """Return under what the ledger would hold a task that was answered, or its earlier turns."""
        return [(Kind.OUTPUT, turn_task(task, number).id) for number in range(1, task.turn + 1)]

    def held_answer(self, held: ClaimedTask) -> OutputAnswer:
        """Return the answer of a task that another run is asking."""
        return held_output(held)

    def documents_of(self, target: Target) -> None:  # noqa: ARG002
        """Return nothing: targets are sent no files."""
        return

    def to_be_sent(self) -> CollectSpec:
        """Return what a worker elsewhere is told; what is to be collected comes with the tasks."""
        return msgspec.structs.replace(self, outputs=_nothing)

    def with_documents(self, documents: object) -> CollectSpec:  # noqa: ARG002
        """Return the same: targets are sent no files."""
        return self


def is_chosen(task_id: str, share: float) -> bool:
    """Tell whether a task is among the share of the design that is collected; it depends on the task alone."""
    return int(task_id[:13], 16) / 16**13 < share


def _nothing(_: Target) -> Iterator[PlannedOutput]:
    """Read no cases."""
    return iter(())
