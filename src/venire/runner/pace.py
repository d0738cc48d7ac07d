"""How hard a judge is pressed: the pace is learnt from what its server lets through and what it refuses. Pure.

Nothing here waits or looks at a clock: whoever does tells the time, in seconds.
"""

from __future__ import annotations

import math
from collections import deque

from venire.judges.panel import JudgeLimits
from venire.judges.provider import LimitLeft

FIRST_REQUESTS, FIRST_DOUBLING_SECONDS = 16, 0.1
"""How many requests are sent in the time that the first reply took, and how fast that doubles until one is refused."""
MOST_AT_FIRST = 2000.0
"""How many are sent in a second at first, however quick the first reply was; else refusals of a quick server would come
back when all places have asked already."""
CAUTION = 0.93
"""The share of what was let through that is sent after a refusal; so the server's own count can recover."""
MOST_CUT = 0.5
"""The least share of a learnt rate that a refusal leaves: what was let through may be little for other reasons."""
GROWTH = 0.03
"""How much a learnt rate grows in a second, to find out whether more is allowed."""
CALM_SECONDS, ACCELERATION = 3.0, 0.5
"""After how long without a refusal the growth itself begins to grow, and how much in a second."""
LEAST_SENT = 10
"""A second counts as one for the growth only if so many may be sent in it: slow servers are pressed as slowly."""
LEARNING_DOUBLING_SECONDS = 0.5
"""How fast a rate that was learnt in less than `FULL_SECONDS` doubles until a refusal tells more."""
FULL_SECONDS = 1.0
"""The time over which it is counted what is let through; longer for slow servers and long silences."""
LATE_SECONDS = 0.05
"""What is sent late for our own reasons may be made up for, if it is not later than this and no limit is known."""
TICK_SECONDS = 0.001
"""What may be made up for is not looked at more often: a loop that counts in milliseconds would look all the time."""
FIRST_HOLD_SECONDS, LONGEST_HOLD_SECONDS = 0.02, 60.0
"""How long nothing is sent after a refusal; doubles with each further one in a row, up to what the server asks for."""
HEADERS_COUNT_SECONDS = 120.0
"""Only a rate limit that begins anew within this time spreads requests; a quota of the day is there to be used."""
LOOK_AGAIN_SECONDS = 5.0
"""How long the headers of one answer may keep everybody waiting before another one is asked for."""
FREE_REQUESTS, FREE_TOKENS = 1e4, 1e8
"""A judge that may be sent so many requests and tokens in a second is as good as one without a limit."""
FASTEST = 1e9
"""A learnt rate grows no further than this."""
_BIN_SECONDS = 0.05


class RecentAmounts:
    """What was sent and not refused, by the time of sending, for three minutes."""

    def __init__(self) -> None:
        self._bins: deque[list[float]] = deque(maxlen=int(180 / _BIN_SECONDS))

    def add(self, moment: float, amount: float) -> None:
        """Count something that was sent."""
        start = moment // _BIN_SECONDS * _BIN_SECONDS
        if not self._bins or self._bins[-1][0] != start:
            self._bins.append([start, 0.0])
        self._bins[-1][1] += amount

    def take_back(self, moment: float, amount: float) -> None:
        """Leave out something that was refused."""
        start = moment // _BIN_SECONDS * _BIN_SECONDS
        for each in reversed(self._bins):
            if each[0] <= start:
                each[1] -= amount
                return

    def between(self, begin: float, end: float) -> float:
        """Return how much was let through from one moment to another, to the twentieth of a second."""
        total = 0.0
        for start, amount in reversed(self._bins):
            if start <= begin - _BIN_SECONDS:
                break
            if start <= end:
                total += amount
        return total


