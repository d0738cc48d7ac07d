"""A task: one judge, one sample, one repeat. Its id is its content, so that nothing is ever asked or paid twice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import msgspec

from venire.domain.canonical import digest
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.judges.panel import Judge
from venire.judges.prompt import template_digest

FIRST = "0"
"""The repeat of a task that is asked for the first time."""


class Task(msgspec.Struct, frozen=True):
    """One question to one judge about one sample."""

    id: str
    """The digest of everything that could change the answer."""
    judge: str
    """The judge's name."""
    judge_digest: str
    """The digest of the judge as an instrument."""
    protocol_digest: str
    """The digest of the protocol."""
    prompt_digest: str
    """The digest of the template that the prompt is made from."""
    sample_digest: str
    """The digest of the sample or bundle."""
    repeat: str
    """`0` when first asked, `retest-1` for a consistency re-ask, `reask-N` for one after an invalid reply, `probe` for
    a probe of a voir dire, `jury-N` for one that an adaptive jury has chosen, `canary-RUN` for an anchor that the run
    judges again."""

    @property
    def is_planned(self) -> bool:
        """Whether it is one of the plan, and not one that followed from an invalid reply."""
        return self.repeat in (FIRST, RETEST, PROBE) or self.repeat.startswith((JURY, CANARY))


def make_task(
    judge: str, judge_digest: str, protocol_digest: str, prompt_digest: str, sample_digest: str, repeat: str = FIRST
) -> Task:
    """Make a task with its id."""
    task_id = digest("task", [protocol_digest, prompt_digest, sample_digest, judge_digest, repeat])
    return Task(task_id, judge, judge_digest, protocol_digest, prompt_digest, sample_digest, repeat)


def again(task: Task, repeat: str) -> Task:
    """Make the task that asks the same again."""
    return make_task(
        task.judge, task.judge_digest, task.protocol_digest, task.prompt_digest, task.sample_digest, repeat
    )


def is_retested(task: Task, share: float) -> bool:
    """Tell whether a task is among those that are asked twice; it depends on the task alone.

    >>> is_retested(make_task("j", "a", "b", "c", "d"), 1.0)
    True
    """
    return share > 0 and int(task.id[:13], 16) / 16**13 < share


PROBE = "probe"
"""The repeat of a task on a probe of a voir dire; it is asked once, and counts in no number about outputs."""

RETEST = "retest-1"
"""The repeat of a consistency re-ask."""

JURY = "jury-"
"""What the repeat of a further ask begins with that an adaptive jury has chosen; its number follows."""


CANARY = "canary-"
"""What the repeat of a task on an anchor begins with; the id of the run that asks follows."""


def is_probe(repeat: str) -> bool:
    """Tell from the repeat of a task whether it is about the judge, and so counts in no number about outputs."""
    return repeat == PROBE or is_canary(repeat)


def is_canary(repeat: str) -> bool:
    """Tell from the repeat of a task whether it judges an anchor again."""
    return repeat.startswith(CANARY)


def plan_tasks(
    judge: Judge, protocol: EvalProtocol, subjects: Iterable[Sample | Bundle], reask_share: float
) -> Iterator[tuple[Task, Sample | Bundle]]:
    """Yield the tasks of a judge as its samples are read; nothing is held."""
    prompt_digest = template_digest(judge.language, protocol)
    for subject in subjects:
        for task in tasks_about(subject, judge, protocol, prompt_digest, reask_share):
            yield task, subject


def tasks_about(
    subject: Sample | Bundle, judge: Judge, protocol: EvalProtocol, prompt_digest: str, reask_share: float
) -> Iterator[Task]:
    """Yield the tasks that a judge has of one subject."""
    repeat = PROBE if subject.probe else FIRST
    task = make_task(judge.name, judge.digest, protocol.digest, prompt_digest, subject.digest, repeat)
    yield task
    if (
        repeat == FIRST and judge.kind != "replay" and is_retested(task, reask_share)
    ):  # a recording would only repeat itself
        yield again(task, RETEST)


def reasks_of(task: Task, most: int) -> Iterator[Task]:
    """Yield the tasks that ask the same again, each after an invalid reply to the one before it; retests have none."""
    for number in range(1, most + 1 if task.repeat == FIRST else 1):
        yield again(task, f"reask-{number}")
