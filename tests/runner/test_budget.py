"""A budget is never exceeded by what could be known, and calls under way do not end a run that could go on."""

import asyncio
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.judges.panel import Price
from venire.runner.budget import BudgetMeter, JudgeAccount, Spending, Tokens, left_of, total
from venire.runner.options import Budget
from venire.runner.stop import StoppedError

PRICE = Price(input_per_million=10_000, output_per_million=10_000)


def make(**budget):
    meter = BudgetMeter(Budget(**budget))
    return meter, meter.account("oak", PRICE)


def spent(meter):
    return total(list(meter.spent.values()))


async def call(meter, account, guess, billed):
    await meter.reserve(account, guess)
    meter.settle(account, guess, billed, was_sent=True)


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ({"calls": 2}, "the budget of 2 calls is reached: 2 spent"),
        ({"tokens": 50}, "the budget of 50 tokens is reached: 40 spent"),
        ({"money": 0.5}, "the budget of 0.5 money is reached: 0.4 spent"),
    ],
)
def test_the_call_that_might_exceed_a_part_of_the_budget_is_not_made(budget, words):
    async def run():
        meter, account = make(**budget)
        for _ in range(2):
            await call(meter, account, Tokens(15, 5), Tokens(15, 5))
        with pytest.raises(StoppedError) as stopped:
            await meter.reserve(account, Tokens(15, 5))
        return str(stopped.value)

    assert asyncio.run(run()) == words


@pytest.mark.parametrize(("billed", "is_told"), [(15, False), (80, True)])
def test_a_call_waits_for_what_calls_under_way_leave_over(billed, is_told):
    async def run():
        meter, account = make(tokens=100)
        await meter.reserve(account, Tokens(80, 0))
        second = asyncio.create_task(meter.reserve(account, Tokens(80, 0)))
        await asyncio.sleep(0)
        assert not second.done()
        meter.settle(account, Tokens(80, 0), Tokens(billed, 0), was_sent=True)
        if is_told:
            with pytest.raises(StoppedError, match="80 spent"):
                await second
        else:
            await second
        assert spent(meter).tokens == billed

    asyncio.run(run())


@given(
    limit=st.integers(0, 200),
    calls=st.lists(st.tuples(st.integers(0, 40), st.floats(0, 1)), max_size=30),
    workers=st.integers(1, 6),
)
def test_whatever_is_called_at_once_the_budget_holds(limit, calls, workers):
    async def work(meter, account, queue):
        while queue:
            most, share = queue.pop()
            try:
                await meter.reserve(account, Tokens(most, 0))
            except StoppedError:
                return
            await asyncio.sleep(0)
            meter.settle(account, Tokens(most, 0), Tokens(int(most * share), 0), was_sent=True)

    async def run():
        meter, account = make(tokens=limit)
        queue = list(calls)
        await asyncio.wait_for(asyncio.gather(*(work(meter, account, queue) for _ in range(workers))), 60)
        return spent(meter).tokens

    assert asyncio.run(run()) <= limit


@given(
    factors=st.tuples(st.floats(0.1, 8), st.floats(0.1, 8)),
    turn=st.integers(0, 40),
    workers=st.integers(1, 8),
    seed=st.integers(0, 1000),
)
def test_bills_that_turn_out_higher_exceed_the_budget_by_the_calls_then_under_way_and_by_no_more(
    factors, turn, workers, seed
):
    chance, guess = random.Random(seed), Tokens(10, 20)
    state = {"calls": 0, "under_way": 0, "when_wrong": 0}

    async def work(meter, account, judge):
        while True:
            try:
                await meter.reserve(account, guess)
            except StoppedError:
                return
            state["calls"] += 1
            state["under_way"] += 1
            of_input, of_output = factors if state["calls"] > turn else (0.5, 0.5)
            for _ in range(chance.randrange(4)):
                await asyncio.sleep(0)
            billed = Tokens(int(guess.input * of_input), int(guess.output * of_output))
            if state["calls"] > turn and not state["when_wrong"]:
                state["when_wrong"] = state["under_way"]
            state["under_way"] -= 1
            meter.settle(account, guess, billed, was_sent=True)

    async def run():
        meter = BudgetMeter(Budget(tokens=2000))
        accounts = [meter.account("oak", PRICE), meter.account("elm", PRICE)]
        tasks = (work(meter, accounts[0], n) for n in range(workers))
        await asyncio.wait_for(asyncio.gather(*tasks), 60)
        return spent(meter).tokens

    most = int(guess.input * factors[0]) + int(guess.output * factors[1])
    assert asyncio.run(run()) <= 2000 + max(0, most - guess.total) * state["when_wrong"]


