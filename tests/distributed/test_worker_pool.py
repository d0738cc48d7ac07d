"""What becomes of a run whose workers cannot begin."""

from __future__ import annotations

import asyncio

import pytest

from experiment import make_samples, settings_for
from venire.distributed.worker_pool import unwrap_errors
from venire.errors import ConfigError
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


def test_a_run_that_waits_for_room_ends_at_the_first_interrupt(tmp_path, postgres, shared_cluster):
    large = {"type": "local", "model": "smollm2-135m", "options": {"threads": 1000}}
    keys = {"ledger": postgres.tcp_url(postgres.new_ledger()), "engine": "ray"}
    settings = settings_for(tmp_path, {"oak": large}, make_samples(1), ray={"address": shared_cluster.address}, **keys)
    stop = StopSignal()
    stop.request("interrupted")
    result = asyncio.run(asyncio.wait_for(judge(settings, stop=stop), 120))
    assert (result.stopped, result.counts["oak"].done, result.spent.calls) == ("interrupted", 0, 0)
