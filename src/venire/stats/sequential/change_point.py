"""Where in a row of groups a rate rose, by the largest likelihood of two rates (Hinkley & Hinkley 1970)."""

from __future__ import annotations

import math
from collections.abc import Sequence


def locate_rise(failures: Sequence[int], trials: Sequence[int]) -> int | None:
    """Return the place of the first group after the rise; None if there is none, or nothing before it.

    >>> locate_rise([1, 0, 1, 4, 5], [20, 20, 20, 20, 20])
    3
    >>> locate_rise([0, 0], [20, 20]) is None
    True
    """
    best, found = 0.0, None
    for place in range(1, len(trials)):
        before, after = (sum(failures[:place]), sum(trials[:place])), (sum(failures[place:]), sum(trials[place:]))
        if not before[1] or not after[1] or after[0] * before[1] <= before[0] * after[1]:
            continue
        gain = _likelihood(*before) + _likelihood(*after) - _likelihood(before[0] + after[0], before[1] + after[1])
        if gain > best:
            best, found = gain, place
    return found


def _likelihood(failures: int, trials: int) -> float:
    """Return the logarithm of the likelihood at the rate that was seen."""
    parts = (failures, trials - failures)
    return sum(part * math.log(part / trials) for part in parts if part)
