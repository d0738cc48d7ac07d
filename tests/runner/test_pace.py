"""The pace that is learnt from refusals, against servers that live in a clock of their own."""

import heapq
import itertools
import random

import pytest

from venire.judges.panel import JudgeLimits
from venire.judges.provider import LimitLeft
from venire.runner.pace import LOOK_AGAIN_SECONDS, Pace


class Bucket:
    """Lets so many requests through in a second, and some at once; the rate may change at a moment."""

    def __init__(self, *rates, burst=10):
        self._rates = rates
        self._burst = self._held = burst
        self._filled_at = 0.0

    def lets_through(self, now):
        rate = [rate for begin, rate in self._rates if begin <= now][-1]
        self._held = min(self._burst, self._held + (now - self._filled_at) * rate)
        self._filled_at = now
        allowed = self._held >= 1
        self._held -= allowed
        return allowed


class Windows:
    """Lets so many requests through in each window of so many seconds."""

    def __init__(self, most, seconds=1.0):
        self._most, self._seconds = most, seconds
        self._window = self._count = 0

    def lets_through(self, now):
        if now // self._seconds != self._window:
            self._window, self._count = now // self._seconds, 0
        self._count += 1
        return self._count <= self._most


class Anything:
    def lets_through(self, now):
        return True


def simulate(server, tasks, *, places=64, latency=0.05, refusal_latency=0.02, asked=None, limits=None, seed=0):
    """Ask until all tasks are answered; returns the time and outcome of each request."""
    chance, pace = random.Random(seed), Pace(limits or JudgeLimits(concurrency=places))
    now, ready, under_way, done, seen = 0.0, tasks, 0, 0, []
    coming, waiting = [], []
    while done < tasks:
        free = under_way < (places if pace.has_replied else 1)
        if ready and free and pace.wait(now) <= 1e-9:
            pace.sent(now, 100)
            ready, under_way = ready - 1, under_way + 1
            let_through = server.lets_through(now)
            seen.append((now, let_through))
            takes = (latency if let_through else refusal_latency) + chance.random() * 0.01
            heapq.heappush(coming, (now + takes, len(seen), let_through, now))
            continue
        moments = [now + max(pace.wait(now), 1e-6)] if ready and free else []
        now = min(moments + [each[0] for each in coming[:1]] + waiting[:1])
        while waiting and waiting[0] <= now:
            heapq.heappop(waiting)
            ready += 1
        while coming and coming[0][0] <= now:
            _, _, let_through, sent_at = heapq.heappop(coming)
            under_way -= 1
            if let_through:
                pace.replied(now, sent_at)
                done += 1
            else:
                pace.refused(now, sent_at, 100, asked, "")
                heapq.heappush(waiting, now + (asked or 0.5))
    return seen


def rate(seen):
    return sum(let_through for _, let_through in seen) / seen[-1][0]


def refused(seen):
    return sum(not let_through for _, let_through in seen) / len(seen)


def in_second(seen, second):
    return sum(let_through for moment, let_through in seen if second <= moment < second + 1)


@pytest.mark.parametrize("asked", [None, 1])
@pytest.mark.parametrize("places", [8, 64])
@pytest.mark.parametrize("server", [lambda: Bucket((0, 50)), lambda: Bucket((0, 50), burst=50), lambda: Windows(50)])
def test_nine_tenths_of_what_a_server_allows_are_reached_with_one_refusal_in_twenty(server, places, asked):
    seen = simulate(server(), 1000, places=places, latency=0.01, refusal_latency=0.005, asked=asked)
    assert rate(seen) >= 0.9 * 50
    assert refused(seen) <= 0.05


@pytest.mark.parametrize("asked", [None, 1])
def test_the_pace_follows_within_five_seconds_when_more_or_less_is_allowed(asked):
    doubled = simulate(Bucket((0, 50), (10, 100)), 1500, asked=asked)
    assert all(in_second(doubled, second) >= 90 for second in range(15, 20))
    halved = simulate(Bucket((0, 100), (10, 50)), 1500, asked=asked)
    assert all(45 <= in_second(halved, second) <= 55 for second in range(12, 19))
    assert sum(not let_through for moment, let_through in halved if moment >= 15) <= 10


