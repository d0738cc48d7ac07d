"""Tells how much of what runs planned was answered, from the entries of a ledger and nothing else.

A report is about everything that a judge answered. So the plan of the judge's last run counts, and of earlier runs
those that planned answers which the later ones did not: a plan that was given up and replaced leaves nothing open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import NamedTuple

import msgspec

from venire.domain.completeness import Completeness, JudgeCompleteness
from venire.ledger.entry import Entry, Kind
from venire.ledger.store import Ledger
from venire.runner.plan import PlannedTasks, ids_of
from venire.runner.records import is_voir_dire
from venire.runner.task import Task, is_probe
from venire.words.said import say


class _Answered(msgspec.Struct, frozen=True):
    """The part of a reply's record that says what it answers."""

    task: Task


class _Plan(NamedTuple):
    """What one run planned for one judge; None where it recorded no plan."""

    protocol: str
    judge: str
    judge_digest: str
    tasks: PlannedTasks | None


_answered = msgspec.json.Decoder(_Answered)


class CompletenessReader:
    """Takes in the entries of a ledger one by one, and says in the end what is missing."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._plans: list[_Plan] = []
        self._has_voir_dire = False
        self._last_panel: dict[str, tuple[str, ...]] = {}
        self._answered: dict[tuple[str, str, str, str], set[bytes]] = {}

    def take(self, entry: Entry) -> None:
        """Take note of an entry. Raises what reading an entry of another form raises."""
        if entry.kind is Kind.REPLY:
            task = _answered.decode(entry.payload).task
            is_about_outputs = not is_probe(task.repeat)
            if is_about_outputs and not task.repeat.startswith(
                "reask"
            ):  # What follows from an invalid reply cannot be planned.
                version = (task.judge, task.protocol_digest, task.judge_digest, task.prompt_digest)
                self._answered.setdefault(version, set()).add(bytes.fromhex(task.id))
        elif entry.kind is Kind.RUN_OPENED:
            self._open(entry)

    def _open(self, entry: Entry) -> None:
        content = entry.content
        if is_voir_dire(content):
            self._has_voir_dire = True
            return
        plans = content.get("plan") or {}
        for judge in content["judges"]:
            name = judge["name"]
            tasks = msgspec.convert(plans[name], PlannedTasks) if name in plans else None
            self._plans.append(_Plan(content["protocol"], name, judge.get("digest", ""), tasks))
        self._last_panel[content["protocol"]] = tuple(judge["name"] for judge in content["judges"])

    def result(self, protocol: str = "", versions: Mapping[str, str] | None = None) -> Completeness:
        """Return the completeness under a protocol, or under all; of the chosen version of judges that have several."""
        found, unknown = [], []
        plans = [plan for plan in self._plans if plan.protocol == protocol or not protocol]
        for judge in dict.fromkeys(plan.judge for plan in plans):
            version = (versions or {}).get(judge, "")
            answered = self._answers_of(judge, protocol, version)
            if not answered and not any(judge in panel for panel in self._last_panel.values()):
                continue  # It left the panel before it answered anything.
            own = [plan for plan in plans if plan.judge == judge and version in ("", plan.judge_digest)]
            own = own or [plan for plan in plans if plan.judge == judge]
            planned = planned_ids(self._ledger, [plan.tasks for plan in own], answered)
            if planned:
                found.append(JudgeCompleteness(judge, len(planned), len(planned & answered)))
            if not planned or not answered <= planned:
                unknown.append(judge)
        if not found:
            only_probes = self._has_voir_dire and not plans
            return Completeness(unknown=say("problem.plan.only_probes" if only_probes else "problem.plan.none"))
        return Completeness(tuple(found), say("problem.plan.none_of", judges=tuple(unknown)) if unknown else "")

    def _answers_of(self, judge: str, protocol: str, version: str) -> set[bytes]:
        answered: set[bytes] = set()
        for (name, under, *digests), ids in self._answered.items():
            if name == judge and protocol in ("", under) and version in ("", *digests):
                answered |= ids
        return answered


def planned_ids(ledger: Ledger, plans: Sequence[PlannedTasks | None], answered: Set[bytes]) -> set[bytes]:
    """Return the ids of the last plan, and of those before it that planned answers which are not in it."""
    planned: set[bytes] = set()
    for plan in reversed(plans):
        ids = _ids(ledger, plan)
        if not planned or not (answered - planned).isdisjoint(ids):
            planned |= ids
    return planned


def _ids(ledger: Ledger, plan: PlannedTasks | None) -> set[bytes]:
    ids: set[bytes] = set()
    for key in plan.parts if plan else ():
        entry = ledger.find(Kind.PLAN, key)
        ids.update(ids_of(entry.blob) if entry else ())
    return ids
