"""The pace that is learnt from refusals, against servers that live in a clock of their own."""

import heapq
import itertools
import random

import pytest

from golden_values import assert_as_kept
from venire.judges.panel import JudgeLimits
from venire.judges.provider import LimitLeft
from venire.runner.pace import LOOK_AGAIN_SECONDS, Pace, RecentAmounts


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


def simulate(
    server, tasks, *, places=64, latency=0.05, refusal_latency=0.02, asked=None, limits=None, seed=0, jitter=0.01
):
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
            takes = (latency if let_through else refusal_latency) + chance.random() * jitter
            heapq.heappush(coming, (now + takes, len(seen), let_through, now))
            continue
        moments = [now + max(pace.look_after(now), 1e-6)] if ready and free else []
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
@pytest.mark.parametrize("server", [lambda: Bucket((0, 50)), lambda: Bucket((0, 100), (10, 50)), lambda: Windows(50)])
def test_a_server_that_refuses_within_a_millisecond_is_not_stormed(server, asked):
    seen = simulate(server(), 1000, latency=0.001, refusal_latency=0.001, asked=asked, jitter=0.001)
    assert sum(not let_through for moment, let_through in seen if moment < 0.5) <= 12
    assert refused(seen) <= 0.05


@pytest.mark.parametrize("asked", [None, 1])
@pytest.mark.parametrize("allowed", [100, 200])
def test_what_a_quick_server_allows_is_found_within_five_seconds(allowed, asked):
    seen = simulate(Bucket((0, allowed)), 20 * allowed, latency=0.002, refusal_latency=0.002, asked=asked, jitter=0.001)
    assert all(in_second(seen, second) >= 0.9 * allowed for second in range(5, 20))
    assert refused(seen) <= 0.01


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


SCENES = {
    "a bucket": lambda: simulate(Bucket((0, 50)), 300, latency=0.01, refusal_latency=0.005),
    "a bucket that asks for a second": lambda: simulate(Bucket((0, 50), (3, 100), (6, 20)), 500, asked=1),
    "a slow bucket": lambda: simulate(Bucket((0, 2), burst=5), 60, latency=0.5, refusal_latency=0.1),
    "windows of a minute": lambda: simulate(Windows(60, seconds=60.0), 150, latency=0.5, asked=30),
    "no limit": lambda: simulate(Anything(), 400, latency=0.195),
    "a limit that is known": lambda: simulate(Anything(), 50, limits=JudgeLimits(requests_per_minute=600)),
}


def test_when_every_request_is_sent_stays():
    lines = []
    for scene, run in SCENES.items():
        seen = run()
        shown = [f"{moment:.3f}{'' if let_through else ' refused'}" for moment, let_through in seen]
        lines += [f"{scene}: {len(seen)} requests", f"  {', '.join(shown[:50])}", f"  {', '.join(shown[50::9])}"]
    assert_as_kept("pace.txt", "".join(f"{line}\n" for line in lines))


def test_what_was_let_through_is_counted_by_the_twentieth_of_a_second():
    recent = RecentAmounts()
    for moment, amount in ((0.01, 1.0), (0.06, 2.0), (0.07, 8.0), (0.12, 4.0)):
        recent.add(moment, amount)
    assert [recent.between(*each) for each in ((0, 1), (0.06, 0.12), (0, 0.05), (0.11, 0.2), (0, 0.04))] == [
        15, 14, 11, 4, 1,
    ]  # fmt: skip
    recent.take_back(0.08, 2.0)
    recent.take_back(0.2, 1.0)
    assert [recent.between(*each) for each in ((0, 0.05), (0.11, 0.2))] == [9, 3]


def replied_pace(**limits):
    """A pace after one reply that took 20 ms: it may be sent 800 requests a second, twice as many each 0.1 s."""
    pace = Pace(JudgeLimits(**limits))
    pace.sent(0.0, 1)
    pace.replied(0.02, 0.0)
    return pace


def test_the_first_reply_opens_sixteen_requests_in_its_time_and_twice_as_many_each_tenth_of_a_second():
    pace = replied_pace()
    assert [pace.rate(moment) for moment in (0.02, 0.12, 0.32)] == pytest.approx([800, 1600, 6400])
    assert [replied_pace(requests_per_minute=each).rate(0.31) for each in (60, 6000)] == [1, 100]
    assert pace.rate(1e6) == 1e9


def test_however_quick_the_first_reply_a_second_begins_with_two_thousand_requests():
    pace = Pace(JudgeLimits())
    pace.sent(0.0, 1)
    pace.replied(0.001, 0.0)
    assert pace.rate(0.001) == 2000


