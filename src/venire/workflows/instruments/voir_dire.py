"""Put a battery of probes before each judge of a configuration, and record whether it qualifies."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec

from venire.config import Settings
from venire.inputs.problems import OnProblem
from venire.judges.panel import Judge
from venire.judges.probes.qualification import ProbeReply, Qualification
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import is_missing_file, open_ledger
from venire.ledger.store import Ledger
from venire.runner.budget import Spending, left_of, total
from venire.runner.context import RunSpec
from venire.runner.loop import OnEvent
from venire.runner.records import judgement_key, read_judgement, terms_digest
from venire.runner.run import run_panel
from venire.runner.stop import StoppedError, StopSignal
from venire.runner.task import plan_tasks
from venire.workflows.instruments.examination import Examination, ProbeRun, prepare
from venire.workflows.instruments.place import place_of_probe
from venire.workflows.instruments.probe_counts import examine, plain_rates
from venire.workflows.ledgers import run_ledger
from venire.workflows.open_engine import open_engine
from venire.workflows.plan import JudgePlan, add_plans, leave_unpriced, plan_judge


class VoirDireResult(msgspec.Struct, frozen=True, kw_only=True):
    """How a voir dire ended."""

    qualifications: tuple[Qualification, ...]
    """The outcome of each judge; none if it was stopped."""
    spent: Spending
    """What it has spent."""
    stopped: str = ""
    """Why it ended before all probes were asked; empty if they were."""
    own: int = 0
    """How many of the outputs that probes were made from are the user's own."""
    bundled: int = 0
    """How many of them come with Venire."""


async def voir_dire(
    settings: Settings,
    *,
    stop: StopSignal | None = None,
    on_event: OnEvent = lambda _: None,
    on_problem: OnProblem = None,
) -> VoirDireResult:
    """Examine every judge, going on where an earlier voir dire has stopped; the outcomes are recorded."""
    stop = stop or StopSignal()
    exam = await asyncio.to_thread(prepare, settings, on_problem)
    own, bundled = exam.own, len(exam.bases) - exam.own
    spent: list[Spending] = []
    probe_runs = tuple(exam.probe_runs())

    def unqualified(reason: str) -> VoirDireResult:
        return VoirDireResult(qualifications=(), spent=total(spent), stopped=reason, own=own, bundled=bundled)

    try:
        async with open_engine(settings) as engine, run_ledger(settings, stop, on_event) as ledger:
            for probe_run in probe_runs:
                spec = _within(exam.spec(probe_run), total(spent))
                result = await run_panel(spec, ledger, engine, stop=stop, on_event=on_event)
                spent.append(result.spent)
                if stop.reason:
                    return unqualified(result.stopped)
            found = tuple(_qualify(exam, probe_runs, judge, ledger) for judge in exam.judges)
            ledger.append([Draft(Kind.QUALIFICATION, each, qualified_key(each)) for each in found])
    except StoppedError as stopped:
        return unqualified(stopped.reason)
    return VoirDireResult(qualifications=found, spent=total(spent), own=own, bundled=bundled)


def plan_voir_dire(settings: Settings) -> dict[str, JudgePlan]:
    """Count what a voir dire would ask of each judge, what is done already, and what the rest may cost at most."""
    exam = prepare(settings, lambda _: None)
    exists = settings.ledger != "memory:" and not is_missing_file(settings.ledger)
    ledger = open_ledger(settings.ledger, read_only=True) if exists else None
    try:
        plans = {judge.name: JudgePlan() for judge in exam.judges}
        for probe_run in exam.probe_runs():
            for judge in probe_run.judges:
                planned = plan_judge(judge, exam.spec(probe_run), ledger)
                plans[judge.name] = add_plans(plans[judge.name], planned)
    finally:
        if ledger is not None:
            ledger.close()
    leave_unpriced(plans, settings)
    return plans


def qualified_key(found: Qualification) -> str:
    """Return what a qualification is looked up by: the judge and the protocol that it holds for."""
    return f"{found.judge_digest}/{found.protocol}"


def _qualify(exam: Examination, probe_runs: tuple[ProbeRun, ...], judge: Judge, ledger: Ledger) -> Qualification:
    terms, not_asked = exam.terms_for(judge)
    replies = sorted(
        (
            reply
            for probe_run in probe_runs
            for asked in probe_run.judges
            if asked.name == judge.name
            for reply in _replies(exam.spec(probe_run), asked, ledger, count_recovered=terms.count_recovered)
        ),
        key=lambda each: each.probe,
    )
    outcome, rates, worst = examine(replies, terms)
    return Qualification(
        judge=judge.name,
        judge_digest=judge.digest,
        protocol=exam.settings.protocol.digest,
        battery=exam.battery.id,
        battery_digest=exam.battery.digest,
        days=exam.battery.days,
        terms=terms,
        outcome=outcome.value,
        rates=plain_rates(rates),
        worst=worst,
        not_asked=not_asked,
        replies=tuple(replies),
    )


def _replies(spec: RunSpec, judge: Judge, ledger: Ledger, *, count_recovered: bool) -> Iterator[ProbeReply]:
    """Yield what the ledger holds on the probes of one run; those without a judgement are left out."""
    terms = terms_digest(spec.builder(judge).checker.terms, judge.identity)
    for task, subject in plan_tasks(judge, spec.protocol, spec.subjects(), 0.0):
        key = judgement_key(task.id, terms)
        entry = ledger.find(Kind.JUDGEMENT, key)
        if entry is None:
            continue
        judgement = read_judgement(entry).judgement
        name, place = place_of_probe(judgement, subject, spec.protocol, count_recovered=count_recovered)
        yield ProbeReply(name, key, judgement.reply_sha256, place)


def _within(spec: RunSpec, spent: Spending) -> RunSpec:
    """Return a run with what is left of the budget."""
    options = msgspec.structs.replace(spec.options, budget=left_of(spec.options.budget, spent))
    return msgspec.structs.replace(spec, options=options)
