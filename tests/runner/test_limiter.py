"""Who may send when: places, order, and the pace, with a clock that only moves when somebody waits."""

import asyncio

import pytest

from venire.judges.panel import JudgeLimits
from venire.runner.limiter import JudgeLimiter
from venire.runner.pace import Pace


class FakeTime:
    def __init__(self):
        self.now = 100.0

    def clock(self):
        return self.now

    def call_later(self, seconds, call):
        self.now += seconds
        asyncio.get_running_loop().call_soon(call)


def make(time, places, *, has_replied=True, check=lambda: None):
    pace = Pace(JudgeLimits(concurrency=places))
    if has_replied:
        pace.sent(0.0, 1)
        pace.replied(0.0, 0.0)
    return JudgeLimiter(places, pace, time.clock, time.call_later, check), pace


def most_at_once(limiter):
    most = done = under_way = 0

    async def one():
        nonlocal most, done, under_way
        await limiter.acquire(1)
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        limiter.release()
        done += 1

    async def run():
        await asyncio.gather(*(one() for _ in range(50)))

    asyncio.run(run())
    return most, done


def test_no_more_requests_are_under_way_than_there_are_places_and_everyone_gets_a_turn():
    assert most_at_once(make(FakeTime(), 3)[0]) == (3, 50)


def test_until_the_judge_has_replied_one_request_is_under_way_at_a_time():
    assert most_at_once(make(FakeTime(), 3, has_replied=False)[0]) == (1, 50)


def test_a_hold_keeps_back_those_who_wait_already():
    time = FakeTime()
    limiter, pace = make(time, 3)

    async def run():
        pace.hold(time.now, 30.0)
        await limiter.acquire(1)
        return time.now

    assert asyncio.run(run()) == pytest.approx(130.0)


@pytest.mark.parametrize("is_its_turn", [False, True])
def test_one_who_gives_up_waiting_leaves_the_turn_to_the_next(is_its_turn):
    limiter, _ = make(FakeTime(), 1)

    async def run():
        await limiter.acquire(1)
        impatient = asyncio.create_task(limiter.acquire(1))
        patient = asyncio.create_task(limiter.acquire(1))
        await asyncio.sleep(0)
        if is_its_turn:
            limiter.release()
        impatient.cancel()
        await asyncio.sleep(0)
        if not is_its_turn:
            limiter.release()
        await asyncio.wait_for(patient, 60)
        return impatient.cancelled()

    assert asyncio.run(run())


def test_those_who_wait_for_a_place_hear_that_the_judge_is_to_end():
    ended = []

    def check():
        if ended:
            raise RuntimeError("the judge is paused")

    limiter, _ = make(FakeTime(), 1, check=check)

    async def run():
        await limiter.acquire(1)
        waiting = [asyncio.create_task(limiter.acquire(1)) for _ in range(3)]
        await asyncio.sleep(0)
        ended.append(True)
        limiter.look_again()
        return await asyncio.gather(*waiting, return_exceptions=True)

    assert [str(each) for each in asyncio.run(run())] == ["the judge is paused"] * 3
