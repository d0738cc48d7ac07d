"""A judge that keeps failing rests once and is then given up; whoever waits hears of it at once."""

import asyncio

import pytest

from venire.judges.panel import JudgeLimits, Price
from venire.judges.provider import LimitLeft, Reply
from venire.runner.admission import Breaker, Heard, LocalAdmission, Used, heard_of, spare_places
from venire.runner.budget import BudgetMeter, Tokens
from venire.runner.options import Budget, RunnerOptions
from venire.runner.stop import JudgeGivenUpError, JudgePausedError, StoppedError, StopSignal

ONE = Tokens(1, 0)


def make():
    rests = []
    return Breaker(3, 30.0, rests.append), rests


def test_too_many_failures_in_a_row_bring_a_rest_and_one_more_gives_the_judge_up():
    breaker, rests = make()
    for _ in range(3):
        breaker.failed("HTTP 500", breaker.rests, may_pass=True)
    assert (rests, breaker.given_up) == ([30.0], "")
    breaker.failed("HTTP 503", breaker.rests, may_pass=True)
    assert rests == [30.0]
    assert breaker.given_up == "4 tasks failed in a row, and a pause did not help; the last: HTTP 503"


def test_failures_of_requests_that_were_under_way_when_the_rest_began_do_not_count():
    breaker, rests = make()
    for _ in range(8):
        breaker.failed("HTTP 500", 0, may_pass=True)
    assert (rests, breaker.given_up) == ([30.0], "")


def test_a_reply_makes_earlier_failures_forgotten():
    breaker, rests = make()
    for _ in range(2):
        breaker.failed("x", breaker.rests, may_pass=True)
    breaker.succeeded()
    for _ in range(3):
        breaker.failed("x", breaker.rests, may_pass=True)
    assert (rests, breaker.given_up) == ([30.0], "")
    breaker.succeeded()
    breaker.failed("x", breaker.rests, may_pass=True)
    assert breaker.given_up == ""


def test_the_first_reason_for_giving_up_stays():
    breaker, _ = make()
    breaker.give_up("HTTP 401")
    breaker.give_up("HTTP 403")
    assert breaker.given_up == "HTTP 401"


def test_a_judge_that_has_only_failed_for_reasons_that_stay_gets_no_rest():
    breaker, rests = make()
    for _ in range(3):
        breaker.failed("HTTP 400", breaker.rests, may_pass=False)
    assert rests == []
    assert breaker.given_up == "none of its first 3 tasks was answered; the last: HTTP 400"


def admission_of(*, budget=None, stop=None, concurrency=1, **options):
    limits, options = JudgeLimits(concurrency=concurrency), RunnerOptions(**options)
    return LocalAdmission("oak", Price(), limits, options, budget or BudgetMeter(Budget()), stop or StopSignal())


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (lambda admission, stop: stop.request("enough"), StoppedError),
        (lambda admission, stop: admission.pause("asked to wait"), JudgePausedError),
        (lambda admission, stop: admission.give_up("HTTP 401"), JudgeGivenUpError),
        (lambda admission, stop: admission.failed("HTTP 400", 0, may_pass=False), JudgeGivenUpError),
    ],
)
def test_whoever_waits_for_a_place_hears_at_once_that_there_is_nothing_to_wait_for(end, error):
    async def run():
        stop = StopSignal()
        admission = admission_of(stop=stop, stop_judge_after=1)
        await admission.reserve(ONE)
        waiting = asyncio.create_task(admission.reserve(ONE))
        await asyncio.sleep(0)
        end(admission, stop)
        (found,) = await asyncio.wait_for(asyncio.gather(waiting, return_exceptions=True), 60)
        return type(found)

    assert asyncio.run(run()) is error


def test_the_first_reply_lets_others_through_before_its_own_place_is_free():
    async def run():
        admission = admission_of(concurrency=3)
        first = await admission.reserve(ONE)
        waiting = [asyncio.create_task(admission.reserve(ONE)) for _ in range(3)]
        await asyncio.sleep(0)
        admission.heard(first, Heard("reply"))
        while not admission.may_lease():  # Until only places hold it back: it is asked slowly at first.
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        before = [each.done() for each in waiting]
        admission.release(first, Used(ONE))
        await asyncio.wait_for(asyncio.gather(*waiting), 60)
        return before, [(await each).is_first for each in waiting]

    assert asyncio.run(run()) == ([True, True, False], [False, False, False])