def test_it_is_looked_again_each_millisecond_at_most_where_what_is_late_may_be_made_up_for():
    pace = replied_pace()
    pace.hold(0.12, 0.0006)
    assert pace.wait(0.12) == pytest.approx(0.0006)
    assert pace.look_after(0.12) == 0.001
    assert pace.look_after(0.1) == pytest.approx(0.0206)


@pytest.mark.parametrize("limits", [{"requests_per_minute": 96_000}, {"tokens_per_minute": 96_000}])
def test_where_a_limit_is_known_and_nothing_may_be_made_up_for_it_is_looked_again_in_time(limits):
    pace = replied_pace(**limits)
    pace.sent(0.32, 1)
    assert pace.look_after(0.32) == pace.wait(0.32) == pytest.approx(1 / 1600)


@pytest.mark.parametrize(
    ("remaining", "reset_seconds", "allowed"),
    [(10, 0.5, 20), (30, 120.0, 0.25), (0, 4.0, 0.25), (30, 120.1, 800), (5, 0.0, 800), (5, -1.0, 800)],
)
def test_headers_count_if_they_tell_of_the_next_two_minutes(remaining, reset_seconds, allowed):
    pace = replied_pace()
    pace.told(0.02, (LimitLeft("requests", remaining, reset_seconds),))
    assert pace.rate(0.02) == pytest.approx(allowed)


def test_headers_about_tokens_hold_tokens_back_and_not_requests():
    pace = replied_pace()
    pace.told(0.02, (LimitLeft("tokens", 100, 10.0),))
    assert pace.rate(0.02) == pytest.approx(800)
    pace.sent(1.0, 30)
    assert pace.wait(1.0) == pytest.approx(3 - 0.05)  # It is late, and a twentieth of a second may be made up for.


def test_tokens_that_were_not_used_are_given_back_and_those_used_beside_them_are_taken():
    pace = replied_pace(tokens_per_minute=600)
    pace.sent(0.1, 100)
    assert pace.wait(0.1) == pytest.approx(10)
    pace.used(0.1, 100, 70)
    assert pace.wait(0.1) == pytest.approx(7)
    pace.used(0.1, 100, 120)
    assert pace.wait(0.1) == pytest.approx(9)


def test_refusals_in_a_row_hold_twice_as_long_each_and_what_follows_half_as_long():
    pace, waits = replied_pace(), []
    for number in range(3):
        pace.refused(1.0 + number, 0.9 + number, 1, None, "")
        waits.append(pace.wait(1.0 + number))
    assert waits == pytest.approx([0.1, 0.2, 0.4])
    pace.refused(3.1, 2.9, 1, None, "")  # Sent before the last one was heard of.
    assert pace.wait(3.0) == pytest.approx(0.4)
    pace.sent(3.5, 1)
    assert pace.wait(3.5) == pytest.approx(0.2)
    pace.sent(3.8, 1)
    assert pace.wait(3.8) == pytest.approx(0.1)
    pace.replied(4.0, 3.9)
    assert pace.wait(4.0) <= 0


@pytest.mark.parametrize(("asked", "held"), [(None, 0.1), (0.03, 0.03), (7.0, 0.1)])
def test_a_refusal_holds_no_longer_than_the_server_asks_for(asked, held):
    pace = replied_pace()
    pace.refused(1.0, 0.5, 1, asked, "")
    assert pace.wait(1.0) == pytest.approx(held)


def test_a_judge_is_free_once_it_has_replied_and_nothing_was_refused_and_nothing_limits_it():
    assert not Pace(JudgeLimits()).is_free(5.0)
    pace = replied_pace()
    assert [pace.is_free(moment) for moment in (0.38, 0.39)] == [False, True]  # From 10,000 requests a second on.
    pace.refused(0.41, 0.4, 1, None, "tokens")
    assert not pace.is_free(5.0)
    assert not replied_pace(requests_per_minute=6000).is_free(5.0)
    assert not replied_pace(tokens_per_minute=6_000_000).is_free(5.0)
    held = replied_pace()
    held.hold(5.0, 1.0)
    assert [held.is_free(moment) for moment in (5.9, 6.0)] == [False, True]


def test_how_long_a_judge_gave_no_reply_is_counted_from_its_first_request_or_last_reply():
    pace = Pace(JudgeLimits())
    assert pace.seconds_without_reply(9.0) == 0
    pace.sent(10.0, 1)
    pace.sent(11.0, 1)
    assert pace.seconds_without_reply(13.0) == 3
    pace.replied(14.0, 10.0)
    assert pace.seconds_without_reply(16.0) == 2
