"""The terms on which votes age: how fast, in which batches, and from which variance on an item is ambiguous."""

from __future__ import annotations

import math
import re
from typing import Literal

import msgspec

from venire.errors import UsageError

SECONDS: dict[str, float] = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0}
"""The units of time in which rates and windows are given."""

_SHORT = {"s": "second", "m": "minute", "min": "minute", "h": "hour", "d": "day", "w": "week"}


class Batching(msgspec.Struct, frozen=True):
    """Which votes on an item are averaged before they are weighed against the past.

    A batch is dated by its last vote. Votes of one moment always share a batch: between them no time passes, so that
    the order of their rows would otherwise decide who counts.
    """

    by: Literal["vote", "count", "window"] = "window"
    """Every moment's votes by themselves, so many votes in succession, or all votes of a window of time."""
    count: int = 1
    """For `count`: a vote that has so many, or twice as many..., older ones on its item opens a batch."""
    window_seconds: float = 86400.0
    """How long a window is, for `window`; windows are counted from the beginning of 1970 in UTC."""

    def __post_init__(self) -> None:
        if self.count < 1:
            raise UsageError("error.votes.decay.batch_count", found=self.count)
        if not 1e-6 <= self.window_seconds < 1e11:
            raise UsageError("error.votes.decay.window", found=self.window_seconds)

    @property
    def window_microseconds(self) -> int:
        """How long a window is in whole microseconds."""
        return round(self.window_seconds * 1_000_000)

    def label(self, time: int, votes_before: int) -> int:
        """Return what tells a vote's batch from others of its item: the moment, the place or the window."""
        if self.by == "window":
            return time // self.window_microseconds
        return votes_before // self.count if self.by == "count" else time

    @classmethod
    def parse(cls, text: str) -> Batching:
        """Read `vote`, a number of votes such as `10`, or a window such as `1d`.

        >>> Batching.parse("12h").window_seconds
        43200.0
        """
        if text == "vote":
            return cls("vote")
        if text.isdecimal():
            return cls("count", count=int(text))
        return cls("window", window_seconds=parse_duration(text))

    def __str__(self) -> str:
        return {"vote": "vote", "count": str(self.count), "window": f"{self.window_seconds:g}s"}[self.by]


class Decay(msgspec.Struct, frozen=True):
    """How votes age. A rate of 0 never forgets: then the first batch stands."""

    rate_per_second: float = 0.1 / 86400
    """The decay constant λ; `decay_rate` and `half_life_rate` make it of other units."""
    batching: Batching = Batching()
    """Which votes are averaged first; all votes of a day unless said otherwise."""
    critical_variance: float = 0.05
    """From above which variance of votes an item is ambiguous; 0.25 is the most that there can be."""

    def __post_init__(self) -> None:
        if not 0 <= self.rate_per_second < math.inf:
            raise UsageError("error.votes.decay.rate", found=self.rate_per_second)
        if not 0 <= self.critical_variance <= 0.25:
            raise UsageError("error.votes.decay.critical_variance", found=self.critical_variance)


def decay_rate(rate: float, unit: str = "day") -> float:
    """Return a decay constant per second from one per another unit."""
    if unit not in SECONDS:
        raise UsageError("error.votes.decay.unit", known=tuple(SECONDS), found=unit)
    if not 0 <= rate < math.inf:
        raise UsageError("error.votes.decay.rate", found=rate)
    return rate / SECONDS[unit]


def half_life_rate(seconds: float) -> float:
    """Return the decay constant per second with which a batch loses half of its weight in so many seconds."""
    if not 0 < seconds < math.inf:
        raise UsageError("error.votes.decay.half_life", found=seconds)
    return math.log(2) / seconds


def parse_rate(text: str) -> float:
    """Read a decay constant with its unit, such as `0.1/day`, or a half-life, such as `7d`; return it per second.

    >>> round(parse_rate("0.1/day") * 86400, 12)
    0.1
    """
    number, slash, unit = text.partition("/")
    if not slash:
        return half_life_rate(parse_duration(text))
    try:
        rate = float(number)
    except ValueError:
        raise UsageError("error.votes.decay.rate_text", found=text) from None
    return decay_rate(rate, _SHORT.get(unit.strip(), unit.strip()))


def parse_duration(text: str) -> float:
    """Read a duration such as `90s`, `15min`, `12h`, `7d` or `2 weeks`; return it in seconds."""
    match = re.fullmatch(r"\s*([0-9.]+)\s*([a-z]+?)s?\s*", text.lower()) or re.fullmatch(r"\s*([0-9.]+)\s*(s)\s*", text)
    unit = _SHORT.get(match[2], match[2]) if match else ""
    try:
        return float(match[1] if match else "") * SECONDS[unit]
    except (KeyError, ValueError):
        raise UsageError("error.votes.decay.duration", found=text) from None
