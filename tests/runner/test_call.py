"""One request: it waits for its turn, and is not sent once the run is to end."""

import asyncio

import pytest

from experiment import FakeProvider, good_reply, make_judge
from venire.judges.panel import JudgeLimits, Price
from venire.judges.provider import Attachment, Decoding, Reply, Request
from venire.runner.admission import LocalAdmission
from venire.runner.budget import BudgetMeter, Tokens, total
from venire.runner.call import Caller, count, estimate
from venire.runner.options import Budget, RunnerOptions
from venire.runner.stop import StoppedError, StopSignal

REQUEST = Request("oak", "system", "user " * 100, Decoding(max_tokens=100), {})


PRICE = Price(input_per_million=1.0, output_per_million=1.0)


def make_admission(stop=None, budget=None, **limits):
    meter = budget or BudgetMeter(Budget())
    return LocalAdmission("oak", PRICE, JudgeLimits(**limits), RunnerOptions(), meter, stop or StopSignal())


def make_caller(provider, stop=None, budget=None, **limits):
    return Caller(provider, PRICE, make_admission(stop, budget, **limits))


def spent(meter):
    return total(list(meter.spent.values()))


async def call(caller):
    result = await caller.call(REQUEST)
    caller.end(result)
    return result


def test_a_request_that_waits_for_its_turn_is_not_sent_after_the_stop():
    async def run():
        answer = asyncio.Event()

        async def slow(request):
            await answer.wait()
            return good_reply(request)

        provider, stop, meter = FakeProvider(slow), StopSignal(), BudgetMeter(Budget())
        caller = make_caller(provider, stop, meter, concurrency=1)
        first, second = asyncio.create_task(call(caller)), asyncio.create_task(call(caller))
        await asyncio.sleep(0)
        stop.request("interrupted")
        answer.set()
        assert (await first).reply.text
        with pytest.raises(StoppedError, match="interrupted"):
            await second
        return len(provider.requests), spent(meter).calls

    assert asyncio.run(run()) == (1, 1)


@pytest.mark.parametrize(("places", "sent"), [(1, 2), (4, 6), (5, 8)])
def test_replies_wait_for_their_record_without_a_place_for_half_of_the_places(places, sent):
    async def run():
        provider, recorded, admission = FakeProvider(), asyncio.Event(), make_admission(concurrency=places)
        caller = Caller(provider, PRICE, admission)

        async def one():
            return await caller.record(await caller.call(REQUEST), recorded.wait())

        tasks = [asyncio.create_task(one()) for _ in range(20)]
        while not admission.may_lease():  # Until only places hold it back: it is asked slowly at first.
            await asyncio.sleep(0)
        for _ in range(50):
            await asyncio.sleep(0)
        before = len(provider.requests)
        recorded.set()
        await asyncio.gather(*tasks)
        return before, len(provider.requests)

    assert asyncio.run(run()) == (sent, 20)


def test_a_request_that_is_cancelled_leaves_its_place_to_the_next():
    async def run():
        begun = asyncio.Event()

        async def never(request):
            begun.set()
            await asyncio.Event().wait()

        meter = BudgetMeter(Budget())
        caller = make_caller(FakeProvider(never), budget=meter, concurrency=1)
        first = asyncio.create_task(call(caller))
        await begun.wait()
        begun.clear()
        first.cancel()
        second = asyncio.create_task(call(caller))
        await asyncio.wait_for(begun.wait(), 60)
        second.cancel()
        await asyncio.gather(first, second, return_exceptions=True)
        return spent(meter).calls

    assert asyncio.run(run()) == 0


def test_a_request_that_waits_for_a_slow_rate_is_woken_by_the_stop():
    async def run():
        provider, stop = FakeProvider(), StopSignal()
        caller = make_caller(provider, stop, requests_per_minute=0.01)
        await call(caller)
        second = asyncio.create_task(call(caller))
        await asyncio.sleep(0)
        stop.request("interrupted")
        with pytest.raises(StoppedError):
            await asyncio.wait_for(second, 60)
        return len(provider.requests)

    assert asyncio.run(run()) == 1


