"""A stop is asked for once, and whoever waits hears of it at once."""

import asyncio

import pytest

from venire.runner.stop import StoppedError, StopSignal


def test_the_first_reason_stays_and_whoever_checks_is_told():
    async def run():
        stop = StopSignal()
        stop.check()
        stop.request("interrupted")
        stop.request("an error")
        with pytest.raises(StoppedError) as stopped:
            stop.check()
        return stopped.value.reason, await stop.asked()

    assert asyncio.run(run()) == ("interrupted", "interrupted")


def test_who_sleeps_is_woken_by_a_stop():
    async def run():
        stop = StopSignal()
        sleeping = asyncio.create_task(stop.sleep(3600))
        await asyncio.sleep(0)
        stop.request("interrupted")
        with pytest.raises(StoppedError, match="interrupted"):
            await asyncio.wait_for(sleeping, 30)
        await StopSignal().sleep(0)

    asyncio.run(run())
