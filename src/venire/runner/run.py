"""A run: a panel before a set of samples, with everything that happens committed to the ledger."""

from __future__ import annotations

import asyncio
import platform
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from typing import Any

import msgspec

from venire.domain.judgement import EvidenceLevel
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Bundle, Sample
from venire.judges.panel import Judge
from venire.judges.prompt import template_digest, template_text
from venire.judges.provider import Provider
from venire.ledger.entry import Draft, Kind
from venire.ledger.group_commit import GroupCommit
from venire.ledger.store import Ledger
from venire.runner.answer import Bench, Clerk
from venire.runner.ask import Documents, Questioner
from venire.runner.breaker import Breaker
from venire.runner.budget import BudgetMeter, Spending
from venire.runner.events import Event, JudgeCounts, event_of
from venire.runner.executor import LocalExecutor
from venire.runner.limits import JudgeLimiter
from venire.runner.options import RunnerOptions
from venire.runner.plan import plan_tasks
from venire.runner.retry import RetryPolicy
from venire.runner.stop import StopSignal
from venire.validation.terms import Profile
from venire.version import __version__

OnEvent = Callable[[Event], None]


class Hearing(msgspec.Struct, frozen=True):
    """What a run is about: who judges what, and how."""

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


class RunResult(msgspec.Struct, frozen=True):
    """How a run ended."""

    counts: dict[str, JudgeCounts]
    """How far each judge has come."""
    spent: Spending
    """What this run has spent, on tasks that it left unfinished too."""
    stopped: str
    """Why the run ended before its work was done; empty if it was done."""

    @property
    def failed(self) -> int:
        """How many tasks could not be answered."""
        return sum(counts.failed for counts in self.counts.values())


async def run_panel(
    hearing: Hearing,
    ledger: Ledger,
    providers: Mapping[str, Provider],
    *,
    stop: StopSignal | None = None,
    on_event: OnEvent = lambda _: None,
) -> RunResult:
    """Put all samples before all judges; ends when every task is answered or failed, or a stop is asked for."""
    stop = stop or StopSignal()
    options = hearing.options
    resuming = next(ledger.keys(Kind.REPLY), None) is not None
    counts = {judge.name: JudgeCounts() for judge in hearing.judges}
    async with GroupCommit(ledger) as writer:
        opened = _opening(hearing)
        await writer.append([Draft(Kind.PROTOCOL, hearing.protocol, hearing.protocol.digest), opened])
        on_event(Event("run_opened", details={"judges": list(counts), "protocol": hearing.protocol.id}))
        clerk = Clerk(
            ledger=ledger,
            resuming=resuming,
            writer=writer,
            budget=BudgetMeter(options.budget),
            policy=RetryPolicy(
                options.attempts,
                options.backoff_seconds,
                options.backoff_limit_seconds,
                options.retry_after_limit_seconds,
            ),
            reask_invalid=options.reask_invalid,
            chance=random.Random(options.seed),  # noqa: S311 - jitter is no secret
            stop=stop,
        )

        async def hear(judge: Judge) -> None:
            try:
                async for event in _hear(judge, hearing, clerk, providers[judge.name], stop, counts[judge.name]):
                    on_event(event)
            except Exception:
                stop.request("an error has ended the run")
                raise

        if options.mode == "sequential":
            for judge in hearing.judges:
                await hear(judge)
        else:
            await _all_at_once(hear, hearing.judges)
        result = RunResult(counts, clerk.budget.spent, stop.reason)
        await writer.append([_closing(result)])
    on_event(Event("run_closed", reason=stop.reason, details=msgspec.to_builtins(counts)))
    return result


async def _all_at_once(hear: Callable[[Judge], Awaitable[None]], judges: tuple[Judge, ...]) -> None:
    """Hear all judges; if one of them raises, the others finish what is under way before it is raised on."""
    for error in await asyncio.gather(*map(hear, judges), return_exceptions=True):
        if error is not None:
            raise error


async def _hear(
    judge: Judge, hearing: Hearing, clerk: Clerk, provider: Provider, stop: StopSignal, counts: JudgeCounts
) -> AsyncIterator[Event]:
    options = hearing.options
    limiter = JudgeLimiter(judge.limits, asyncio.get_running_loop().time, stop.sleep)
    questioner = Questioner(
        judge,
        hearing.protocol,
        seed=options.seed,
        profile=hearing.profile,
        evidence=hearing.evidence,
        documents=hearing.documents,
    )
    breaker = Breaker(options.stop_judge_after, options.rest_seconds, limiter.pause)
    bench = Bench(questioner, provider, clerk, limiter, breaker)
    work = plan_tasks(judge, hearing.protocol, hearing.subjects(), options.reask_share)
    concurrency = 1 if options.mode == "sequential" else judge.limits.concurrency
    async for answer in LocalExecutor(stop).run(work, bench.answer, concurrency):
        counts.add(answer)
        yield event_of(answer)


def _opening(hearing: Hearing) -> Draft:
    languages = sorted({judge.language for judge in hearing.judges})
    return Draft(
        Kind.RUN_OPENED,
        {
            "protocol": hearing.protocol.digest,
            "protocol_id": hearing.protocol.id,
            "profile": hearing.profile,
            "evidence": hearing.evidence.value,
            "judges": [judge_record(judge) for judge in hearing.judges],
            "templates": {template_digest(language): template_text(language) for language in languages},
            "runner": hearing.options,
            "settings": hearing.settings,
            "software": {"venire": __version__, "python": platform.python_version()},
        },
    )


def judge_record(judge: Judge) -> dict[str, Any]:
    """Return what the record of a run says about a judge; it holds names of variables, never keys."""
    record: dict[str, Any] = msgspec.to_builtins(judge)
    return {**record, "digest": judge.digest, "tools": False}


def _closing(result: RunResult) -> Draft:
    return Draft(Kind.RUN_CLOSED, {"stopped": result.stopped, "counts": result.counts, "spent": result.spent})
