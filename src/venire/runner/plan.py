"""Which tasks a judge has: one for each sample, a second asking for some of them, and more after invalid replies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from venire.domain.canonical import digest
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.judges.panel import Judge
from venire.judges.prompt import template_digest
from venire.runner.context import Hearing
from venire.runner.task import FIRST, Task, again, is_retested, make_task

RETEST = "retest-1"
"""The repeat of a consistency re-ask."""
_CLAIMED = 8
"""By how many tasks, at most, two runs are known to be about the same."""


def plan_tasks(
    judge: Judge, protocol: EvalProtocol, subjects: Iterable[Sample | Bundle], reask_share: float
) -> Iterator[tuple[Task, Sample | Bundle]]:
    """Yield the tasks of a judge as its samples are read; nothing is held."""
    prompt_digest = template_digest(judge.language)
    for subject in subjects:
        for task in tasks_about(subject, judge, protocol, prompt_digest, reask_share):
            yield task, subject


def tasks_about(
    subject: Sample | Bundle, judge: Judge, protocol: EvalProtocol, prompt_digest: str, reask_share: float
) -> Iterator[Task]:
    """Yield the tasks that a judge has of one subject."""
    task = make_task(judge.name, judge.digest, protocol.digest, prompt_digest, subject.digest)
    yield task
    if judge.kind != "replay" and is_retested(task, reask_share):  # a recording would only repeat itself
        yield again(task, RETEST)


def reasks_of(task: Task, most: int) -> Iterator[Task]:
    """Yield the tasks that ask the same again, each after an invalid reply to the one before it; retests have none."""
    for number in range(1, most + 1 if task.repeat == FIRST else 1):
        yield again(task, f"reask-{number}")


def claims_of(hearing: Hearing) -> list[str]:
    """Return what nobody else may ask while this hearing lasts: for each judge, the digest of its first tasks.

    So two runs of the same judges on the same samples meet, wherever their files are, and runs on other samples do not.
    """
    first = list(islice(hearing.subjects(), _CLAIMED))
    planned = (plan_tasks(judge, hearing.protocol, first, 0.0) for judge in hearing.judges)
    return [digest("claim", [task.id for task, _ in tasks]) for tasks in planned] if first else []
