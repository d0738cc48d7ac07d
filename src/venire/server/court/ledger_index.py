"""What a ledger holds beside votes, in memory: lists of samples, judgements and runs. Texts stay in the ledger."""

from __future__ import annotations

from sys import intern
from typing import Any

import msgspec

from venire.domain.flag import Severity
from venire.domain.judgement import Judgement
from venire.domain.sample import Sample
from venire.ledger.entry import Entry, Kind
from venire.ledger.labels import read_draw
from venire.ledger.subjects import names_outputs, outline_of
from venire.runner.canaries.evidence import ALARM, CanaryRecord, JudgeEvidence
from venire.runner.plan import PlannedTasks, ids_of
from venire.runner.records import JudgementRecord, read_judgement
from venire.runner.task import is_probe
from venire.server.court.compared import PairIndex
from venire.server.court.views import CanaryCurve, JudgementRow
from venire.server.people.court_secret import CourtSecret


class IndexedSample(msgspec.Struct, frozen=True, gc=False):
    """A sample without its text, and where to find it."""

    output_id: str
    """The unique name of the output."""
    digest: str
    """The digest of the sample."""
    handle: str
    """The opaque name under which jurors know it."""
    question_id: str
    """The question."""
    prompt_variant: str
    """The version of the prompt."""
    target_model: str
    """The model."""
    factors: dict[str, str]
    """Further factors."""
    characters: int
    """How long the text is."""
    key: str
    """The key of the entry that holds it: its own digest, or that of its bundle."""


class IndexedRun(msgspec.Struct):
    """A run, counted while entries come in."""

    sequence: int
    """The entry that opened it."""
    opened_at: str
    """When."""
    protocol: str
    """The protocol's digest."""
    protocol_id: str
    """The protocol's short name."""
    judges: tuple[str, ...]
    """The panel."""
    run: str = ""
    """Its id; empty for a run of a version that gave it none."""
    plans: dict[str, PlannedTasks] = {}
    """What it planned for each judge; empty where it recorded no plan."""
    open_tasks: dict[str, set[bytes]] = {}
    """The planned tasks of each judge that were open when the run ended, or are now while it goes on."""
    replaced: bool = False
    """Whether a later run shows that this one has ended, though it was not closed."""
    counts: dict[str, dict[str, int]] = {}
    """For each judge, how many judgements of which status, and how many tasks failed."""
    costs: dict[str, float] = {}
    """What each judge cost, once the run is closed."""
    closed_at: str = ""
    """When it was closed; empty if it was not."""
    stopped: str = ""
    """Why it ended before its work was done."""