class LearntRate:
    """How much of something, requests or tokens, may be sent in a second."""

    def __init__(self, most: float | None) -> None:
        self._most = most or math.inf
        self._rate = math.inf
        self._cap, self._cap_until = math.inf, -math.inf
        self._recent = RecentAmounts()
        self._began = self._grown_at = self._cut_at = self._let_through_at = math.nan
        self._next = -math.inf
        self._unit = 1.0
        self._is_measured = False

    def rate(self, now: float) -> float:
        """Return how much may be sent in a second at present."""
        cap = self._cap if now < self._cap_until else math.inf
        return min(self._most, self._grown(now), cap)

    def wait(self, now: float) -> float:
        """Return for how many seconds nothing may be sent."""
        return self._next - now

    def may_be_late(self, now: float) -> bool:
        """Tell whether what is sent late may be made up for, since no known limit holds it back."""
        return math.isinf(self._most) or self.rate(now) < self._most

    def sent(self, now: float, amount: float) -> None:
        """Count something that is sent."""
        if math.isnan(self._began):
            self._began = self._grown_at = self._let_through_at = now
        self._recent.add(now, amount)
        rate = self.rate(now)
        late = LATE_SECONDS if rate < self._most else 0.0
        pause = amount / rate
        if rate == self._cap:
            pause = min(pause, LOOK_AGAIN_SECONDS)
        self._next = max(self._next, now - late) + pause

    def correct(self, expected: float, actual: float, now: float) -> None:
        """Correct what was counted when it was sent by what it has really taken."""
        self._next += (actual - expected) / self.rate(now)

    def hold_until(self, moment: float) -> None:
        """Send nothing before a moment, and make up for nothing after it."""
        self._next = max(self._next, moment)

    def let_through(self, sent_at: float) -> None:
        """Hear that something that was sent then was not refused."""
        self._let_through_at = max(self._let_through_at, sent_at)

    def refused(self, now: float, sent_at: float, amount: float) -> None:
        """Learn from a refusal; one of something that was sent before the rate was last cut tells nothing new."""
        self._recent.take_back(sent_at, amount)
        if sent_at < self._cut_at:
            return
        # What was sent after it may still be refused, so it is not counted yet.
        rate, known = self._grown(now), max(0.0, sent_at - self._began)
        fewest = 10 * amount / rate if math.isfinite(rate) else 0.0
        silence = sent_at - self._let_through_at
        span = max(min(FULL_SECONDS, known), FULL_SECONDS / 2, min(fewest, known), min(1.5 * silence, known))
        self._is_measured = self._is_measured or known >= FULL_SECONDS
        measured = self._recent.between(sent_at - span, sent_at) / span
        least = 0.0 if math.isnan(self._cut_at) else rate * MOST_CUT
        self._grown_at = self._cut_at = now
        if measured > 0:  # Where nothing is let through there is no rate to learn; whoever asks holds back longer.
            self._rate = min(rate, max(CAUTION * measured, least))
            self._unit = max(1.0, LEAST_SENT * amount / self._rate)

    def begin(self, now: float, rate: float) -> None:
        """Begin with a rate that doubles quickly, so that nobody is stormed; what was refused before stays learnt."""
        if math.isinf(self._rate):
            self._rate, self._grown_at, self._began = rate, now, now
            self.hold_until(now)

    def told(self, now: float, limit: LimitLeft) -> None:
        """Heed what the server says is left, spread over the time until it begins anew."""
        if 0 < limit.reset_seconds <= HEADERS_COUNT_SECONDS:
            self._cap, self._cap_until = max(limit.remaining, 1.0) / limit.reset_seconds, now + limit.reset_seconds

    def _grown(self, now: float) -> float:
        """Return the learnt rate with what it has grown by now."""
        if self._rate >= FASTEST or math.isnan(self._grown_at) or now <= self._grown_at:
            return self._rate
        seconds = now - self._grown_at
        begun, ended = self._grown_at - self._cut_at, now - self._cut_at
        if math.isnan(ended):
            exponent = seconds * math.log(2) / FIRST_DOUBLING_SECONDS
        else:
            calm_begun, calm_ended = (max(0.0, each / self._unit - CALM_SECONDS) for each in (begun, ended))
            exponent = GROWTH * seconds / self._unit + ACCELERATION * (calm_ended**2 - calm_begun**2) / 2
            if not self._is_measured:
                exponent += seconds * math.log(2) / LEARNING_DOUBLING_SECONDS
        self._grown_at = now
        self._rate = min(self._rate * math.exp(min(exponent, 50.0)), FASTEST)
        return self._rate


