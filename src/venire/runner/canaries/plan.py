"""Anchors among the outputs of a run: judged again in each run, so that a judge that changes is noticed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from venire.domain.canonical import digest
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Sample
from venire.judges.panel import Judge
from venire.judges.prompt import template_digest
from venire.runner.claimed_work import Work
from venire.runner.task import CANARY, Task, make_task

IS_ANCHOR = "canary"
"""What the field `probe` of an anchor says."""


class CanaryPlan(msgspec.Struct, frozen=True, kw_only=True):
    """Which anchors a run judges, how often, and among which tasks."""

    round: str
    """The id of the run that they carry; a run that goes on with another's work has that one's."""
    ordinary: str
    """The digest of all other tasks of the run: one that plans the same goes on with its work."""
    anchors: dict[str, Sample]
    """The anchors by their digests."""
    asked: dict[str, dict[str, int]]
    """For each judge by its digest, the anchors that it is asked about, and how often: a new one as often as it takes
    to know its first verdicts."""
    tasks: dict[str, int]
    """For each judge by its name, among how many other tasks they stand."""
    labels: dict[str, dict[str, float]] = {}
    """What people said of an anchor by dimension, as a place from 0 to 1; the overall score has the empty name."""

    def count(self, judge: Judge) -> int:
        """Return how many tasks on anchors a judge has."""
        return sum(self.asked.get(judge.digest, {}).values())

    def among(self, work: Work, judge: Judge, protocol: EvalProtocol) -> Work:
        """Put the tasks on anchors among the others of a judge, at places that follow from digests alone."""
        waiting: dict[int, list[tuple[Task, Sample]]] = {}
        room = self.tasks.get(judge.name, 0) + 1
        for task, anchor in self._tasks(judge, protocol):
            waiting.setdefault(int(task.id[:13], 16) % room, []).append((task, anchor))
        for place, item in enumerate(work):
            yield from waiting.pop(place, ())
            yield item
        for late in sorted(waiting):
            yield from waiting[late]

    def _tasks(self, judge: Judge, protocol: EvalProtocol) -> Iterator[tuple[Task, Sample]]:
        prompt = template_digest(judge.language, protocol)
        for key, times in self.asked.get(judge.digest, {}).items():
            for number in range(1, times + 1):
                repeat = f"{CANARY}{self.round}" + (f"-{number}" if number > 1 else "")
                yield make_task(judge.name, judge.digest, protocol.digest, prompt, key, repeat), self.anchors[key]

    def record(self) -> dict[str, Any]:
        """Return what the record of the run says of them."""
        return {"round": self.round, "ordinary": self.ordinary, "asked": self.asked, "labels": self.labels}


def order_by_hash(keys: Mapping[str, int], run: str) -> list[str]:
    """Return anchors in the order in which a run asks for them: those asked least often first, else by a hash."""
    return sorted(keys, key=lambda key: (keys[key], digest("canary-order", [run, key])))
