"""A budget is never exceeded, and calls under way do not end a run that could go on."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.runner.budget import BudgetMeter
from venire.runner.options import Budget
from venire.runner.stop import StoppedError


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (Budget(calls=2), "the budget of 2 calls is reached: 2 spent"),
        (Budget(tokens=25), "the budget of 25 tokens is reached: 20 spent"),
        (Budget(money=0.5), "the budget of 0.5 money is reached: 0.4 spent"),
    ],
)
def test_the_call_that_might_exceed_a_part_of_the_budget_is_not_made(budget, words):
    async def run():
        meter = BudgetMeter(budget)
        for _ in range(2):
            await meter.reserve(0.2, 10)
            meter.spend(0.2, 10)
            meter.release(0.2, 10)
        with pytest.raises(StoppedError) as stopped:
            await meter.reserve(0.2, 10)
        return str(stopped.value)

    assert asyncio.run(run()) == words


def test_a_call_waits_for_what_calls_under_way_leave_over():
    async def run():
        meter = BudgetMeter(Budget(tokens=100))
        await meter.reserve(0.0, 80)
        second = asyncio.create_task(meter.reserve(0.0, 80))
        await asyncio.sleep(0)
        assert not second.done()
        meter.spend(0.0, 15)
        meter.release(0.0, 80)
        await second
        assert meter.spent.tokens == 15

    asyncio.run(run())


def test_those_who_wait_are_told_when_nothing_is_left_over():
    async def run():
        meter = BudgetMeter(Budget(tokens=100))
        await meter.reserve(0.0, 80)
        second = asyncio.create_task(meter.reserve(0.0, 80))
        await asyncio.sleep(0)
        meter.spend(0.0, 80)
        meter.release(0.0, 80)
        with pytest.raises(StoppedError, match="80 spent"):
            await second

    asyncio.run(run())


@given(
    limit=st.integers(0, 200),
    calls=st.lists(st.tuples(st.integers(0, 40), st.floats(0, 1)), max_size=30),
    workers=st.integers(1, 6),
)
def test_whatever_is_called_at_once_the_budget_holds(limit, calls, workers):
    async def work(meter, queue):
        while queue:
            most, share = queue.pop()
            try:
                await meter.reserve(0.0, most)
            except StoppedError:
                return
            await asyncio.sleep(0)
            meter.spend(0.0, int(most * share))
            meter.release(0.0, most)

    async def run():
        meter, queue = BudgetMeter(Budget(tokens=limit)), list(calls)
        await asyncio.wait_for(asyncio.gather(*(work(meter, queue) for _ in range(workers))), 60)
        return meter.spent.tokens

    assert asyncio.run(run()) <= limit
