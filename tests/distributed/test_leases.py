"""A worker with a lease sends one request after another without asking; limits hold over all workers all the same."""

from __future__ import annotations

import asyncio
import os
from collections import Counter

import pytest

from fake_actor import FakeActor
from venire.distributed.admission_server import AdmissionServer
from venire.distributed.cluster import pack, unpack
from venire.distributed.remote_admission import AdmissionClient
from venire.judges.panel import JudgeLimits, Price
from venire.runner.admission import Heard, Used
from venire.runner.budget import Tokens
from venire.runner.options import Budget, RunnerOptions
from venire.runner.stop import StoppedError, StopSignal

TOKENS = Tokens(100, 10)
NO_BUDGET = Budget()


class CountingServer(AdmissionServer):
    """Counts the calls that would go through Ray."""

    calls = 0

    async def receive(self, worker, messages):
        self.calls += 1
        return await super().receive(worker, messages)


class Cluster:
    """An admission server and two workers in this process; counts what is under way."""

    def __init__(self, concurrency, budget, **limits):
        options = RunnerOptions(budget=budget)
        self.server = CountingServer({"oak": JudgeLimits(concurrency=concurrency, **limits)}, {"oak": Price()}, options)
        self.concurrency = concurrency
        self.clients = {}
        self.admissions = {}
        self.under_way = Counter()
        self.most = self.sent = 0

    async def open(self):
        await self.server.open(os.getpid())
        for name in ("one", "two"):
            await self.server.admit(name)
            self.clients[name] = AdmissionClient(FakeActor(self.server), name, StopSignal())
            self.admissions[name] = self.clients[name].add_judge("oak", self.concurrency)

    async def ask(self, name, outcome="reply"):
        """Send one request as a worker does."""
        admission = self.admissions[name]
        reservation = await admission.reserve(TOKENS)
        self.sent += 1
        self.under_way[name] += 1
        self.most = max(self.most, self.under_way.total())
        for _ in range(3):
            await asyncio.sleep(0)
        admission.heard(reservation, Heard(outcome, billed=TOKENS))
        self.under_way[name] -= 1
        admission.release(reservation, Used(TOKENS))

    async def leases(self, name="one"):
        return unpack(await self.server.receive(name, pack([]))).leases

    async def close(self):
        for client in self.clients.values():
            await client.close()


def run(work, concurrency=4, budget=NO_BUDGET, **limits):
    async def begin():
        cluster = Cluster(concurrency, budget, **limits)
        await cluster.open()
        await cluster.ask("one")
        return await work(cluster), cluster

    return asyncio.run(asyncio.wait_for(begin(), 60))


async def free(cluster):
    """Go on until nothing but its places holds the judge back: its pace has to grow first."""
    while cluster.admissions["one"]._valid_lease() is None:
        await cluster.ask("one")


def test_with_a_lease_few_messages_do_for_many_requests_and_no_more_are_under_way_than_allowed():
    async def work(cluster):
        await free(cluster)
        before = cluster.server.calls
        await asyncio.gather(*(cluster.ask(name) for name in ("one", "two") for _ in range(500)))
        messages = cluster.server.calls - before
        await cluster.close()
        return messages, (await cluster.server.spent())["oak"]

    (messages, spent), cluster = run(work)
    assert cluster.most == 4
    assert messages < 100
    assert spent.calls == cluster.sent > 1000
    assert spent.tokens == spent.calls * TOKENS.total


def test_a_place_is_kept_for_the_next_batch_though_nothing_waits_for_it_yet():
    async def work(cluster):
        await free(cluster)
        await cluster.ask("one")
        before = cluster.server.calls
        for _ in range(100):
            await cluster.ask("one")
        return cluster.server.calls - before

    assert run(work)[0] < 50


