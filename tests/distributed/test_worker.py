"""A worker that takes over from one that was lost tells what that one had spent, and answers nothing twice."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from experiment import FakeProvider, make_judge, make_samples
from fake_actor import FakeActor
from venire.distributed.admission_server import AdmissionServer
from venire.distributed.cluster import pack, unpack
from venire.distributed.dispatcher import Batch, Item
from venire.distributed.worker import SOFTWARE, Worker, WorkerSetup
from venire.judges.panel import Price
from venire.protocols.catalogue import find_protocol
from venire.runner.budget import Spending
from venire.runner.context import RunSpec
from venire.runner.options import RunnerOptions

OAK = make_judge(price=Price(1.0, 2.0))
TOKENS = 10 + 5
MONEY = OAK.price.cost(10, 5)


@asynccontextmanager
async def working(ledger, run):
    """Open a worker of a run on a ledger, without Ray."""
    options = RunnerOptions(reask_share=0)
    spec = RunSpec(find_protocol("drift-sample"), (OAK,), list, options, run=run).to_be_sent()
    server = AdmissionServer({OAK.name: OAK.limits}, {OAK.name: OAK.price}, options)
    await server.open(os.getpid())
    await server.admit("one")
    worker = Worker()
    await worker.open(SOFTWARE, pack(WorkerSetup(spec, (OAK,), str(ledger), provider_of, {})), FakeActor(server), "one")
    try:
        yield worker
    finally:
        await worker.close()


def provider_of(_):
    return FakeProvider()


def items(count):
    samples = make_samples(count)
    spec = RunSpec(find_protocol("drift-sample"), (OAK,), lambda: iter(samples), RunnerOptions(reask_share=0))
    return [Item(task, subject, {}) for task, subject in spec.work_of(OAK)]


async def answered(worker, batch):
    return unpack(await worker.answer(OAK.name, pack(batch)))


@pytest.mark.parametrize(
    ("run", "is_returned", "calls"),
    [("this", True, 3), ("this", False, 0), ("another", True, 0)],
    ids=["returned", "only known", "of another run"],
)
def test_what_a_lost_worker_had_committed_is_counted_once_by_who_gets_its_batch(tmp_path, run, is_returned, calls):
    every = items(5)

    async def lose_one_and_go_on():
        async with working(tmp_path / "ledger.db", "this") as lost:
            first = await answered(lost, Batch(every[:3], is_new=True))
        async with working(tmp_path / "ledger.db", run) as other:
            return first, await answered(other, Batch(every, is_returned=is_returned))

    first, then = asyncio.run(lose_one_and_go_on())
    assert (sum(each.calls for each in first.answers), first.spent_before) == (3, Spending())
    assert then.spent_before == Spending(calls * MONEY, calls * TOKENS, calls)
    assert sorted(each.calls for each in then.answers) == [0, 0, 0, 1, 1]
