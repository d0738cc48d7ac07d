"""Every gate keeps the same promises, in this process or kept for many."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from fake_actor import FakeActor
from venire.distributed.gatekeeper import BUNDLE_SECONDS, Gatekeeper
from venire.distributed.remote_gate import GateLine, RemoteGate
from venire.judges.panel import JudgeLimits
from venire.runner.admission import LocalGate, Used
from venire.runner.budget import BudgetMeter
from venire.runner.options import Budget, RunnerOptions
from venire.runner.stop import StoppedError, StopSignal


class LocalCase:
    """A gate in this process."""

    @asynccontextmanager
    async def gate(self, limits, options):
        self._stop = StopSignal()
        self._budget = BudgetMeter(options.budget)
        yield LocalGate(limits, options, self._budget, self._stop)

    async def stop(self):
        self._stop.request("interrupted")

    async def spent(self):
        return self._budget.spent


class RemoteCase:
    """A gate that is kept by a gatekeeper."""

    @asynccontextmanager
    async def gate(self, limits, options):
        self._keeper = Gatekeeper({"oak": limits}, options)
        await self._keeper.open(os.getpid())
        await self._keeper.admit("worker-1")
        line = GateLine(FakeActor(self._keeper), "worker-1", StopSignal())
        yield RemoteGate(line, "oak")
        await line.close()

    async def stop(self):
        await self._keeper.stop("interrupted")

    async def spent(self):
        return await self._keeper.spent()


@pytest.fixture(params=[LocalCase, RemoteCase])
def case(request):
    return request.param()


def run_with(case, work, *, options=None, **limits):
    async def run():
        async with case.gate(JudgeLimits(**limits), options or RunnerOptions()) as gate:
            return await asyncio.wait_for(work(gate), 60)

    return asyncio.run(run())


async def settle():
    """Let messages arrive: they are gathered for a moment on each way."""
    for _ in range(20):
        await asyncio.sleep(BUNDLE_SECONDS / 2)


def test_only_so_many_get_through_at_once(case):
    async def work(gate):
        first, second = await gate.enter(0.0, 1), await gate.enter(0.0, 1)
        third = asyncio.create_task(gate.enter(0.0, 1))
        await settle()
        assert not third.done()
        gate.leave(first, Used(0.0, 1))
        gate.leave(await third, Used(0.0, 1))
        gate.leave(second, None)
        await settle()
        return (await case.spent()).calls

    assert run_with(case, work, concurrency=2) == 2


def test_what_a_request_took_is_spent_and_the_rest_of_what_was_set_aside_is_free_again(case):
    async def work(gate):
        gate.leave(await gate.enter(0.6, 60), Used(0.2, 20))
        gate.leave(await gate.enter(0.6, 60), Used(0.2, 20))
        with pytest.raises(StoppedError, match="the budget of 100 tokens is reached: 40 spent"):
            await gate.enter(0.1, 61)
        return await case.spent()

    spent = run_with(case, work, options=RunnerOptions(budget=Budget(tokens=100)))
    assert (spent.calls, spent.tokens, spent.money) == (2, 40, pytest.approx(0.4))


def test_after_a_stop_nobody_gets_through(case):
    async def work(gate):
        granted = await gate.enter(0.0, 1)
        waiting = asyncio.create_task(gate.enter(0.0, 1))
        await settle()
        await case.stop()
        gate.leave(granted, Used(0.0, 1))
        with pytest.raises(StoppedError, match="interrupted"):
            await waiting
        return (await case.spent()).calls

    assert run_with(case, work, concurrency=1) == 1


def test_whoever_stops_waiting_leaves_its_place_to_the_next(case):
    async def work(gate):
        granted = await gate.enter(0.0, 1)
        waiting = asyncio.create_task(gate.enter(0.0, 1))
        await settle()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        gate.leave(granted, Used(0.0, 1))
        gate.leave(await gate.enter(0.0, 1), Used(0.0, 1))
        await settle()
        return (await case.spent()).calls

    assert run_with(case, work, concurrency=1) == 2


def test_a_judge_that_fails_again_after_a_rest_is_given_up_with_the_reason(case):
    async def work(gate):
        for _ in range(3):
            granted = await gate.enter(0.0, 1)
            gate.leave(granted, Used(0.0, 1))
            gate.failed("HTTP 500", granted.rests)
            await settle()
        last = await gate.enter(0.0, 1)
        gate.leave(last, None)
        return last.rests, gate.given_up

    rests, reason = run_with(case, work, options=RunnerOptions(stop_judge_after=2, rest_seconds=0.001))
    assert rests == 1
    assert reason == "3 tasks failed in a row, a rest did not help; the last: HTTP 500"


def test_a_success_wipes_out_the_failures_before_it(case):
    async def work(gate):
        for outcome in ("failed", "succeeded") * 3:
            granted = await gate.enter(0.0, 1)
            gate.leave(granted, Used(0.0, 1))
            gate.succeeded() if outcome == "succeeded" else gate.failed("HTTP 500", granted.rests)
            await settle()
        last = await gate.enter(0.0, 1)
        gate.leave(last, None)
        return last.rests, gate.given_up

    assert run_with(case, work, options=RunnerOptions(stop_judge_after=2, rest_seconds=0.001)) == (0, "")


def test_refusals_halve_what_may_be_under_way(case):
    async def work(gate):
        gate.refused()
        await settle()
        held = [await gate.enter(0.0, 1) for _ in range(2)]
        third = asyncio.create_task(gate.enter(0.0, 1))
        await settle()
        is_held_up = not third.done()
        for each in held:
            gate.leave(each, None)
        gate.leave(await third, None)
        return is_held_up

    assert run_with(case, work, concurrency=4)


def test_a_judge_that_is_given_up_says_so_at_once(case):
    async def work(gate):
        gate.give_up("the key is refused")
        return gate.given_up

    assert run_with(case, work) == "the key is refused"