def test_kept_places_are_given_to_a_worker_that_begins_to_ask_before_the_next_report(monkeypatch):
    async def work(cluster):
        await free(cluster)
        monkeypatch.setattr("venire.distributed.remote_admission.REPORT_SECONDS", 3600)
        await asyncio.gather(*(cluster.ask("one") for _ in range(40)))
        kept = cluster.server._workers["one"].held["oak"]
        held = [await cluster.admissions["two"].reserve(TOKENS) for _ in range(2)]
        return kept, len(held)

    (kept, held), _ = run(work)
    assert kept > 2 == held


def test_a_worker_whose_requests_take_long_gets_the_places_that_others_no_longer_use():
    async def work(cluster):
        await free(cluster)
        one, two = cluster.admissions.values()
        others = [await two.reserve(TOKENS) for _ in range(2)]
        mine = [await one.reserve(TOKENS) for _ in range(2)]
        one.renew_lease((await cluster.leases("one"))["oak"])
        waiting = [asyncio.create_task(one.reserve(TOKENS)) for _ in range(2)]
        await asyncio.sleep(0)
        for each in others:
            two.release(each, Used(TOKENS))
        return len(mine + await asyncio.gather(*waiting))

    assert run(work)[0] == 4


def test_a_lost_worker_frees_its_own_places_and_no_others():
    async def work(cluster):
        await free(cluster)
        async with asyncio.TaskGroup() as group:  # Both have sent several requests in each of their places.
            for name in ("one", "two") * 40:
                group.create_task(cluster.ask(name))
        mine = [await cluster.admissions["one"].reserve(TOKENS) for _ in range(3)]
        others = await cluster.admissions["two"].reserve(TOKENS)
        waiting = [asyncio.create_task(cluster.admissions["two"].reserve(TOKENS)) for _ in range(9)]
        await cluster.server.dismiss("one")
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        while sum(task.done() for task in waiting) < len(mine):
            await asyncio.sleep(0)
        for _ in range(100):
            await asyncio.sleep(0)
        cluster.admissions["two"].release(others, Used(TOKENS))
        return sum(task.done() for task in waiting)

    assert run(work)[0] == 3


def test_a_refusal_ends_the_leases_of_all_workers():
    async def work(cluster):
        await free(cluster)
        await asyncio.gather(*(cluster.ask(name) for name in ("one", "two") for _ in range(20)))
        held = [await cluster.admissions[name].reserve(TOKENS) for name in ("one", "two")]
        before = set(await cluster.leases("two"))
        other = cluster.admissions["two"]
        cluster.admissions["one"].heard(held[0], Heard("refusal", 1.0))
        while other._valid_lease() is not None:
            await asyncio.sleep(0)
        return before, await cluster.leases("two")

    assert run(work)[0] == ({"oak"}, {})


@pytest.mark.parametrize(
    "given", [{"budget": Budget(calls=1000)}, {"requests_per_minute": 6000}, {"tokens_per_minute": 10**6}]
)
def test_where_a_budget_or_a_rate_holds_each_request_is_asked_for(given):
    async def work(cluster):
        for _ in range(8):
            await cluster.ask("one")
        return await cluster.leases()

    assert run(work, **given)[0] == {}


def test_places_that_cannot_be_dealt_evenly_are_all_used():
    async def work(cluster):
        await free(cluster)
        await asyncio.gather(*(cluster.ask(name) for name in ("one", "two") for _ in range(200)))

    assert run(work, concurrency=5)[1].most == 5


def test_a_stop_reaches_those_who_wait_for_a_leased_place():
    async def work(cluster):
        await free(cluster)
        admission = cluster.admissions["one"]
        held = [await admission.reserve(TOKENS) for _ in range(4)]
        waiting = [asyncio.create_task(admission.reserve(TOKENS)) for _ in range(5)]
        await asyncio.sleep(0)
        await cluster.server.stop("interrupted")
        while admission._valid_lease() is not None:
            await asyncio.sleep(0)
        for each in held:
            admission.release(each, Used(TOKENS))
        return await asyncio.gather(*waiting, return_exceptions=True)

    told = run(work)[0]
    assert [(type(each), each.reason) for each in told] == [(StoppedError, "interrupted")] * 5
