"""Which notes of samples are offered as factors of a report: columns with few levels, no measurements, no free text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

MOST_LEVELS = 20
"""How many levels an offered factor has at most."""

LONGEST_LEVEL = 60
"""How many characters a level has at most; anything longer is free text."""

_MEASURED = re.compile(
    r"(?:^|_)(?:latency|duration|elapsed|time|timestamp|ms|millis|s|secs?|seconds|minutes|tokens?|costs?|prices?|usd|eur"
    r"|cny|lengths?|chars?|characters|words?|bytes|size)(?:_|$)"
)
"""Words in the name of a column that say that its numbers were measured."""


def may_be_offered(levels: Collection[str]) -> bool:
    """Tell whether a note with these levels could still be a factor; more levels never make it one again."""
    return len(levels) <= MOST_LEVELS and all(len(level) <= LONGEST_LEVEL and "\n" not in level for level in levels)


def is_offered(name: str, levels: Collection[str], samples: int) -> bool:
    """Tell whether a note is offered as a factor: few levels, fewer than half the samples, and no measurement.

    >>> is_offered("language", {"en", "zh"}, 40), is_offered("latency_ms", {"312", "480"}, 40)
    (True, False)
    """
    if not 1 < len(levels) < samples / 2 or not may_be_offered(levels):
        return False
    return not _are_measured(name, levels)


def _are_measured(name: str, levels: Collection[str]) -> bool:
    """Tell numbers that were measured for each output from those that are levels, such as a difficulty from 1 to 5."""
    try:
        numbers = [float(level) for level in levels]
    except ValueError:
        return False
    words = re.sub(r"[\s_-]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name)).casefold()
    whole = all(number.is_integer() for number in numbers)
    return not whole or max(numbers) - min(numbers) >= MOST_LEVELS or _MEASURED.search(words) is not None
