"""A task of a collection: one target, one cell of the design. Its id is its content, so that nothing is paid twice."""

from __future__ import annotations

import msgspec

from venire.domain.canonical import digest
from venire.domain.output import OutputPlace, PlannedOutput
from venire.targets.target import Target


class OutputTask(msgspec.Struct, frozen=True):
    """One output to collect from one target."""

    id: str
    """The digest of everything that could change the answer."""
    target: str
    """The target's name."""
    target_digest: str
    """The digest of the target."""
    turn: int = 1
    """Which turn of the case it is; what is planned is the last one."""

    @property
    def is_planned(self) -> bool:
        """Whether it is one of the plan; earlier turns are never answered for by themselves."""
        return True


def output_task(target: Target, planned: PlannedOutput) -> OutputTask:
    """Make the task of a planned output."""
    case = planned.case.digest if target.sees_case else ""
    task_id = task_digest(target.digest, planned.prompt.digest, case, planned.place)
    return OutputTask(task_id, target.name, target.digest, len(planned.prompt.turns))


def task_digest(target: str, prompt: str, case: str, place: OutputPlace) -> str:
    """Return the id of a task from digests and the place in the design; the case is empty if the target sees none."""
    return digest("output-task", {"target": target, "prompt": prompt, "case": case, "place": place})


def turn_task(task: OutputTask, turn: int) -> OutputTask:
    """Make the task of an earlier turn."""
    if turn == task.turn:
        return task
    return OutputTask(digest("output-turn", [task.id, turn]), task.target, task.target_digest, turn)
