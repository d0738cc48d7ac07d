"""A process of the cluster that asks judges and commits what they reply to the shared ledger."""

from __future__ import annotations

import asyncio
import os
import platform
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from contextvars import ContextVar
from typing import Any

import msgspec

from venire.distributed.cluster import pack, unpack
from venire.distributed.dispatcher import Item
from venire.distributed.remote_admission import AdmissionClient
from venire.distributed.subject_memory import SubjectMemory
from venire.errors import ConfigError
from venire.judges.panel import Price
from venire.judges.provider import Attachment, Provider
from venire.ledger.entry import Kind
from venire.ledger.group_commit import GroupCommit
from venire.ledger.location import open_ledger
from venire.ledger.store import Ledger
from venire.runner.budget import Spending, total
from venire.runner.call import make_services
from venire.runner.claimed_work import Recorded
from venire.runner.context import AnySpec, Respondent
from venire.runner.executor import TaskWorker, limits_of, rare_collections
from venire.runner.stop import JudgePausedError, StoppedError, StopSignal
from venire.version import __version__
from venire.words.said import say

LEDGER_SECONDS = 30.0
"""How long a worker waits for the ledger's server when it begins."""

SOFTWARE = (__version__, platform.python_version())
"""The versions of Venire and Python of this process."""

_documents: ContextVar[Mapping[str, Attachment]] = ContextVar("documents")
"""The documents that came with the task under way; the machine that has their files may be another one."""


class WorkerSetup(msgspec.Struct, frozen=True):
    """What a worker is told before it begins. It is handed over in memory: it holds keys."""

    spec: AnySpec
    """What the run is about; its samples come with the tasks."""
    judges: tuple[Respondent, ...]
    """The judges that the worker asks."""
    ledger: str
    """Where the shared ledger is."""
    make_provider: Callable[[Respondent], Provider]
    """Makes the provider of a judge."""
    environment: Mapping[str, str]
    """Variables that judges and the ledger need."""


class BatchAnswers(msgspec.Struct, frozen=True):
    """What became of a batch."""

    answers: list[Any]
    """The answers; where a stop was asked for, not of all tasks."""
    stopped: str = ""
    """Why the worker asks for the end of the run; empty if it does not."""
    paused: str = ""
    """Why the judge is to end; empty if it is not."""
    spent_before: Spending = Spending()
    """What replies took that a worker which was lost had committed in this run."""
    has_forgotten: bool = False
    """Whether nothing was done, since subjects were left out that the worker does not know."""


class Worker:
    """Answers batches of tasks; made by Ray, wherever the cluster has room."""

    def __init__(self) -> None:
        self._stop = StopSignal()
        self._judge_workers: dict[str, TaskWorker] = {}
        self._prices: dict[str, Price] = {}
        self._run = ""
        self._providers: list[Provider] = []
        self._ledger: Ledger | None = None
        self._writer: GroupCommit | None = None
        self._client: AdmissionClient | None = None
        self._subjects = SubjectMemory()
        self._settings = ExitStack()

    async def open(self, software: tuple[str, str], packed: bytes, server: Any, name: str) -> None:
        """Open the ledger and make the judges ready; raises the errors that a run in one process would raise.

        The `WorkerSetup` comes packed: another version of the software may not understand it.
        """
        _check_software(software)
        setup: WorkerSetup = unpack(packed)
        os.environ.update(setup.environment)
        self._settings.enter_context(rare_collections())
        spec: Any = setup.spec.with_documents(lambda _: _documents.get())
        ledger = self._ledger = open_ledger(setup.ledger, wait_seconds=LEDGER_SECONDS)
        writer = self._writer = GroupCommit(ledger)
        client = self._client = AdmissionClient(server, name, self._stop)
        services = make_services(ledger, writer, spec.options, spec.run, self._stop, place=name)
        self._run = spec.run
        for judge in setup.judges:
            self._prices[judge.name] = judge.price
            provider = setup.make_provider(judge)
            self._providers.append(provider)
            self._judge_workers[judge.name] = spec.worker(
                judge, provider, services, client.add_judge(judge.name, limits_of(judge, spec.options).concurrency)
            )

    async def answer(self, judge: str, packed: bytes) -> bytes:
        """Answer all tasks of a batch at once, within the judge's limits; returns `BatchAnswers`."""
        batch = self._subjects.fill_in_known(unpack(packed))
        if batch is None:
            return pack(BatchAnswers([], has_forgotten=True))
        answers: list[Any] = []
        worker = self._judge_workers[judge]
        recorded: Recorded = {}
        if not batch.is_new:
            recorded = await asyncio.to_thread(worker.look_up, [item.task for item in batch.items])
        before = _spent_by_lost(recorded, self._run, self._prices[judge]) if batch.is_returned else Spending()
        tasks = [self._answer(worker, item, recorded, answers) for item in batch.items]
        stopped = paused = ""
        for error in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(error, StoppedError):
                stopped = stopped or error.reason
            elif isinstance(error, JudgePausedError):
                paused = paused or error.reason
            elif error is not None:
                raise error
        if self._writer is not None:
            await self._writer.settle()  # Judgements are to be durable before their answers leave this process.
        return pack(BatchAnswers(answers, stopped, paused, before))

    async def ping(self) -> None:
        """Answer at once: a worker that does not is taken for one that hangs."""

    async def stop(self, reason: str) -> None:
        """Finish what is under way and begin nothing more."""
        self._stop.request(reason)

    async def close(self) -> None:
        """Let go of judges and ledger, with everything committed."""
        self._settings.close()
        for provider in self._providers:
            await provider.close()
        if self._client is not None:
            await self._client.close()
        if self._writer is not None:
            await self._writer.close()
        if self._ledger is not None:
            self._ledger.close()

    async def _answer(self, worker: TaskWorker, item: Item, recorded: Recorded, answers: list[Any]) -> None:
        self._stop.check()
        _documents.set(item.documents)
        await worker.answer(item.task, item.subject, recorded, answers.append)


def _spent_by_lost(recorded: Recorded, run: str, price: Price) -> Spending:
    """Return what replies of this run took that nobody has counted: each of them one call at least."""
    spent = []
    for (kind, _), entry in recorded.items():
        if kind is not Kind.JUDGEMENT and entry.content.get("run") == run:
            tokens = [entry.content.get(name) or 0 for name in ("input_tokens", "output_tokens")]
            spent.append(Spending(price.cost(*tokens), sum(tokens), 1))
    return total(spent)


def _check_software(expected: tuple[str, str]) -> None:
    if expected != SOFTWARE:
        raise ConfigError(
            "error.ray.software",
            where=say("error.ray.node", name=platform.node()),
            ours=SOFTWARE[0],
            python=SOFTWARE[1],
            expected=expected[0],
            expected_python=expected[1],
        )
