"""How many probes a family needs: for finding a fault with the planned power, and for passing a sound judge."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.qualification.paired_share import paired_scores

MOST = 2_000
"""The largest size that is planned."""

Against = Literal["nothing", "drops", "repeats"]
"""What failures are held against: nothing, scores that fell where failures rose, or changes of a mere repeat."""


class PlannedTest(msgspec.Struct, frozen=True, kw_only=True):
    """What a family's size is planned for."""

    limit: float
    """The rate that a judge must stay within."""
    fault: float
    """The true rate of a fault that is to be found."""
    sound: float = 0.0
    """The true rate of a sound judge that is to pass."""
    against: Against = "nothing"
    """What failures are held against."""
    noise: float = 0.0
    """How often a judge changes its score when it is merely asked again."""
    alpha: float = 0.05
    """One less the confidence of the upper bound."""
    strike_alpha: float = 0.05
    """The p value at which a judge is struck; with several families, Holm's smallest."""
    power: float = 0.95
    """The probability with which a fault is found."""
    pass_power: float = 0.95
    """The probability with which a sound judge passes."""


def chance_to_strike(test: PlannedTest, rate: float, size: int) -> float:
    """Return the probability that a true rate is shown to lie beyond its limit."""
    from scipy.special import bdtrc, ndtri

    if test.against == "nothing":
        failures = np.arange(size + 1)
        p_values = np.where(failures > 0, bdtrc(failures - 1, size, test.limit), 1.0)
        return _binomial(failures[p_values <= test.strike_alpha], size, rate)
    return _paired_chance(test, rate, size, float(ndtri(1 - test.strike_alpha)), beyond=True)


def chance_to_pass(test: PlannedTest, rate: float, size: int) -> float:
    """Return the probability that the upper bound of a true rate lies within its limit."""
    from scipy.special import bdtr, ndtri

    if test.against == "nothing":
        failures = np.arange(size + 1)
        return _binomial(failures[bdtr(failures, size, test.limit) <= test.alpha], size, rate)
    return _paired_chance(test, rate, size, -float(ndtri(1 - test.alpha)), beyond=False)


@lru_cache(maxsize=1024)
def planned_size(test: PlannedTest) -> int:
    """Return the least size with which a fault is found and a sound judge passes, each with its planned power.

    >>> planned_size(PlannedTest(limit=0.2, fault=0.5, sound=0.02))
    30
    """
    if not 0 <= test.sound < test.limit < test.fault <= 1 or not 0 < test.power < 1:
        raise UsageError("error.stats.sizes", sound=test.sound, limit=test.limit, fault=test.fault)
    for size in range(5, MOST + 1):
        if (
            chance_to_pass(test, test.sound, size) >= test.pass_power
            and chance_to_strike(test, test.fault, size) >= test.power
        ):
            return size
    raise UsageError("error.stats.size_too_large", most=MOST, limit=test.limit, fault=test.fault, sound=test.sound)


def _binomial(failures: np.ndarray, size: int, rate: float) -> float:
    from scipy.stats import binom

    return float(binom.pmf(failures, size, rate).sum())


def _paired_chance(test: PlannedTest, rate: float, size: int, critical: float, *, beyond: bool) -> float:
    """Add up the probabilities of the counts whose score at the limit is beyond, or within, the critical one."""
    from scipy.special import gammaln, xlogy

    first, second = np.meshgrid(np.arange(size + 1), np.arange(size + 1), indexing="ij")
    possible = first + second <= size
    first, second = first[possible], second[possible]
    scores = paired_scores(first.astype(float), second.astype(float), size, test.limit)
    held = scores >= critical if beyond else scores <= critical
    first, second = first[held], second[held]
    others = size - first - second
    up, down = _chances(test, rate)
    ways = gammaln(size + 1) - gammaln(first + 1) - gammaln(second + 1) - gammaln(others + 1)
    return float(np.exp(ways + xlogy(first, up) + xlogy(second, down) + xlogy(others, 1 - up - down)).sum())


def _chances(test: PlannedTest, rate: float) -> tuple[float, float]:
    """Return how likely one pair fails, and how likely it counts against failures, if noise comes on top of a fault."""
    if test.against == "drops":
        return rate + (1 - rate) * test.noise / 2, (1 - rate) * test.noise / 2
    changed = rate + (1 - rate) * test.noise
    return changed * (1 - test.noise), (1 - changed) * test.noise
