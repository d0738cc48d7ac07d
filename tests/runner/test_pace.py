"""Limits of requests and tokens, with a clock that only moves when somebody waits."""

import asyncio

import pytest

from venire.judges.panel import JudgeLimits
from venire.runner.pace import LEAST_SHARE, RECOVERY, SETTLE_SECONDS, JudgeLimiter


class FakeTime:
    def __init__(self):
        self.now = 100.0
        self.slept = []

    def clock(self):
        return self.now

    async def sleep(self, seconds):
        self.slept.append(seconds)
        self.now += seconds


def limiter(time, **limits):
    return JudgeLimiter(JudgeLimits(**limits), time.clock, time.sleep)


def send_times(judge, time, count, tokens=1, actual=0):
    async def run():
        times = []
        for _ in range(count):
            await judge.acquire(tokens)
            times.append(time.now - 100.0)
            judge.release(expected_tokens=tokens, actual_tokens=actual)
        return times

    return asyncio.run(run())


def test_no_minute_holds_more_requests_than_allowed():
    time = FakeTime()
    times = send_times(limiter(time, requests_per_minute=30), time, 100)
    assert times[:3] == pytest.approx([0.0, 2.0, 4.0])
    assert max(sum(start <= each < start + 60 for each in times) for start in times) == 30


def test_tokens_in_a_minute_are_held_and_corrected_by_what_was_used():
    time = FakeTime()
    assert send_times(limiter(time, tokens_per_minute=600), time, 3, tokens=100) == pytest.approx([0, 10, 20])
    time = FakeTime()
    assert send_times(limiter(time, tokens_per_minute=600), time, 3, tokens=100, actual=50) == pytest.approx([0, 5, 10])


def test_a_refusal_halves_the_rate_and_replies_win_it_back_slowly():
    time = FakeTime()
    judge = limiter(time, requests_per_minute=60)
    judge.refused()
    assert judge.share == 0.5
    assert send_times(judge, time, 3) == pytest.approx([0, 2, 4])
    for _ in range(10):
        judge.succeeded()
    assert judge.share == pytest.approx(0.5 + 10 * RECOVERY)
    for _ in range(100):
        judge.succeeded()
    assert judge.share == 1.0


def test_refusals_that_come_together_count_once():
    time = FakeTime()
    judge = limiter(time)
    for _ in range(5):
        judge.refused()
    assert judge.share == 0.5
    time.now += SETTLE_SECONDS
    judge.refused()
    assert judge.share == 0.25


def test_a_judge_is_never_throttled_to_nothing():
    time = FakeTime()
    judge = limiter(time, concurrency=2)
    for _ in range(50):
        time.now += SETTLE_SECONDS
        judge.refused()
    assert judge.share == LEAST_SHARE
    assert send_times(judge, time, 1) == [50 * SETTLE_SECONDS]


def test_a_pause_holds_all_requests_even_those_that_wait_for_their_turn():
    time = FakeTime()
    judge = limiter(time, requests_per_minute=60)

    async def sleep(seconds):
        time.now += seconds
        if len(time.slept) == 0:
            judge.pause(30.0)
        time.slept.append(seconds)

    judge._sleep = sleep
    assert send_times(judge, time, 2) == pytest.approx([0, 31])


def test_no_more_requests_are_under_way_than_allowed_and_everyone_gets_a_turn():
    time = FakeTime()
    judge = limiter(time, concurrency=3)
    most = done = under_way = 0

    async def one():
        nonlocal most, done, under_way
        await judge.acquire(1)
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        judge.release()
        done += 1

    async def run():
        await asyncio.gather(*(one() for _ in range(50)))

    asyncio.run(run())
    assert (most, done) == (3, 50)


def test_one_who_gives_up_waiting_leaves_the_turn_to_the_next():
    time = FakeTime()
    judge = limiter(time, concurrency=1)

    async def run():
        await judge.acquire(1)
        impatient = asyncio.create_task(judge.acquire(1))
        patient = asyncio.create_task(judge.acquire(1))
        await asyncio.sleep(0)
        impatient.cancel()
        await asyncio.sleep(0)
        judge.release()
        await asyncio.wait_for(patient, 60)
        return impatient.cancelled(), patient.done()

    assert asyncio.run(run()) == (True, True)


def test_one_who_gives_up_when_it_is_its_turn_leaves_the_turn_to_the_next():
    judge = limiter(FakeTime(), concurrency=1)

    async def run():
        await judge.acquire(1)
        impatient = asyncio.create_task(judge.acquire(1))
        patient = asyncio.create_task(judge.acquire(1))
        await asyncio.sleep(0)
        judge.release()
        impatient.cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        return impatient.cancelled(), patient.done()

    assert asyncio.run(run()) == (True, True)


def test_one_who_gives_up_in_a_pause_leaves_its_place_to_the_next():
    time = FakeTime()
    judge = limiter(time, concurrency=1)
    judge.pause(30.0)

    async def sleep_for_ever(_seconds):
        await asyncio.Event().wait()

    async def run():
        judge._sleep = sleep_for_ever
        impatient = asyncio.create_task(judge.acquire(1))
        patient = asyncio.create_task(judge.acquire(1))
        await asyncio.sleep(0)
        impatient.cancel()
        time.now += 30.0
        for _ in range(5):
            await asyncio.sleep(0)
        return impatient.cancelled(), patient.done()

    assert asyncio.run(run()) == (True, True)
