"""Whatever is killed with -9 in the middle of a run on a cluster: nothing is lost, and nothing is stored twice."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import threading
from collections import Counter
from types import SimpleNamespace

import pytest

from experiment import (
    make_judge,
    make_samples,
    served_judge,
    serving,
    start_venire,
    venire,
    wait_for_requests,
    write_config,
    write_samples,
)
from fake_actor import FakeActor
from postgres_server import PostgresServer
from ray_cluster import RayCluster
from venire.config import load_settings
from venire.distributed.cluster import pack, unpack
from venire.distributed.executor import RayExecutor, unless_stopped
from venire.distributed.worker import BatchAnswers
from venire.judges.panel import JudgeLimits
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.ledger.memory import MemoryLedger
from venire.protocols.catalogue import find_protocol
from venire.runner.budget import Spending
from venire.runner.context import RunContext, RunSpec
from venire.runner.options import RunnerOptions
from venire.runner.stop import StopSignal
from venire.runner.worker import Answer
from venire.workflows.audit import audit
from venire.workflows.judge import judge

SAMPLES = 150
CONCURRENCY = 12
SLOW = {"steps": [{"fault": "slow", "seconds": 0.2}], "repeat": True}
"""Lets every reply take a while, so that a kill finds requests under way."""


@pytest.fixture
def cluster():
    cluster = RayCluster()
    yield cluster
    cluster.remove()


def configure(folder, server, ledger, address, **ray):
    write_samples(folder, make_samples(SAMPLES))
    judges = {"oak": served_judge(server.base_url, limits={"concurrency": CONCURRENCY})}
    return write_config(folder, judges, ledger=ledger, engine="ray", ray={"address": address, "workers": 2, **ray})


def at_the_thirtieth(action):
    """Do something once, when so many tasks have been answered."""
    left = iter(range(29, -1, -1))

    def hear(event):
        if event.event == "answered" and next(left, None) == 0:
            action()

    return hear


def newcomers(cluster, title):
    """Return a function that gives the processes of that name that began later; those of earlier runs may linger."""
    known = set(cluster.processes(title))
    return lambda: [pid for pid in cluster.processes(title) if pid not in known]


def begin(config, server, requests, **options):
    """Start the command in a process of its own, and return it once the judge has seen so many requests."""
    process = start_venire("judge", config, "--quiet", **options)
    wait_for_requests(server, requests, process)
    return process


def asked(server):
    """Return how often each sample was asked about."""
    prompts = [json.dumps(request["body"]["messages"]) for request in server.requests]
    return Counter(prompt[prompt.index("Output number") :].split(" says")[0] for prompt in prompts)


def check_record(location):
    """Every task has one reply and one judgement, and the chain is whole."""
    ledger = open_ledger(location, read_only=True)
    try:
        assert audit(ledger).intact
        for kind in (Kind.REPLY, Kind.JUDGEMENT, Kind.SAMPLE):
            keys = [entry.key for entry in ledger.read(kinds={kind})]
            assert len(keys) == len(set(keys)) == SAMPLES
    finally:
        ledger.close()


@pytest.mark.long
def test_a_node_killed_in_mid_run_costs_no_more_than_what_was_under_way(tmp_path, postgres, cluster):
    ledger = postgres.tcp_url(postgres.new_ledger())
    kill = threading.Thread(target=cluster.kill_node, args=(1,))
    with serving(SLOW) as server:
        settings = load_settings(configure(tmp_path, server, ledger, cluster.address))
        result = asyncio.run(judge(settings, on_event=at_the_thirtieth(kill.start)))
        times = asked(server)
    assert result.stopped == ""
    assert result.counts["oak"].valid == SAMPLES
    check_record(ledger)
    assert len(times) == SAMPLES
    assert sum(times.values()) - SAMPLES <= CONCURRENCY


@pytest.mark.parametrize(
    "harm",
    [pytest.param(signal.SIGKILL, id="killed"), pytest.param(signal.SIGSTOP, id="hanging", marks=pytest.mark.long)],
)
def test_a_worker_killed_or_hanging_in_mid_run_is_replaced(tmp_path, postgres, shared_cluster, monkeypatch, harm):
    monkeypatch.setattr("venire.distributed.worker_pool.PING_SECONDS", 0.5)
    monkeypatch.setattr("venire.distributed.worker_pool.SILENT_SECONDS", 5.0)
    ledger = postgres.tcp_url(postgres.new_ledger())
    workers, told, of_this_run = [], [], newcomers(shared_cluster, "ray::Worker")

    def kill_a_worker(event):
        told.append(event.reason if event.event == "workers" else "")
        if event.event == "answered" and not workers:
            workers.extend(of_this_run())
            os.kill(workers[0], harm)

    with serving(SLOW) as server:
        settings = load_settings(configure(tmp_path, server, ledger, shared_cluster.address))
        result = asyncio.run(judge(settings, on_event=kill_a_worker))
        times = asked(server)
    [reason] = [reason for reason in told if reason]
    assert re.match("the worker worker-[12]-1 (was lost|has not answered for 5 seconds)", reason)
    assert result.counts["oak"].valid == SAMPLES
    assert result.spent.calls >= SAMPLES
    check_record(ledger)
    assert sum(times.values()) - SAMPLES <= CONCURRENCY


@pytest.mark.long
@pytest.mark.parametrize("is_quiet", [True, False])
def test_of_a_lost_worker_we_tell_on_standard_error_and_ray_nothing(tmp_path, postgres, shared_cluster, is_quiet):
    ledger, of_this_run = postgres.tcp_url(postgres.new_ledger()), newcomers(shared_cluster, "ray::Worker")
    with serving(SLOW) as server:
        config = configure(tmp_path, server, ledger, shared_cluster.address)
        process = start_venire("judge", config, *(["--quiet"] if is_quiet else []))
        wait_for_requests(server, 30, process)
        os.kill(of_this_run()[0], signal.SIGKILL)
        output, errors = process.communicate()
    assert process.returncode == 0, errors
    assert "raylet" not in output
    assert output.startswith("Panel under drift-sample")
    lost = re.findall(r"^the worker worker-\d-1 was lost; another takes its place and its tasks$", errors, re.MULTILINE)
    assert (errors == "") if is_quiet else len(lost) == 1


@pytest.mark.long
def test_a_database_killed_in_mid_run_is_waited_for_by_all_workers(tmp_path, shared_cluster):
    server_of_ledger = PostgresServer()

    def restart():
        server_of_ledger.kill()
        server_of_ledger.start()

    try:
        ledger = server_of_ledger.tcp_url(server_of_ledger.new_ledger())
        with serving(SLOW) as server:
            settings = load_settings(configure(tmp_path, server, ledger, shared_cluster.address))
            result = asyncio.run(judge(settings, on_event=at_the_thirtieth(restart)))
            times = asked(server)
        assert result.counts["oak"].valid == SAMPLES
        check_record(ledger)
        assert set(times.values()) == {1}
    finally:
        server_of_ledger.remove()


@pytest.mark.long
def test_a_driver_killed_in_mid_run_is_gone_on_from_by_the_same_command(tmp_path, postgres, shared_cluster):
    ledger = postgres.tcp_url(postgres.new_ledger())
    with serving(SLOW) as server:
        config = configure(tmp_path, server, ledger, shared_cluster.address)
        process = begin(config, server, 60)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert venire("judge", config, "--quiet") == 0
        times = asked(server)
    check_record(ledger)
    assert len(times) == SAMPLES
    assert sum(times.values()) - SAMPLES <= CONCURRENCY


@pytest.mark.long
def test_an_interrupted_run_finishes_what_is_under_way_and_repeats_nothing(tmp_path, postgres, shared_cluster):
    ledger = postgres.tcp_url(postgres.new_ledger())
    with serving(SLOW) as server:
        config = configure(tmp_path, server, ledger, shared_cluster.address)
        process = begin(config, server, 60)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate()
        assert process.returncode == 3, errors
        assert "stopped: interrupted. Run the same command again to resume." in errors
        assert server.count < SAMPLES
        assert venire("judge", config, "--quiet") == 0
        times = asked(server)
    check_record(ledger)
    assert set(times.values()) == {1}


@pytest.mark.long
def test_a_run_without_its_admission_server_ends_and_can_be_gone_on_with(tmp_path, postgres, shared_cluster):
    ledger = postgres.tcp_url(postgres.new_ledger())
    with serving(SLOW) as server:
        settings = load_settings(configure(tmp_path, server, ledger, shared_cluster.address))
        killed, of_this_run = [], newcomers(shared_cluster, "ray::AdmissionServer")

        def kill_admission_server(event):
            if event.event == "answered" and not killed:
                killed.extend(of_this_run())
                for pid in killed:
                    os.kill(pid, signal.SIGKILL)

        result = asyncio.run(judge(settings, on_event=kill_admission_server))
        assert len(killed) == 1
        assert "the process that keeps limits and budget exited unexpectedly" in result.stopped
        assert asyncio.run(judge(settings, stop=StopSignal())).stopped == ""
    check_record(ledger)


@pytest.mark.long
def test_a_cluster_started_for_the_run_is_not_shaken_by_the_interrupt_of_a_terminal(tmp_path, postgres):
    ledger = postgres.tcp_url(postgres.new_ledger())
    with serving(SLOW) as server:
        config = configure(tmp_path, server, ledger, "")
        process = begin(config, server, 40, start_new_session=True)
        os.killpg(process.pid, signal.SIGINT)  # As Ctrl-C does: to everything that was started there.
        _, errors = process.communicate()
        assert process.returncode == 3, errors
        assert [line.split(":")[0].split(";")[0] for line in errors.split("\n") if line] == [
            "waiting for requests that are under way",
            "stopped",
        ]  # Ours, and nothing of Ray's: the run is quiet.
        asked_before = server.count
        assert venire("judge", config, "--quiet", "--engine", "local") == 0
        times = asked(server)
    assert asked_before < SAMPLES
    check_record(ledger)
    assert set(times.values()) == {1}


def test_work_that_fails_is_not_taken_for_done():
    async def failing():
        raise ZeroDivisionError

    async def wait():
        await unless_stopped(failing(), StopSignal())

    with pytest.raises(ZeroDivisionError):
        asyncio.run(wait())


def test_work_that_never_ends_is_left_when_a_stop_is_asked_for():
    async def wait():
        stop, left = StopSignal(), []

        async def endless():
            try:
                await asyncio.Event().wait()
            finally:
                left.append(True)

        asyncio.get_running_loop().call_later(0.01, stop.request, "enough")
        async with asyncio.timeout(10):
            await unless_stopped(endless(), stop)
        return left

    assert asyncio.run(wait()) == [True]


@pytest.mark.parametrize("told", [None, {}, {"oak": Spending(0.5, 90, 9)}])
def test_what_was_answered_is_spent_though_the_admission_server_has_not_heard_of_it_yet(told):
    class Pool:
        async def spent(self):
            return told

    executor = RayExecutor(None, Pool())
    executor._count_spent("elm", BatchAnswers([SimpleNamespace(cost=0.0, tokens=5, calls=1)]))
    for each in (SimpleNamespace(cost=0.05, tokens=20, calls=2), SimpleNamespace(cost=0.1, tokens=30, calls=3)):
        executor._count_spent("oak", BatchAnswers([each], spent_before=Spending(0.05, 25, 2 + (each.calls == 3))))
    spent = asyncio.run(executor.spent())
    assert spent == {"oak": Spending(0.5 if told else 0.25, 100, 10), "elm": Spending(0.0, 5, 1)}


LANES = 4
"""How many batches of a worker with four places are under way or wait for that."""


def test_no_further_batch_is_handed_over_while_nobody_counts_the_answers(monkeypatch):
    monkeypatch.setattr("venire.distributed.executor.MOST_WAITING", 3)
    monkeypatch.setattr("venire.distributed.executor.MOST_IN_A_BATCH", 2)
    handed_over = []

    class Answering:
        async def answer(self, _, packed):
            batch = unpack(packed)
            handed_over.append(batch)
            return pack(BatchAnswers([Answer(item.task, item.subject.name) for item in batch.items]))

    class Slot:
        async def ready(self):
            return FakeActor(Answering())

        def has_answered(self):
            pass

    oak = make_judge(limits=JudgeLimits(concurrency=4))
    spec = RunSpec(find_protocol("drift-sample"), (oak,), lambda: iter(make_samples(200)), RunnerOptions(reask_share=0))
    pool = SimpleNamespace(slots=lambda _: [Slot()], limits={oak.name: oak.limits}, lost=ConnectionError)

    async def run():
        ledger = MemoryLedger()
        with ledger.claims(print) as claims:
            context = RunContext(spec, ledger, None, StopSignal(), claims, {}, lambda _: False, lambda *_: None, print)
            answers = RayExecutor(context, pool).run(oak, spec.work_of(oak))
            await anext(answers)
            for _ in range(500):  # All lanes have their turns.
                await asyncio.sleep(0)
            return len(handed_over), 1 + len([each async for each in answers])

    waiting, answered = asyncio.run(run())
    assert waiting <= 4 + LANES
    assert (answered, len(handed_over)) == (200, 100)