def test_a_server_that_counts_more_tokens_than_we_guess_stretches_the_guess():
    async def run():
        meter = BudgetMeter(Budget(tokens=10_000))
        caller = make_caller(FakeProvider(lambda _: Reply("x", input_tokens=4000, output_tokens=1)), budget=meter)
        await call(caller)
        await call(caller)
        with pytest.raises(StoppedError, match="tokens"):
            await call(caller)
        return spent(meter).tokens

    assert asyncio.run(run()) == 8002


def test_what_a_call_has_cost_follows_from_its_tokens_and_price():
    async def run():
        return await call(make_caller(FakeProvider()))

    result = asyncio.run(run())
    assert (result.tokens.total, result.cost) == (15, pytest.approx(15e-6))
    assert make_judge().price.cost(10, 5) == 0.0


@pytest.mark.parametrize(
    "reply",
    [
        Reply("x", input_tokens=-1_000_000, output_tokens=-1),
        Reply("x", input_tokens=2**60, output_tokens=1),
        Reply("x", latency_seconds=float("nan")),
        Reply("x", latency_seconds=-1.0),
        Reply("x", status=2**70),
        Reply("x", retry_after_seconds=float("inf")),
        Reply("x", retry_after_seconds=-1.0, latency_seconds=float("inf")),
    ],
)
def test_numbers_that_no_record_can_hold_are_left_out(reply):
    async def run():
        return await call(make_caller(FakeProvider(lambda _: reply)))

    result = asyncio.run(run())
    assert result.reply == Reply("x")
    assert result.cost > 0  # what the server does not say is counted as was expected


def test_a_wait_that_no_record_can_hold_does_not_hide_the_status():
    busy = Reply(None, status=503, error="HTTP 503", error_kind="server", retry_after_seconds=float("inf"))

    async def run():
        return await call(make_caller(FakeProvider(lambda _: busy)))

    reply = asyncio.run(run()).reply
    assert (reply.status, reply.retry_after_seconds) == (503, None)


@pytest.mark.parametrize(
    "reply",
    [
        None,
        "words",
        Reply(None),
        Reply(b"x"),
        Reply("x", body="x\ud800"),
        Reply("x", status="200"),
        Reply("x", model=1),
    ],
)
def test_what_is_no_reply_fails_its_own_task(reply):
    async def answer(_):
        return reply

    async def run():
        return await call(make_caller(FakeProvider(answer)))

    failed = asyncio.run(run()).reply
    assert (failed.text, failed.error_kind) == (None, "bad_request")


def test_a_text_that_cannot_be_kept_leaves_its_bytes_and_what_it_took():
    broken = Reply("half \ud800", b"half \xed\xa0\x80", 200, input_tokens=7, output_tokens=2, model="oak")

    async def run():
        return await call(make_caller(FakeProvider(lambda _: broken)))

    result = asyncio.run(run())
    assert (result.reply.text, result.reply.error_kind) == (None, "malformed")
    assert (result.reply.body, result.tokens.total) == (b"half \xed\xa0\x80", 9)


def request(user, **keys):
    return Request("oak", "", user, Decoding(max_tokens=50), {}, **keys)


def test_latin_text_counts_by_letters_and_other_scripts_by_more():
    latin, chinese = estimate(request("a" * 300)), estimate(request("评" * 300))
    assert latin.input - estimate(request("")).input == 100
    assert chinese.input - estimate(request("")).input == 450
    assert latin.output == 50


def test_documents_count_too():
    attached = request("", attachments=(Attachment("d.pdf", "application/pdf", b"x" * 160_000),))
    assert estimate(attached).input - estimate(request("")).input == 13_000


def test_a_judge_that_is_no_model_takes_no_tokens():
    assert estimate(Request("", "s", "u", Decoding(), {})) == Tokens(0, 0)


def test_the_servers_own_count_stands():
    assert count(Reply("x", input_tokens=7, output_tokens=3)) == Tokens(7, 3)


def test_a_reply_without_a_count_may_have_taken_anything():
    assert count(Reply("x")) is None


def test_a_request_that_timed_out_may_be_billed_and_a_refused_one_is_not():
    assert count(Reply(None, error="x", error_kind="timeout")) is None
    assert count(Reply(None, error="x", error_kind="rate_limited")) == Tokens(0, 0)


def test_prices_are_by_the_million():
    from venire.judges.panel import Price

    judge = make_judge(price=Price(input_per_million=2.0, output_per_million=10.0))
    assert judge.price.cost(500_000, 100_000) == 2.0
