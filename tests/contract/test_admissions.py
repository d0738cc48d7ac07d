"""Every admission keeps the same promises, decided in this process or for many."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from fake_actor import FakeActor
from venire.distributed.admission_server import BUNDLE_SECONDS, AdmissionServer
from venire.distributed.remote_admission import AdmissionClient
from venire.judges.panel import JudgeLimits, Price
from venire.runner.admission import Heard, LocalAdmission, Used
from venire.runner.budget import BudgetMeter, Tokens, total
from venire.runner.options import Budget, RunnerOptions
from venire.runner.stop import JudgeGivenUpError, JudgePausedError, StoppedError, StopSignal

PRICE = Price(input_per_million=10_000, output_per_million=10_000)
ONE, USED_ONE = Tokens(1, 0), Used(Tokens(1, 0))


class LocalCase:
    """Admission in this process."""

    @asynccontextmanager
    async def admission(self, limits, options):
        self._stop = StopSignal()
        self._budget = BudgetMeter(options.budget)
        yield LocalAdmission("oak", PRICE, limits, options, self._budget, self._stop)

    async def stop(self):
        self._stop.request("interrupted")

    async def spent(self):
        return total(list(self._budget.spent.values()))


class RemoteCase:
    """Admission that a server decides."""

    @asynccontextmanager
    async def admission(self, limits, options):
        self._keeper = AdmissionServer({"oak": limits}, {"oak": PRICE}, options)
        await self._keeper.open(os.getpid())
        await self._keeper.admit("worker-1")
        client = AdmissionClient(FakeActor(self._keeper), "worker-1", StopSignal())
        yield client.add_judge("oak", limits.concurrency)
        await client.close()

    async def stop(self):
        await self._keeper.stop("interrupted")

    async def spent(self):
        return total(list((await self._keeper.spent()).values()))


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


async def reply_once(admission):
    """Have the judge reply, without which requests get through one by one."""
    reservation = await admission.reserve(ONE)
    admission.heard(reservation, Heard("reply"))
    admission.release(reservation, None)


def test_only_so_many_get_through_at_once_after_the_first_reply(case):
    async def work(admission):
        await reply_once(admission)
        first, second = await admission.reserve(ONE), await admission.reserve(ONE)
        third = asyncio.create_task(admission.reserve(ONE))
        await settle()
        assert not third.done()
        admission.release(first, USED_ONE)
        admission.release(await third, USED_ONE)
        admission.release(second, None)
        await settle()
        return (await case.spent()).calls

    assert run_with(case, work, concurrency=2) == 2


def test_what_a_request_took_is_spent_and_the_rest_of_what_was_set_aside_is_free_again(case):
    async def work(admission):
        admission.release(await admission.reserve(Tokens(50, 10)), Used(Tokens(10, 10)))
        admission.release(await admission.reserve(Tokens(50, 10)), Used(Tokens(10, 10)))
        with pytest.raises(StoppedError, match="the budget of 100 tokens is reached: 40 spent"):
            await admission.reserve(Tokens(41, 20))
        return await case.spent()

    spent = run_with(case, work, options=RunnerOptions(budget=Budget(tokens=100)))
    assert (spent.calls, spent.tokens, spent.money) == (2, 40, pytest.approx(0.4))


def test_after_a_stop_nobody_gets_through(case):
    async def work(admission):
        reservation = await admission.reserve(ONE)
        waiting = asyncio.create_task(admission.reserve(ONE))
        await settle()
        await case.stop()
        admission.release(reservation, USED_ONE)
        with pytest.raises(StoppedError, match="interrupted"):
            await waiting
        return (await case.spent()).calls

    assert run_with(case, work, concurrency=1) == 1


def test_whoever_stops_waiting_leaves_its_place_to_the_next(case):
    async def work(admission):
        reservation = await admission.reserve(ONE)
        waiting = asyncio.create_task(admission.reserve(ONE))
        await settle()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        admission.release(reservation, USED_ONE)
        admission.release(await admission.reserve(ONE), USED_ONE)
        await settle()
        return (await case.spent()).calls

    assert run_with(case, work, concurrency=1) == 2


def test_a_judge_that_fails_again_after_a_rest_is_given_up_with_the_reason(case):
    async def work(admission):
        for _ in range(3):
            reservation = await admission.reserve(ONE)
            admission.release(reservation, USED_ONE)
            admission.failed("HTTP 500", reservation.rests, may_pass=True)
            await settle()
        with pytest.raises(JudgeGivenUpError):
            await admission.reserve(ONE)
        return reservation.rests, admission.given_up

    rests, reason = run_with(case, work, options=RunnerOptions(stop_judge_after=2, rest_seconds=0.001))
    assert rests == 1
    assert reason == "3 tasks failed in a row, and a pause did not help; the last: HTTP 500"


def test_a_success_wipes_out_the_failures_before_it(case):
    async def work(admission):
        for outcome in ("failed", "succeeded") * 3:
            reservation = await admission.reserve(ONE)
            if outcome == "succeeded":
                admission.heard(reservation, Heard("reply"))
            admission.release(reservation, USED_ONE)
            if outcome == "failed":
                admission.failed("HTTP 500", reservation.rests, may_pass=True)
            await settle()
        last = await admission.reserve(ONE)
        admission.release(last, None)
        return last.rests, admission.given_up

    assert run_with(case, work, options=RunnerOptions(stop_judge_after=2, rest_seconds=0.001)) == (0, "")


def test_before_the_first_reply_one_gets_through_at_a_time_and_knows_it(case):
    async def work(admission):
        first = await admission.reserve(ONE)
        second = asyncio.create_task(admission.reserve(ONE))
        await settle()
        assert not second.done()
        admission.heard(first, Heard("reply"))
        after = await second
        return first.is_first, after.is_first

    assert run_with(case, work, concurrency=4) == (True, False)


def test_a_judge_that_only_refuses_for_longer_than_the_run_is_patient_is_paused(case):
    async def work(admission):
        reservation = await admission.reserve(ONE)
        await settle()
        admission.heard(reservation, Heard("refusal"))
        admission.release(reservation, Used(Tokens(0, 0)))
        await settle()
        with pytest.raises(JudgePausedError, match="only refused"):
            await admission.reserve(ONE)

    run_with(case, work, options=RunnerOptions(retry_after_limit_seconds=0.001))


def test_those_who_wait_for_a_judge_that_is_paused_hear_why(case):
    async def work(admission):
        await admission.reserve(ONE)
        waiting = asyncio.create_task(admission.reserve(ONE))
        await settle()
        admission.pause("the account is empty")
        with pytest.raises(JudgePausedError, match="the account is empty"):
            await waiting

    run_with(case, work, concurrency=1)


def test_a_judge_that_is_given_up_says_so_at_once(case):
    async def work(admission):
        admission.give_up("the key is refused")
        return admission.given_up

    assert run_with(case, work) == "the key is refused"
