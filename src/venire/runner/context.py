"""What a run is about, and what whoever does its work is given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.judges.panel import Judge
from venire.judges.prompt import template_digest
from venire.judges.provider import Provider
from venire.ledger.entry import Kind
from venire.ledger.group_commit import GroupCommit
from venire.ledger.store import Claims, Ledger
from venire.runner.admission import Admission
from venire.runner.call import RunServices
from venire.runner.canaries.plan import CanaryPlan
from venire.runner.claimed_work import ClaimedTask, Work
from venire.runner.collecting.spec import CollectSpec
from venire.runner.options import RunnerOptions
from venire.runner.request import Documents, RequestBuilder
from venire.runner.stop import StopSignal
from venire.runner.task import Task, make_task, tasks_about
from venire.runner.worker import Answer, JudgeWorker, held_answer
from venire.targets.target import Target
from venire.validation.terms import Profile

Respondent = Judge | Target
"""Whoever is asked in a run: a judge, or a target whose outputs are collected."""


class RunSpec(msgspec.Struct, frozen=True):
    """What a run of judges is about: who judges what, and how."""

    protocol: EvalProtocol
    """The protocol."""
    judges: tuple[Judge, ...]
    """The panel."""
    subjects: Callable[[], Iterator[Sample | Bundle]]
    """Begins to read the samples; each judge reads them for itself, so that none waits for another."""
    options: RunnerOptions
    """How the run is done."""
    profile: Profile = "contract"
    """How much of the protocol's contract is asked for."""
    evidence: EvidenceLevel = EvidenceLevel.NFKC
    """The most lenient level at which a quote counts as verbatim."""
    documents: Documents | None = None
    """Reads the files behind a subject, for judges that get them as documents."""
    settings: dict[str, Any] = {}
    """What else the record of the run should say, such as where samples were read from."""
    chosen: Mapping[str, Mapping[str, tuple[str, ...]]] | None = None
    """Which repeats each judge is asked for, by its name and the digest of the sample; None for all of the panel."""
    run: str = ""
    """The id of the run, which all that it records carries; the run makes one for itself if it is empty."""
    canaries: CanaryPlan | None = None
    """The anchors that are judged among the samples; None if none are. They are no part of the plan of outputs."""

    @property
    def asked(self) -> tuple[Judge, ...]:
        """Who is asked."""
        return self.judges

    def task_ids(self) -> Iterator[tuple[str, str]]:
        """Read all samples once, and yield the judge and the id of each task."""
        prompts = {judge.language: template_digest(judge.language, self.protocol) for judge in self.judges}
        for subject in self.subjects():
            for judge in self.judges:
                for task in self.tasks_about(subject, judge, prompts[judge.language]):
                    yield judge.name, task.id

    def tasks_about(self, subject: Sample | Bundle, judge: Judge, prompt: str) -> Iterator[Task]:
        """Yield the tasks that a judge has of one subject, by the digest of what its prompts are made of."""
        if self.chosen is None:
            yield from tasks_about(subject, judge, self.protocol, prompt, self.options.reask_share)
            return
        for repeat in self.chosen.get(judge.name, {}).get(subject.digest, ()):
            yield make_task(judge.name, judge.digest, self.protocol.digest, prompt, subject.digest, repeat)

    def work_of(self, judge: Judge) -> Work:
        """Yield the tasks of a judge with their samples, and anchors among them."""
        prompt = template_digest(judge.language, self.protocol)
        work = ((task, subject) for subject in self.subjects() for task in self.tasks_about(subject, judge, prompt))
        return self.canaries.among(work, judge, self.protocol) if self.canaries else work

    def worker(self, judge: Judge, provider: Provider, services: RunServices, admission: Admission) -> JudgeWorker:
        """Return who answers the tasks of a judge."""
        return JudgeWorker(self.builder(judge), provider, services, admission)

    def record_keys(self, task: Task) -> list[tuple[Kind, str]]:
        """Return under what the ledger would hold a task that was answered; a judgement only stands behind a reply."""
        return [(Kind.REPLY, task.id)]

    def held_answer(self, held: ClaimedTask) -> Answer:
        """Return the answer of a task that another run is asking."""
        return held_answer(held)

    def documents_of(self, judge: Judge) -> Documents | None:
        """Return what reads the files behind a subject, for a judge that gets them."""
        return self.documents if judge.attach_files else None

    def to_be_sent(self) -> RunSpec:
        """Return what a worker elsewhere is told; its samples and documents come with the tasks."""
        return msgspec.structs.replace(self, subjects=_no_samples, documents=None, chosen=None, canaries=None)

    def with_documents(self, documents: Documents) -> RunSpec:
        """Return the same with another way to read documents."""
        return msgspec.structs.replace(self, documents=documents)

    def builder(self, judge: Judge) -> RequestBuilder:
        """Return who puts the questions to a judge."""
        return RequestBuilder(
            judge,
            self.protocol,
            seed=self.options.seed,
            profile=self.profile,
            evidence=self.evidence,
            documents=self.documents,
        )


AnySpec = RunSpec | CollectSpec
"""What a run is about: judging or collecting."""


def _no_samples() -> Iterator[Sample | Bundle]:
    """Read no samples."""
    return iter(())


class RunContext(msgspec.Struct, frozen=True):
    """A run that is under way."""

    spec: AnySpec
    """What it is about."""
    ledger: Ledger
    """Where it is recorded."""
    writer: GroupCommit
    """Where this process commits."""
    stop: StopSignal
    """How it is told to end."""
    claims: Claims
    """How other runs are kept from asking the same meanwhile."""
    paused: dict[str, str]
    """The judges that are asked nothing more in this run, and why; executors add to it."""
    is_paused: Callable[[str], bool]
    """Tells with a task in hand whether a judge is to be asked nothing more; pauses one whose replies are no use."""
    note: Callable[[str, Any], None]
    """Hears of a judge's answer as soon as there is one, before its judgement is durable and it is told of."""
    notify: Callable[[str], None]
    """Tells of what holds up or befalls those who work on the run, though they go on."""