def test_slow_servers_and_long_windows_are_learnt_too():
    slow = simulate(Bucket((0, 2), burst=5), 200, latency=0.5, refusal_latency=0.1)
    assert rate(slow) >= 0.9 * 2
    assert refused(slow) <= 0.15
    minutes = simulate(Windows(600, seconds=60.0), 3000, latency=0.5, refusal_latency=0.1, asked=30)
    assert rate(minutes) >= 0.9 * 10
    assert refused(minutes) <= 0.1


def test_where_nothing_is_refused_all_places_are_used():
    seen = simulate(Anything(), 20_000, places=256, latency=0.195)
    assert rate(seen) >= 0.95 * 256 / 0.2


def test_one_refusal_that_asks_for_half_a_minute_does_not_hold_up_the_others():
    class OneRefusal:
        count = 0

        def lets_through(self, now):
            self.count += 1
            return self.count != 300

    others = [moment for moment, _ in simulate(OneRefusal(), 1000, asked=30)[:-1]]
    assert max(later - earlier for earlier, later in itertools.pairwise(others)) < 1


def test_a_server_that_refuses_everything_is_asked_less_and_less_up_to_what_it_asks_for():
    pace, now, moments = Pace(JudgeLimits()), 0.0, []
    while now < 300:
        now += max(pace.wait(now), 0.0)
        pace.sent(now, 1)
        moments.append(now)
        now += 0.01
        pace.refused(now, now - 0.01, 1, 30, "")
    gaps = [later - earlier for earlier, later in itertools.pairwise(moments)]
    assert gaps[-1] == pytest.approx(30, abs=0.1)
    assert len(moments) < 25
    assert pace.seconds_without_reply(now) == pytest.approx(now)


def test_a_refusal_of_tokens_slows_large_requests_down_and_not_small_ones():
    def sent_in_two_seconds(tokens):
        pace, now, count = Pace(JudgeLimits()), 0.0, 0
        pace.sent(now, 100)
        pace.replied(0.01, now)
        for _ in range(200):
            now += 0.005
            pace.sent(now, 100)
        pace.refused(now + 0.01, now, 100, None, "tokens")
        pace.replied(now + 0.02, now + 0.01)
        end = now + 2
        while now < end:
            now += max(pace.wait(now), 0.001)
            pace.sent(now, tokens)
            count += 1
        return count

    assert sent_in_two_seconds(1) > 5 * sent_in_two_seconds(1000)


def test_what_headers_say_is_left_is_spread_over_the_time_until_there_is_more():
    pace = Pace(JudgeLimits())
    pace.sent(0.0, 1)
    pace.replied(0.01, 0.0)
    pace.told(0.01, (LimitLeft("requests", 20, 10.0),))
    assert pace.rate(0.01) == pytest.approx(2.0)
    assert pace.rate(10.5) > 2.0


def test_nothing_left_is_looked_at_again_soon_and_a_quota_of_the_day_may_be_used_at_once():
    pace = Pace(JudgeLimits())
    pace.sent(0.0, 1)
    pace.replied(0.01, 0.0)
    pace.told(0.01, (LimitLeft("requests", 0, 60.0),))
    pace.sent(0.02, 1)
    assert 1 < pace.wait(0.02) <= LOOK_AGAIN_SECONDS
    of_the_day = Pace(JudgeLimits())
    of_the_day.sent(0.0, 1)
    of_the_day.replied(0.01, 0.0)
    of_the_day.told(0.01, (LimitLeft("requests", 9000, 70_000.0),))
    assert of_the_day.rate(0.01) > 100


def send_times(pace, count, tokens=1, actual=None):
    now, times = 0.0, []
    for _ in range(count):
        now += max(pace.wait(now), 0.0)
        pace.sent(now, tokens)
        times.append(now)
        pace.replied(now, now)
        if actual is not None:
            pace.used(now, tokens, actual)
    return times


def test_no_minute_holds_more_requests_than_allowed():
    times = send_times(Pace(JudgeLimits(requests_per_minute=30)), 100)
    assert times[:3] == pytest.approx([0.0, 2.0, 4.0])
    assert max(sum(start <= each < start + 60 for each in times) for start in times) == 30


def test_tokens_in_a_minute_are_held_and_corrected_by_what_was_used():
    limits = JudgeLimits(tokens_per_minute=600)
    assert send_times(Pace(limits), 3, tokens=100) == pytest.approx([0, 10, 20])
    assert send_times(Pace(limits), 3, tokens=100, actual=50) == pytest.approx([0, 5, 10])
