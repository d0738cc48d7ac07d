"""How far runs have come: from the ledger, or from the file of events of a run that another process does."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Literal

import msgspec

from venire.runner.events import Event
from venire.server.court.ledger_index import IndexedRun
from venire.server.court.state import CourtState
from venire.server.court.views import JudgeProgress, RunProgress

LIVE = "live"
"""The id of the run whose events are read from a file."""
POLL_SECONDS = 0.5
"""How often it is looked whether something has changed."""


class Progress:
    """The runs of a ledger, and one that is followed by its events."""

    def __init__(self, state: CourtState) -> None:
        self._state = state
        self._live = EventsFile(state.options.events) if state.options.events else None

    def runs(self) -> tuple[RunProgress, ...]:
        """Return all runs, the latest first."""
        live = self._live.read() if self._live else None
        listed = [_progress(run, others_write=self._state.others_write) for run in reversed(self._state.index.runs)]
        return ((live,) if live else ()) + tuple(listed)

    async def watch(self, run: str) -> AsyncIterator[RunProgress]:
        """Yield the progress of a run now and whenever it changed, until it ended; nothing for an unknown run."""
        before: RunProgress | None = None
        followed = None
        while True:
            now = next((each for each in self.runs() if each.run == run), None)
            number = self._live.runs if self._live and run == LIVE else 0
            followed = followed or number
            if now is None or number != followed:  # The next run writes to the same file of events.
                return
            if now != before:
                yield now
                before = now
            if now.state != "running":
                return
            await asyncio.sleep(POLL_SECONDS)


def _progress(run: IndexedRun, *, others_write: bool) -> RunProgress:
    state: Literal["running", "done", "stopped", "failed"] = "done"
    if not run.closed_at:
        state = "running" if others_write and not run.replaced else "stopped"
    elif run.stopped:
        state = "stopped"
    return RunProgress(
        run=run.run or str(run.sequence),
        state=state,
        started_at=run.opened_at,
        ended_at=run.closed_at,
        protocol=run.protocol_id,
        judges=tuple(_judge(run, judge) for judge in run.judges),
        reason=run.stopped,
    )


def _judge(run: IndexedRun, judge: str) -> JudgeProgress:
    counts, plan = run.counts.get(judge, {}), run.plans.get(judge)
    done = counts.get("done", sum(counts.get(name, 0) for name in ("valid", "invalid", "recovered")))
    if plan is not None:  # What was asked again after an invalid reply is done, too, but was not planned.
        done = plan.tasks - len(run.open_tasks[judge])
    return JudgeProgress(
        judge=judge,
        planned=plan.tasks if plan else None,
        done=done,
        valid=counts.get("valid", 0),
        invalid=counts.get("invalid", 0),
        failed=counts.get("failed", 0),
        cost=run.costs.get(judge, 0.0),
    )


class EventsFile:
    """The events that `venire judge --events FILE` writes, read on from where it was left."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = 0
        self._rest = b""
        self.runs = 0
        """How many runs were opened so far; the last one is told of."""
        self._begin()

    def read(self) -> RunProgress | None:
        """Return how far the run has come; None before its first event."""
        try:
            with self._path.open("rb") as file:
                if file.seek(0, 2) < self._place:  # Written anew by another run.
                    self._place, self._rest = 0, b""
                file.seek(self._place)
                data = file.read()
        except OSError:
            return self._progress()
        self._place += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                self._take_in(msgspec.json.decode(line, type=Event))
            except msgspec.DecodeError:
                continue  # Not an event of ours; what can be read is shown.
        return self._progress()

    def _begin(self) -> None:
        self._protocol = ""
        self._judges: dict[str, JudgeProgress] = {}
        self._state: Literal["running", "done", "stopped"] | None = None
        self._reason = ""

    def _take_in(self, event: Event) -> None:
        if event.event == "run_opened":
            self._begin()
            self.runs += 1
            self._state = "running"
            self._protocol = str(event.details.get("protocol", ""))
            planned = event.details.get("planned", {})
            for name in event.details.get("judges", ()):
                self._judges[name] = JudgeProgress(judge=name, planned=planned.get(name))
        elif event.event in ("answered", "failed"):
            self._count(event)
        elif event.event in ("stopping", "run_closed"):
            self._reason = event.reason
            if event.event == "run_closed":
                self._state = "stopped" if event.reason else "done"

    def _count(self, event: Event) -> None:
        known = self._judges.get(event.judge, JudgeProgress(judge=event.judge, planned=None))
        is_planned = not event.repeat.startswith("reask")
        self._judges[event.judge] = JudgeProgress(
            judge=event.judge,
            planned=known.planned,
            done=known.done + (event.event == "answered" and is_planned),
            valid=known.valid + (event.status == "valid"),
            invalid=known.invalid + (event.status == "invalid"),
            failed=known.failed + (event.event == "failed" and is_planned),
            cost=known.cost + event.cost,
        )

    def _progress(self) -> RunProgress | None:
        if self._state is None:
            return None
        judges = tuple(self._judges.values())
        return RunProgress(
            run=LIVE, state=self._state, started_at="", protocol=self._protocol, judges=judges, reason=self._reason
        )
