"""What the gatekeeper does about workers that are lost, and workers about a gatekeeper that is."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from fake_actor import FakeActor
from venire.distributed.gatekeeper import WATCH_SECONDS, Gatekeeper, Left, Want
from venire.distributed.packing import pack, unpack
from venire.distributed.remote_gate import GATEKEEPER_LOST, GateLine, RemoteGate
from venire.judges.panel import JudgeLimits
from venire.runner.options import RunnerOptions
from venire.runner.stop import StoppedError, StopSignal


async def keeper_of(concurrency):
    keeper = Gatekeeper({"oak": JudgeLimits(concurrency=concurrency)}, RunnerOptions())
    await keeper.open(os.getpid())
    for worker in ("one", "two"):
        await keeper.admit(worker)
    return keeper


def test_what_a_lost_worker_had_under_way_counts_as_spent_and_its_place_is_free_again():
    async def run():
        keeper = await keeper_of(concurrency=1)
        await keeper.tell("one", pack(([], [], [Want(0, "oak", 0.5, 100), Want(1, "oak", 0.5, 100)])))
        assert [grant.number for grant in unpack(await keeper.news("one")).grants] == [0]
        await keeper.tell("two", pack(([], [], [Want(0, "oak", 0.5, 100)])))
        await keeper.dismiss("one")
        news = unpack(await asyncio.wait_for(keeper.news("two"), 60))
        return [grant.number for grant in news.grants], await keeper.spent()

    numbers, spent = asyncio.run(run())
    assert numbers == [0]
    assert (spent.calls, spent.tokens, spent.money) == (1, 100, 0.5)


def test_what_a_dismissed_worker_still_says_is_left_aside():
    async def run():
        keeper = await keeper_of(concurrency=1)
        await keeper.tell("one", pack(([], [], [Want(0, "oak", 0.5, 100)])))
        await keeper.news("one")
        await keeper.dismiss("one")
        await keeper.tell("one", pack(([Left(0, None)], [], [Want(1, "oak", 0.5, 100)])))
        await keeper.dismiss("one")
        return (await keeper.spent()).calls

    assert asyncio.run(run()) == 1


def test_nothing_gets_through_once_the_process_that_leads_the_run_is_gone():
    async def run():
        driver = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        keeper = Gatekeeper({"oak": JudgeLimits(concurrency=1)}, RunnerOptions())
        await keeper.open(driver.pid)
        await keeper.admit("one")
        await keeper.tell("one", pack(([], [], [Want(0, "oak", 0.0, 1)])))
        before = unpack(await keeper.news("one")).grants
        driver.kill()
        driver.communicate()
        await asyncio.sleep(2 * WATCH_SECONDS)
        await keeper.tell("one", pack(([Left(0, None)], [], [Want(1, "oak", 0.0, 1)])))
        after = unpack(await asyncio.wait_for(keeper.news("one"), 60)).grants
        return before[0].stopped, after[0].stopped

    assert asyncio.run(run()) == ("", "the command that leads the run is gone")


class _Gone:
    async def tell(self, *_):
        raise ConnectionError

    async def news(self, *_):
        await asyncio.sleep(3600)


def test_a_worker_whose_gatekeeper_is_gone_stops_instead_of_waiting():
    async def run():
        stop = StopSignal()
        line = GateLine(FakeActor(_Gone()), "one", stop)
        with pytest.raises(StoppedError, match=GATEKEEPER_LOST):
            await asyncio.wait_for(RemoteGate(line, "oak").enter(0.0, 1), 60)
        with pytest.raises(StoppedError, match=GATEKEEPER_LOST):
            await RemoteGate(line, "oak").enter(0.0, 1)
        await line.close()
        return stop.reason

    assert asyncio.run(run()) == GATEKEEPER_LOST