class Pace:
    """When the next request of a judge may be sent, from its limits and from what became of those before."""

    def __init__(self, limits: JudgeLimits) -> None:
        per_minute, tokens = limits.requests_per_minute, limits.tokens_per_minute
        self._requests = LearntRate(per_minute / 60 if per_minute else None)
        self._tokens = LearntRate(tokens / 60 if tokens else None)
        self._held_at = -math.inf
        self._hold_seconds = 0.0
        self._in_a_row = 0
        self._heard_at = math.nan
        self.has_replied = False
        """Whether there was a reply yet; before that, requests are sent one at a time."""

    def rate(self, now: float) -> float:
        """Return how many requests may be sent in a second at present."""
        return self._requests.rate(now)

    def wait(self, now: float) -> float:
        """Return for how many seconds no request may be sent; 0 or less if one may."""
        return max(self._requests.wait(now), self._tokens.wait(now))

    def look_after(self, now: float) -> float:
        """Return after how many seconds to look again, where a request has to wait."""
        seconds = self.wait(now)
        is_exact = not (self._requests.may_be_late(now) and self._tokens.may_be_late(now))
        return seconds if is_exact else max(seconds, TICK_SECONDS)

    def is_free(self, now: float) -> bool:
        """Tell whether requests may be sent as fast as anybody could."""
        is_fast = self._requests.rate(now) >= FREE_REQUESTS and self._tokens.rate(now) >= FREE_TOKENS
        return self.has_replied and is_fast and not self._in_a_row and self.wait(now) <= 0

    def sent(self, now: float, tokens: int) -> None:
        """Count a request that is sent."""
        if math.isnan(self._heard_at):
            self._heard_at = now
        self._requests.sent(now, 1)
        self._tokens.sent(now, tokens)
        if self._in_a_row:  # The next ones come closer and closer, unless this one is refused too.
            self._hold_seconds /= 2
            self.hold(now, self._hold_seconds)

    def used(self, now: float, expected_tokens: int, actual_tokens: int) -> None:
        """Correct the tokens of a request by what was really used."""
        self._tokens.correct(expected_tokens, actual_tokens, now)

    def replied(self, now: float, sent_at: float) -> None:
        """Hear that a request that was sent then has brought a reply."""
        if not self.has_replied:
            self.has_replied = True
            self._requests.begin(now, min(FIRST_REQUESTS / max(now - sent_at, 1e-6), MOST_AT_FIRST))
        self._heard_at = now
        self._requests.let_through(sent_at)
        self._tokens.let_through(sent_at)
        if sent_at >= self._held_at:
            self._in_a_row = 0

    def refused(self, now: float, sent_at: float, tokens: int, asked_seconds: float | None, unit: str) -> None:
        """Learn from a refusal, of requests or of tokens, whose server may have asked for a pause.

        One refusal holds everybody back for a moment only: the server may mean this request alone. Refusals in a row
        hold longer and longer, up to what it asks for.
        """
        if self.has_replied:  # One request at a time tells nothing about how many there may be.
            rate, amount = (self._tokens, tokens) if unit == "tokens" else (self._requests, 1)
            rate.refused(now, sent_at, amount)
        if sent_at < self._held_at:
            return
        longest = asked_seconds or LONGEST_HOLD_SECONDS
        shortest = max(FIRST_HOLD_SECONDS, 1 / self._requests.rate(now), min(now - sent_at, 5 * FIRST_HOLD_SECONDS))
        hold = shortest * 2 ** min(self._in_a_row, 30)
        self._in_a_row += 1
        self._held_at = now
        self._hold_seconds = min(hold, longest)
        self.hold(now, self._hold_seconds)

    def told(self, now: float, limits: tuple[LimitLeft, ...]) -> None:
        """Heed what the headers of an answer say is left."""
        for limit in limits:
            (self._tokens if limit.unit == "tokens" else self._requests).told(now, limit)

    def hold(self, now: float, seconds: float) -> None:
        """Send nothing for a while."""
        self._requests.hold_until(now + seconds)

    def seconds_without_reply(self, now: float) -> float:
        """Return for how long the judge was asked and gave no reply."""
        return 0.0 if math.isnan(self._heard_at) else now - self._heard_at
