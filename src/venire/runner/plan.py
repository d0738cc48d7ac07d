"""What a run plans to ask: how many tasks each judge has, and which, recorded before the first one is asked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import IO

import msgspec

from venire.ledger.entry import Draft, Kind
from venire.ledger.store import Ledger
from venire.runner.context import AnySpec
from venire.runner.stop import StopSignal

ID_BYTES = 32
"""How long a task's id is: it is a SHA-256."""
IDS_IN_A_PART = 4096
"""How many ids one entry of the ledger holds at most."""
_SPOOL_BYTES = 2**20


class PlannedTasks(msgspec.Struct, frozen=True):
    """What a run plans to ask of one judge, as the ledger holds it."""

    tasks: int
    """How many tasks there are, retests included; those that are answered already count."""
    digest: str
    """The SHA-256 over the 32 bytes of each task's id, in the order of the samples."""
    parts: tuple[str, ...]
    """The keys of the entries that hold the ids, in order; each is the SHA-256 of its part."""


class RunPlan:
    """The plan of a run by judge. The ids wait in a temporary file until they are in the ledger; `close` drops it."""

    def __init__(self, judges: dict[str, PlannedTasks], spool: IO[bytes], places: dict[str, tuple[int, int]]) -> None:
        self.judges = judges
        self._spool = spool
        self._places = places

    @property
    def tasks(self) -> int:
        """How many tasks all judges have together."""
        return sum(planned.tasks for planned in self.judges.values())

    def record(self, ledger: Ledger) -> None:
        """Append the ids that the ledger does not hold yet: a resumed run mostly plans what was planned before."""
        for key, (start, length) in self._places.items():
            if ledger.find(Kind.PLAN, key) is None:
                self._spool.seek(start)
                ledger.append([plan_draft(key, self._spool.read(length))])

    def close(self) -> None:
        """Let go of the ids."""
        self._spool.close()


def make_plan(spec: AnySpec, stop: StopSignal) -> RunPlan:
    """Read all samples or cases once and note which tasks each judge or target has.

    Raises `StoppedError` when a stop is asked for.
    """
    with ExitStack() as stack:
        spool: IO[bytes] = stack.enter_context(SpooledTemporaryFile(_SPOOL_BYTES))
        places: dict[str, tuple[int, int]] = {}
        ids = {each.name: _JudgeIds(spool, places) for each in spec.asked}
        for name, task_id in spec.task_ids():
            stop.check()
            ids[name].add(bytes.fromhex(task_id))
        planned = {name: own.planned() for name, own in ids.items()}
        stack.pop_all()  # From here on the plan keeps the file.
    return RunPlan(planned, spool, places)


class _JudgeIds:
    """What is known of a judge's tasks while samples are read."""

    def __init__(self, spool: IO[bytes], places: dict[str, tuple[int, int]]) -> None:
        self._spool = spool
        self._places = places
        self._waiting = bytearray()
        self._parts: list[str] = []
        self._tasks = 0
        self._hasher = hashlib.sha256()

    def add(self, task_id: bytes) -> None:
        """Note a task."""
        self._tasks += 1
        self._waiting += task_id
        self._hasher.update(task_id)
        if len(self._waiting) == IDS_IN_A_PART * ID_BYTES:
            self._keep()

    def planned(self) -> PlannedTasks:
        """Return what was noted."""
        if self._waiting:
            self._keep()
        return PlannedTasks(self._tasks, self._hasher.hexdigest(), tuple(self._parts))

    def _keep(self) -> None:
        part, self._waiting = bytes(self._waiting), bytearray()
        key = hashlib.sha256(part).hexdigest()
        self._parts.append(key)
        self._places[key] = (self._spool.tell(), len(part))
        self._spool.write(part)


def planned_tasks(ids: Sequence[bytes]) -> tuple[PlannedTasks, list[Draft]]:
    """Return the plan of tasks that are all at hand, and the parts of it that are to be recorded."""
    chunks = (b"".join(ids[start : start + IDS_IN_A_PART]) for start in range(0, len(ids), IDS_IN_A_PART))
    parts = [plan_draft(hashlib.sha256(chunk).hexdigest(), chunk) for chunk in chunks]
    whole = hashlib.sha256(b"".join(ids)).hexdigest()
    return PlannedTasks(len(ids), whole, tuple(part.key for part in parts)), parts


def plan_draft(key: str, ids: bytes) -> Draft:
    """Record a part of a plan: the ids of its tasks, one after another."""
    return Draft(Kind.PLAN, {"tasks": len(ids) // ID_BYTES}, key, ids)


def ids_of(part: bytes) -> Iterator[bytes]:
    """Yield the ids of the tasks in a part of a plan, as bytes."""
    for start in range(0, len(part), ID_BYTES):
        yield part[start : start + ID_BYTES]