def test_a_reservation_tells_of_the_failures_before_the_first_reply_in_a_row_of_one_kind():
    async def run():
        admission, told = admission_of(), []
        for heard in (
            Heard("failure", failure="connection"), Heard("failure", failure="connection"),
            Heard("failure", failure="malformed"), Heard("refusal", asked_seconds=0.001), Heard("reply"),
            Heard("failure", failure="connection"),
        ):  # fmt: skip
            reservation = await admission.reserve(ONE)
            admission.heard(reservation, heard)
            admission.release(reservation, None)
            told.append((reservation.is_first, reservation.failed_before))
        last = await admission.reserve(ONE)
        return [*told, (last.is_first, last.failed_before)]

    assert asyncio.run(run()) == [
        (True, ("", 0)), (True, ("connection", 1)), (True, ("connection", 2)), (True, ("malformed", 1)),
        (True, ("", 0)), (False, ("", 0)), (False, ("", 0)),
    ]  # fmt: skip


def test_one_request_may_follow_another_unasked_only_while_nothing_holds_the_judge_back():
    async def leases(change=lambda admission, stop: None, **options):
        stop = StopSignal()
        admission = admission_of(stop=stop, **options)
        assert not admission.may_lease()
        reservation = await admission.reserve(ONE)
        admission.heard(reservation, Heard("reply"))
        admission.release(reservation, None)
        async with asyncio.timeout(60):
            while not (options or admission.may_lease()):  # The pace grows quickly until something is refused.
                await asyncio.sleep(0.01)
        change(admission, stop)
        return admission.may_lease()

    async def run():
        return [
            await leases(),
            await leases(budget=BudgetMeter(Budget(calls=99))),
            await leases(lambda admission, stop: stop.request("enough")),
            await leases(lambda admission, stop: admission.pause("later")),
            await leases(lambda admission, stop: admission.give_up("never")),
        ]

    assert asyncio.run(run()) == [True, False, False, False, False]


def test_a_renewed_reservation_counts_what_the_one_before_it_took():
    async def run():
        budget = BudgetMeter(Budget())
        admission = admission_of(budget=budget)
        first = await admission.reserve(Tokens(5, 5))
        second = admission.renew(first, Used(Tokens(2, 1)), Tokens(7, 0), 123.0)
        admission.release(second, Used(None))
        return second.sent_at, second.tokens, budget.spent["oak"], admission.rests

    sent_at, tokens, spent, rests = asyncio.run(run())
    assert (sent_at, tokens, rests) == (123.0, Tokens(7, 0), 0)
    assert (spent.calls, spent.tokens) == (2, 3 + 7)


LEFT = (LimitLeft("requests", 3, 1.0),)


@pytest.mark.parametrize(
    ("reply", "heard"),
    [
        (Reply("yes", rate_limits=LEFT), Heard("reply", rate_limits=LEFT, billed=ONE)),
        (Reply("yes", retry_after_seconds=3.0), Heard("reply", billed=ONE)),
        (
            Reply(None, error_kind="rate_limited", limited_unit="tokens", rate_limits=LEFT),
            Heard("refusal", None, "tokens", LEFT),
        ),
        (Reply(None, error_kind="server", retry_after_seconds=3.0), Heard("refusal", 3.0)),
        (Reply(None, error_kind="server"), Heard("failure", failure="server")),
        (Reply(None), Heard("failure")),
    ],
)
def test_what_is_heard_of_a_reply(reply, heard):
    assert heard_of(reply, ONE) == heard


def test_half_of_the_places_may_be_free_before_replies_are_recorded_and_one_at_least():
    assert [spare_places(each) for each in (1, 2, 3, 4, 64)] == [1, 1, 2, 2, 32]
    assert asyncio.run(spare_of(7)) == 4


async def spare_of(places):
    return admission_of(concurrency=places).spare


def test_a_rest_is_given_to_the_pace_and_everybody_waits_for_it():
    async def run():
        admission = admission_of(stop_judge_after=1, rest_seconds=0.05)
        loop = asyncio.get_running_loop()
        reservation = await admission.reserve(ONE)
        admission.release(reservation, None)
        began = loop.time()
        admission.failed("HTTP 500", reservation.rests, may_pass=True)
        again = await asyncio.wait_for(admission.reserve(ONE), 60)
        return again.rests, again.sent_at - began

    rests, waited = asyncio.run(run())
    assert rests == 1
    assert waited >= 0.05


def test_a_judge_that_has_only_refused_for_longer_than_a_run_waits_is_paused():
    async def run(patience):
        admission = admission_of(retry_after_limit_seconds=patience)
        reservation = await admission.reserve(ONE)
        await asyncio.sleep(0.01)
        admission.heard(reservation, Heard("refusal"))
        admission.release(reservation, None)
        await admission.reserve(ONE)

    with pytest.raises(JudgePausedError):
        asyncio.run(run(0.0))
    asyncio.run(run(60.0))
