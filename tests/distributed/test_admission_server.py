"""What the admission server does about workers that are lost, and workers about an admission server that is."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys

import pytest

from fake_actor import FakeActor
from venire.distributed.admission_server import (
    WATCH_SECONDS,
    AdmissionRequest,
    AdmissionServer,
    JudgeReport,
    Release,
)
from venire.distributed.cluster import pack, unpack
from venire.distributed.remote_admission import ADMISSION_LOST, AdmissionClient
from venire.judges.panel import JudgeLimits, Price
from venire.runner.admission import Heard, Used
from venire.runner.budget import Tokens
from venire.runner.options import RunnerOptions
from venire.runner.stop import StoppedError, StopSignal

PRICE = Price(input_per_million=5000)


async def keeper_of(concurrency):
    keeper = AdmissionServer({"oak": JudgeLimits(concurrency=concurrency)}, {"oak": PRICE}, RunnerOptions())
    await keeper.open(os.getpid())
    for worker in ("one", "two"):
        await keeper.admit(worker)
    return keeper


def test_what_a_lost_worker_had_under_way_counts_as_spent_and_its_place_is_free_again():
    async def run():
        keeper = await keeper_of(concurrency=1)
        told = await keeper.receive(
            "one",
            pack([AdmissionRequest(0, "oak", Tokens(100, 0)), AdmissionRequest(1, "oak", Tokens(100, 0))]),
        )
        assert [grant.number for grant in unpack(told).grants] == [0]
        await keeper.receive("two", pack([AdmissionRequest(0, "oak", Tokens(100, 0))]))
        await keeper.dismiss("one")
        update = unpack(await asyncio.wait_for(keeper.next_update("two"), 60))
        return [grant.number for grant in update.grants], (await keeper.spent())["oak"]

    numbers, spent = asyncio.run(run())
    assert numbers == [0]
    assert (spent.calls, spent.tokens, spent.money) == (1, 100, 0.5)


def test_what_has_to_wait_is_told_once_there_is_room_and_a_lost_worker_waits_for_nothing():
    async def run():
        keeper = await keeper_of(concurrency=1)
        await keeper.receive("one", pack([AdmissionRequest(0, "oak", Tokens(1, 0))]))
        waiting = [asyncio.create_task(keeper.next_update(worker)) for worker in ("one", "two")]
        assert unpack(await keeper.receive("two", pack([AdmissionRequest(7, "oak", Tokens(1, 0))]))).grants == []
        heard = JudgeReport("oak", "heard", (0, Heard("reply")))
        told = unpack(await keeper.receive("one", pack([heard, Release(0, Used(Tokens(1, 0)))])))
        later = unpack(await asyncio.wait_for(waiting[1], 60))
        await keeper.dismiss("one")
        ended = unpack(await asyncio.wait_for(waiting[0], 60))
        return told.grants, [grant.number for grant in later.grants], ended.grants

    assert asyncio.run(run()) == ([], [7], [])


def test_what_a_dismissed_worker_still_says_is_left_aside():
    async def run():
        keeper = await keeper_of(concurrency=1)
        await keeper.receive("one", pack([AdmissionRequest(0, "oak", Tokens(100, 0))]))
        await keeper.dismiss("one")
        await keeper.receive("one", pack([Release(0, None), AdmissionRequest(1, "oak", Tokens(100, 0))]))
        await keeper.dismiss("one")
        return (await keeper.spent())["oak"].calls

    assert asyncio.run(run()) == 1


def test_nothing_gets_through_once_the_process_that_leads_the_run_is_gone():
    async def run():
        driver = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
        keeper = AdmissionServer({"oak": JudgeLimits(concurrency=1)}, {"oak": PRICE}, RunnerOptions())
        await keeper.open(driver.pid)
        await keeper.admit("one")
        before = unpack(await keeper.receive("one", pack([AdmissionRequest(0, "oak", Tokens(1, 0))]))).grants
        driver.kill()
        driver.communicate()
        await asyncio.sleep(2 * WATCH_SECONDS)
        messages = pack([Release(0, None), AdmissionRequest(1, "oak", Tokens(1, 0))])
        after = unpack(await keeper.receive("one", messages)).grants
        return before[0].stopped, after[0].stopped

    assert asyncio.run(run()) == ("", "the command that started the run has exited")


class _Gone:
    async def receive(self, *_):
        raise ConnectionError

    async def next_update(self, *_):
        await asyncio.sleep(3600)


def test_a_worker_whose_admission_server_is_gone_stops_instead_of_waiting():
    async def run():
        stop = StopSignal()
        client = AdmissionClient(FakeActor(_Gone()), "one", stop)
        admission = client.add_judge("oak", 1)
        reserving = [admission.reserve(Tokens(1, 0)) for _ in range(2)]  # The second has to wait for the first.
        for error in await asyncio.wait_for(asyncio.gather(*reserving, return_exceptions=True), 60):
            assert (type(error), error.reason) == (StoppedError, ADMISSION_LOST)
        with pytest.raises(StoppedError, match=ADMISSION_LOST):
            await admission.reserve(Tokens(1, 0))
        await client.close()
        return stop.reason

    assert asyncio.run(run()) == ADMISSION_LOST
