"""Tells how many of the outputs that were to be collected are there, from the entries of a ledger and nothing else."""

from __future__ import annotations

import msgspec

from venire.domain.completeness import TargetCompleteness
from venire.domain.output import OutputState
from venire.ledger.entry import Entry
from venire.ledger.store import Ledger
from venire.runner.collecting.records import OutputRecord
from venire.runner.plan import PlannedTasks
from venire.workflows.evidence.completeness import planned_ids


class CollectionReader:
    """Takes in collections and their outputs, and says in the end what is missing of each target."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._plans: dict[str, list[PlannedTasks | None]] = {}
        self._collected: dict[str, set[bytes]] = {}
        self._empty: dict[str, set[bytes]] = {}

    def open(self, entry: Entry) -> None:
        """Take note of what a collection planned."""
        for target, plan in entry.content["plan"].items():
            self._plans.setdefault(target, []).append(msgspec.convert(plan, PlannedTasks))

    def take(self, entry: Entry, record: OutputRecord) -> None:
        """Take note of an output."""
        kept = self._empty if record.state is OutputState.EMPTY else self._collected
        kept.setdefault(record.place.target, set()).add(bytes.fromhex(entry.key))

    def result(self) -> tuple[TargetCompleteness, ...]:
        """Return what was planned of each target, and how much of it is there."""
        return tuple(self._of(target, plans) for target, plans in self._plans.items())

    def _of(self, target: str, plans: list[PlannedTasks | None]) -> TargetCompleteness:
        empty = self._empty.get(target, set())
        known = self._collected.get(target, set()) | empty
        planned = planned_ids(self._ledger, plans, known)
        ended_early = len(empty - planned)  # A conversation ends with an empty answer, whatever turn it is.
        return TargetCompleteness(target, len(planned), min(len(planned & known) + ended_early, len(planned)))