def test_after_the_first_high_bill_calls_under_way_are_expected_to_be_as_high():
    async def run():
        meter, account = make(tokens=100)
        await meter.reserve(account, Tokens(5, 5))
        await meter.reserve(account, Tokens(5, 5))
        meter.settle(account, Tokens(5, 5), Tokens(5, 35), was_sent=True)
        third = asyncio.create_task(meter.reserve(account, Tokens(5, 5)))
        await asyncio.sleep(0)
        is_waiting = not third.done()  # 40 are spent, 40 are expected of the second, and 40 would be of the third.
        meter.settle(account, Tokens(5, 5), Tokens(5, 0), was_sent=True)
        await asyncio.wait_for(third, 60)
        return is_waiting

    assert asyncio.run(run())


def test_a_call_that_nobody_bills_counts_as_was_expected_and_one_that_was_not_sent_as_nothing():
    async def run():
        meter, account = make()
        await call(meter, account, Tokens(10, 10), Tokens(20, 10))
        await call(meter, account, Tokens(10, 10), None)
        await meter.reserve(account, Tokens(10, 10))
        meter.settle(account, Tokens(10, 10), None, was_sent=False)
        return meter.spent["oak"]

    assert asyncio.run(run()) == Spending(0.6, 60, 2)


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), max_size=20), st.randoms())
def test_money_does_not_depend_on_the_order_of_calls(bills, chance):
    def cost(order):
        _, account = make()
        for billed in order:
            account.end(Tokens(0, 0), Tokens(*billed), was_sent=True)
        return account.spent.money

    shuffled = list(bills)
    chance.shuffle(shuffled)
    assert cost(bills) == cost(shuffled)


def test_what_is_left_of_a_budget_is_never_below_nothing_and_no_limit_stays_none():
    spent = Spending(money=2.5, tokens=30, calls=4)
    assert left_of(Budget(money=5.0, tokens=100, calls=9), spent) == Budget(money=2.5, tokens=70, calls=5)
    assert left_of(Budget(money=2.0, tokens=30, calls=3), spent) == Budget(money=0.0, tokens=0, calls=0)
    assert left_of(Budget(tokens=31), spent) == Budget(tokens=1)


def test_an_account_tells_what_it_has_taken_and_may_take_at_most():
    account = JudgeAccount(Price(input_per_million=1_000_000, output_per_million=2_000_000))
    account.begin(Tokens(10, 5))
    account.begin(Tokens(1, 2))
    assert account.with_open() == Spending(money=11 + 2 * 7, tokens=18, calls=2)
    assert account.most(Tokens(3, 4), with_open=False) == Spending(money=3 + 2 * 4, tokens=7, calls=1)
    assert account.most(Tokens(3, 4), with_open=True) == Spending(money=14 + 2 * 11, tokens=25, calls=3)
    account.end(Tokens(10, 5), Tokens(20, 5), was_sent=True)  # Its request was billed twice as high as it was guessed.
    assert account.spent == Spending(money=20 + 2 * 5, tokens=25, calls=1)
    assert account.stretched(Tokens(3, 4)) == Tokens(6, 4)
    assert account.with_open() == Spending(money=20 + 2 + 2 * (5 + 2), tokens=25 + 2 + 2, calls=2)
    account.end(Tokens(1, 2), None, was_sent=True)
    assert account.spent == Spending(money=22 + 2 * 7, tokens=29, calls=2)
    account.begin(Tokens(9, 9))
    account.end(Tokens(9, 9), None, was_sent=False)
    assert account.with_open() == account.spent == Spending(money=36, tokens=29, calls=2)
