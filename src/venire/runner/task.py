"""A task: one judge, one sample, one repeat. Its id is its content, so that nothing is ever asked or paid twice."""

from __future__ import annotations

import msgspec

from venire.domain.canonical import digest

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
    """`0` for the first asking, `retest-1` for a consistency re-ask, `reask-N` for one after an invalid reply."""


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
    return int(task.id[:13], 16) / 16**13 < share
