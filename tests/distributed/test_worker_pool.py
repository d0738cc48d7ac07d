"""What becomes of a run whose workers cannot begin."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from experiment import make_judge, make_samples, settings_for
from fake_actor import FakeActor
from venire.distributed.admission_server import AdmissionServer
from venire.distributed.cluster import RayOptions
from venire.distributed.worker import WorkerSetup
from venire.distributed.worker_pool import WorkerPool, unwrap_errors
from venire.errors import ConfigError, UsageError
from venire.protocols.catalogue import find_protocol
from venire.runner.context import RunSpec
from venire.runner.options import RunnerOptions
from venire.runner.stop import StopSignal
from venire.workflows.judge import judge


def test_a_cluster_without_our_software_is_told_with_the_way_out():
    class ActorDiedError(Exception):
        """What Ray raises where a class cannot be made; the last line says why."""

        actor_init_failed = True

    async def make():
        raise ActorDiedError("The actor died because of …\nModuleNotFoundError: No module named 'venire'\n")

    with pytest.raises(ConfigError, match="begin on the cluster: ModuleNotFoundError: No module named 'venire'"):
        asyncio.run(unwrap_errors(make()))


class LostError(Exception):
    """What Ray raises where a worker is gone."""


class HangingWorker:
    """A worker that is there, and never gets ready until it is killed."""

    def __init__(self):
        self.gone = asyncio.Event()

    async def ping(self):
        pass

    async def open(self, *told):
        await self.gone.wait()
        raise LostError("the actor is dead")


class WillingServer:
    async def open(self, pid):
        pass

    async def admit(self, name):
        pass


class FakeRay:
    """As much of Ray as a pool of workers needs, which makes hanging ones."""

    exceptions = SimpleNamespace(RayActorError=LostError)
    util = SimpleNamespace(
        scheduling_strategies=SimpleNamespace(NodeAffinitySchedulingStrategy=lambda node, soft: None)
    )

    def get_runtime_context(self):
        return SimpleNamespace(get_node_id=lambda: "here")

    def remote(self, actor_class):
        made = WillingServer if actor_class is AdmissionServer else HangingWorker
        actor = SimpleNamespace(remote=lambda *told: FakeActor(made()))
        return SimpleNamespace(options=lambda **options: actor)

    def kill(self, actor):
        if hasattr(actor.wrapped, "gone"):
            actor.wrapped.gone.set()


def test_a_worker_that_never_gets_ready_is_given_up_after_a_time_and_so_is_the_third(monkeypatch):
    monkeypatch.setattr("venire.distributed.worker_pool.OPENING_SECONDS", 0.01)
    spec = RunSpec(find_protocol("drift-sample"), (make_judge(),), iter, RunnerOptions())
    told = []

    async def run():
        setup = WorkerSetup(spec, (), "ledger", print, {})
        pool = WorkerPool(FakeRay(), setup, RayOptions(workers=1), told.append)
        try:
            await asyncio.wait_for(pool.open(), 60)
        finally:
            await pool.kill()

    with pytest.raises(UsageError, match="3 workers in a row"):
        asyncio.run(run())
    assert told == [
        f"the worker worker-1-{number} has not answered for 0.01 seconds; it is ended, and others do its tasks"
        for number in (1, 2, 3)
    ]


def test_a_run_that_waits_for_room_ends_at_the_first_interrupt(tmp_path, postgres, shared_cluster):
    large = {"type": "local", "model": "smollm2-135m", "options": {"threads": 1000}}
    keys = {"ledger": postgres.tcp_url(postgres.new_ledger()), "engine": "ray"}
    settings = settings_for(tmp_path, {"oak": large}, make_samples(1), ray={"address": shared_cluster.address}, **keys)
    stop = StopSignal()
    stop.request("interrupted")
    result = asyncio.run(asyncio.wait_for(judge(settings, stop=stop), 120))
    assert (result.stopped, result.counts["oak"].done, result.spent.calls) == ("interrupted", 0, 0)
