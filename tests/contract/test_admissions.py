"""Every admission keeps the same promises, decided in this process or for many."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from fake_actor import FakeActor
from venire.distributed.admission_server import BUNDLE_SECONDS, AdmissionServer
from venire.distributed.remote_admission import AdmissionClient, RemoteAdmission
from venire.judges.panel import JudgeLimits
from venire.runner.admission import LocalAdmission, Used
from venire.runner.budget import BudgetMeter
from venire.runner.options import Budget, RunnerOptions
from venire.runner.stop import StoppedError, StopSignal


class LocalCase:
    """Admission in this process."""

    @asynccontextmanager
    async def admission(self, limits, options):
        self._stop = StopSignal()
        self._budget = BudgetMeter(options.budget)
        yield LocalAdmission(limits, options, self._budget, self._stop)

    async def stop(self):
        self._stop.request("interrupted")

    async def spent(self):
        return self._budget.spent


class RemoteCase:
    """Admission that a server decides."""

    @asynccontextmanager
    async def admission(self, limits, options):
        self._keeper = AdmissionServer({"oak": limits}, options)
        await self._keeper.open(os.getpid())
        await self._keeper.admit("worker-1")
        client = AdmissionClient(FakeActor(self._keeper), "worker-1", StopSignal())
        yield RemoteAdmission(client, "oak")
        await client.close()

    async def stop(self):
        await self._keeper.stop("interrupted")

    async def spent(self):
        return await self._keeper.spent()


@pytest.fixture(params=[LocalCase, RemoteCase])
def case(request):
    return request.param()


def run_with(case, work, *, options=None, **limits):
    async def run():
        async with case.admission(JudgeLimits(**limits), options or RunnerOptions()) as admission:
            return await asyncio.wait_for(work(admission), 60)

    return asyncio.run(run())


async def settle():
    """Let messages arrive: they are gathered for a moment on each way."""
    for _ in range(20):
        await asyncio.sleep(BUNDLE_SECONDS / 2)


def test_only_so_many_get_through_at_once(case):
    async def work(admission):
        first, second = await admission.reserve(0.0, 1), await admission.reserve(0.0, 1)
        third = asyncio.create_task(admission.reserve(0.0, 1))
        await settle()
        assert not third.done()
        admission.release(first, Used(0.0, 1))
        admission.release(await third, Used(0.0, 1))
        admission.release(second, None)
        await settle()
        return (await case.spent()).calls

    assert run_with(case, work, concurrency=2) == 2


def test_what_a_request_took_is_spent_and_the_rest_of_what_was_set_aside_is_free_again(case):
    async def work(admission):
        admission.release(await admission.reserve(0.6, 60), Used(0.2, 20))
        admission.release(await admission.reserve(0.6, 60), Used(0.2, 20))
        with pytest.raises(StoppedError, match="the budget of 100 tokens is reached: 40 spent"):
            await admission.reserve(0.1, 61)
        return await case.spent()

    spent = run_with(case, work, options=RunnerOptions(budget=Budget(tokens=100)))
    assert (spent.calls, spent.tokens, spent.money) == (2, 40, pytest.approx(0.4))


def test_after_a_stop_nobody_gets_through(case):
    async def work(admission):
        reservation = await admission.reserve(0.0, 1)
        waiting = asyncio.create_task(admission.reserve(0.0, 1))
        await settle()
        await case.stop()
        admission.release(reservation, Used(0.0, 1))
        with pytest.raises(StoppedError, match="interrupted"):
            await waiting
        return (await case.spent()).calls

    assert run_with(case, work, concurrency=1) == 1


def test_whoever_stops_waiting_leaves_its_place_to_the_next(case):
    async def work(admission):
        reservation = await admission.reserve(0.0, 1)
        waiting = asyncio.create_task(admission.reserve(0.0, 1))
        await settle()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        admission.release(reservation, Used(0.0, 1))
        admission.release(await admission.reserve(0.0, 1), Used(0.0, 1))
        await settle()
        return (await case.spent()).calls

    assert run_with(case, work, concurrency=1) == 2


def test_a_judge_that_fails_again_after_a_rest_is_given_up_with_the_reason(case):
    async def work(admission):
        for _ in range(3):
            reservation = await admission.reserve(0.0, 1)
            admission.release(reservation, Used(0.0, 1))
            admission.failed("HTTP 500", reservation.rests)
            await settle()
        last = await admission.reserve(0.0, 1)
        admission.release(last, None)
        return last.rests, admission.given_up

    rests, reason = run_with(case, work, options=RunnerOptions(stop_judge_after=2, rest_seconds=0.001))
    assert rests == 1
    assert reason == "3 tasks failed in a row, and a pause did not help; the last: HTTP 500"


def test_a_success_wipes_out_the_failures_before_it(case):
    async def work(admission):
        for outcome in ("failed", "succeeded") * 3:
            reservation = await admission.reserve(0.0, 1)
            admission.release(reservation, Used(0.0, 1))
            admission.succeeded() if outcome == "succeeded" else admission.failed("HTTP 500", reservation.rests)
            await settle()
        last = await admission.reserve(0.0, 1)
        admission.release(last, None)
        return last.rests, admission.given_up

    assert run_with(case, work, options=RunnerOptions(stop_judge_after=2, rest_seconds=0.001)) == (0, "")


def test_refusals_halve_what_may_be_under_way(case):
    async def work(admission):
        admission.refused()
        await settle()
        held = [await admission.reserve(0.0, 1) for _ in range(2)]
        third = asyncio.create_task(admission.reserve(0.0, 1))
        await settle()
        is_held_up = not third.done()
        for each in held:
            admission.release(each, None)
        admission.release(await third, None)
        return is_held_up

    assert run_with(case, work, concurrency=4)


def test_a_judge_that_is_given_up_says_so_at_once(case):
    async def work(admission):
        admission.give_up("the key is refused")
        return admission.given_up

    assert run_with(case, work) == "the key is refused"