class LedgerIndex:
    """Lists of what a ledger holds. Not safe for threads: one event loop owns it."""

    def __init__(self, secret: CourtSecret, *, one_writer: bool = True) -> None:
        """Begin with nothing; where there is `one_writer` at a time, a run that begins has waited for those before."""
        self._one_writer = one_writer
        self._secret = secret
        self.samples: list[IndexedSample] = []
        self.by_handle: dict[str, int] = {}
        self.by_output: dict[str, int] = {}
        self.by_digest: dict[str, int] = {}
        self.drawn: dict[str, None] = {}
        """The digests of the outputs that were drawn for labelling, in order."""
        self.pairs = PairIndex(secret)
        self.judgements: list[JudgementRow] = []
        self.judged: dict[str, int] = {}
        self.valid = 0
        self.runs: list[IndexedRun] = []
        self._plan_parts: dict[str, bytes] = {}
        self._judged_tasks: dict[bytes, str] = {}
        self.opened: list[dict[str, Any]] = []
        self.last_judged = 0
        self.canaries: dict[str, tuple[str, CanaryRecord]] = {}
        """What anchors said after each run that judged some, with the time, by the id that its anchors carry."""

    def add(self, entry: Entry) -> None:
        """Take in an entry; votes and decisions are for the tally."""
        if entry.kind is Kind.SAMPLE:
            if names_outputs(entry):
                self._add_pair(entry)
                return
            subject = outline_of(entry)
            for sample in () if subject.probe else subject.samples:
                self._add_sample(sample, entry.key if sample is subject else sample.digest, entry.key)
        elif entry.kind is Kind.LABEL_DRAW:
            self.drawn |= dict.fromkeys(read_draw(entry.payload).drawn)
        elif entry.kind is Kind.JUDGEMENT:
            self._add_judgement(entry, read_judgement(entry))
        elif entry.kind is Kind.PLAN:
            self._plan_parts[entry.key] = entry.blob
        elif entry.kind is Kind.RUN_OPENED:
            self._open(entry)
        elif entry.kind is Kind.RUN_CLOSED and self.runs:
            self._close(entry)
        elif entry.kind is Kind.CANARIES:
            record = msgspec.convert(entry.content, CanaryRecord)
            self.canaries[record.round] = (entry.recorded_at, record)
        if entry.kind in (Kind.JUDGEMENT, Kind.RUN_OPENED, Kind.RUN_CLOSED, Kind.CANARIES):
            self.last_judged = entry.sequence

    def sample(self, name: str) -> IndexedSample | None:
        """Return a sample by its handle or the name of its output; None if there is none."""
        number = self.by_handle.get(name)
        if number is None:
            number = self.by_output.get(name)
        return None if number is None else self.samples[number]

    def drawn_samples(self) -> list[IndexedSample]:
        """Return the samples that were drawn for labelling."""
        return [self.samples[self.by_digest[digest]] for digest in self.drawn if digest in self.by_digest]

    def canary_curves(self) -> tuple[CanaryCurve, ...]:
        """Return what anchors said after each run of the judges of the last run that had some."""
        told = [each for each in self.opened if (each.get("settings") or {}).get("canaries")]
        if not told or not self.canaries:
            return ()
        protocol, digests = told[-1]["protocol"], {judge["digest"] for judge in told[-1]["judges"]}
        rounds = dict.fromkeys(each["settings"]["canaries"]["round"] for each in told if each["protocol"] == protocol)
        points: dict[str, list[tuple[int, str, float]]] = {}
        last: dict[str, JudgeEvidence] = {}
        for number, run in enumerate(rounds, 1):
            moment, record = self.canaries.get(run, ("", None))
            for each in record.judges if record else ():
                if each.judge_digest in digests:
                    points.setdefault(each.judge, []).append((number, moment, each.e_value))
                    last[each.judge] = each
        return tuple(
            CanaryCurve(name, tuple(held), last[name].peak, last[name].has_changed, ALARM)
            for name, held in points.items()
        )

    def _add_sample(self, sample: Sample, digest: str, key: str) -> None:
        known = IndexedSample(
            output_id=intern(sample.output_id),
            digest=digest,
            handle=self._secret.item_name(digest),
            question_id=intern(sample.question_id),
            prompt_variant=intern(sample.prompt_variant),
            target_model=intern(sample.target_model),
            factors={intern(name): intern(value) for name, value in sample.factors.items()},
            characters=len(sample.text),
            key=key,
        )
        place = self.by_output.get(known.output_id)
        if place is None:
            place = self.by_output[known.output_id] = len(self.samples)
            self.samples.append(known)
        else:  # Brought again with another text: the later one is what is voted on from now on.
            self.samples[place] = known
        self.by_handle[known.handle] = self.by_digest[known.digest] = place

    def _add_pair(self, entry: Entry) -> None:
        """List two outputs, which have entries of their own; those of a probe have no place."""
        places = [self.by_digest.get(digest) for digest in entry.content["pair"]["samples"]]
        known = [place for place in places if place is not None]
        if len(known) == 2:
            self.pairs.add([self.samples[place] for place in known], known)

    def _add_judgement(self, entry: Entry, record: JudgementRecord) -> None:
        judgement, task = record.judgement, record.task
        if not is_probe(task.repeat):
            self._list(entry, record)
        if not record.run and self.runs and not self.runs[-1].plans:
            _count(self.runs[-1], task.judge, judgement.status.value)
        task_id = bytes.fromhex(task.id)
        if task_id in self._judged_tasks:
            return
        for run in self.runs:  # Runs that overlap may have planned it, too.
            if run.replaced and record.run and run.run == record.run:
                self._go_on(run)
            if not (run.closed_at or run.replaced) and task_id in run.open_tasks.get(task.judge, ()):
                run.open_tasks[task.judge].discard(task_id)
                _count(run, task.judge, judgement.status.value)
        self._judged_tasks[task_id] = judgement.status.value

    def _list(self, entry: Entry, record: JudgementRecord) -> None:
        judgement = record.judgement
        self.judgements.append(row_of(entry.key, entry.sequence, record))
        self.valid += judgement.valid
        for each in judgement.entries or (judgement,):
            name = intern(each.sample)
            self.judged[name] = self.judged.get(name, 0) + 1

    def _open(self, entry: Entry) -> None:
        content = entry.content
        self.opened.append(content)
        run = IndexedRun(
            sequence=entry.sequence,
            opened_at=entry.recorded_at,
            protocol=content["protocol"],
            protocol_id=content["protocol_id"],
            judges=tuple(judge["name"] for judge in content["judges"]),
            run=content.get("run", ""),
            plans=msgspec.convert(content.get("plan", {}), dict[str, PlannedTasks]),
        )
        for judge, plan in run.plans.items():
            planned = {each for part in plan.parts for each in ids_of(self._plan_parts.get(part, b""))}
            run.open_tasks[judge] = planned - self._judged_tasks.keys()
            for task_id in planned & self._judged_tasks.keys():
                _count(run, judge, self._judged_tasks[task_id])
        digests = {plan.digest for plan in run.plans.values()}
        for earlier in self.runs:  # Until there is a sign of life of it, a run whose plan is begun anew was lost.
            planned_alike = not digests.isdisjoint(plan.digest for plan in earlier.plans.values())
            earlier.replaced = earlier.replaced or self._one_writer or not earlier.plans or planned_alike
        self.runs.append(run)

    def _go_on(self, run: IndexedRun) -> None:
        """Count what was answered since a run was taken for lost: it goes on beside the one that has the same plan."""
        run.replaced = False
        for judge, open_tasks in run.open_tasks.items():
            for task_id in open_tasks & self._judged_tasks.keys():
                open_tasks.discard(task_id)
                _count(run, judge, self._judged_tasks[task_id])

    def _close(self, entry: Entry) -> None:
        content = entry.content
        own = (run for run in reversed(self.runs) if run.run == content.get("run", ""))
        run = next(own, self.runs[-1])
        run.closed_at, run.stopped = entry.recorded_at, content["stopped"]
        for judge, counts in content["counts"].items():
            run.counts[judge] = {name: counts[name] for name in ("done", "valid", "invalid", "recovered", "failed")}
            run.costs[judge] = counts["cost"]


def _count(run: IndexedRun, judge: str, status: str) -> None:
    counted = run.counts.setdefault(judge, {})
    counted[status] = counted.get(status, 0) + 1


def row_of(key: str, sequence: int, record: JudgementRecord) -> JudgementRow:
    """Return a judgement as lists show it; names that many of them share are held once."""
    judgement, task = record.judgement, record.task
    return JudgementRow(
        key=key,
        sequence=sequence,
        sample=intern(judgement.sample),
        judge=intern(task.judge),
        repeat=intern(task.repeat),
        status=judgement.status.value,
        overall=judgement.overall,
        verdict=intern(judgement.verdict) if judgement.verdict is not None else None,
        flags=_flags(judgement),
    )


def _flags(judgement: Judgement) -> tuple[str, ...]:
    flags = {each.flag for each in judgement.all_findings if each.severity is Severity.VIOLATION and each.flag}
    return tuple(sorted(flag.value for flag in flags))
