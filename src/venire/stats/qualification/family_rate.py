"""The rate of one family of probes: how often a judge failed, its bounds, and what they say about the limit."""

from __future__ import annotations

from typing import Literal

import msgspec

from venire.stats.qualification.binomial_bounds import exceeding_p, lower_bound, upper_bound
from venire.stats.qualification.paired_share import paired_bounds, paired_difference, paired_exceeding_p

MOST_MORE = 100_000
"""If more observations than this would be needed, it is said that they would not decide."""

Standing = Literal["within", "beyond", "open"]
"""Whether the bounds put a rate within its limit, beyond it, or leave it open."""


class FamilyCount(msgspec.Struct, frozen=True, kw_only=True):
    """What was counted of a family of probes."""

    trials: int = 0
    """Observations that could be used."""
    failures: int = 0
    """Failures."""
    against: int | None = None
    """What chance alone shows, to be held against the failures: scores that fell where failures are scores that rose,
    or changes under a repeat alone where they are changes under the probe alone; None if there is nothing."""

    @property
    def rate(self) -> float:
        """The share of failures, less what is held against them."""
        if self.against is None:
            return self.failures / self.trials
        return paired_difference(self.failures, self.against, self.trials)

    def bounds(self, alpha: float) -> tuple[float, float]:
        """Return the lower and the upper bound of the rate, each with a confidence of 1 − α."""
        if self.against is None:
            lower = lower_bound(self.failures, self.trials, alpha=alpha)
            return lower, upper_bound(self.failures, self.trials, alpha=alpha)
        return paired_bounds(self.failures, self.against, self.trials, alpha=alpha)

    def exceeding_p(self, limit: float) -> float:
        """Return how likely so many failures are if the true rate is the limit."""
        if self.against is None:
            return exceeding_p(self.failures, self.trials, limit)
        return paired_exceeding_p(self.failures, self.against, self.trials, limit)

    def is_within(self, limit: float, alpha: float) -> bool:
        """Tell whether the upper bound lies within the limit, which a test at the limit itself says more quickly."""
        if self.against is None:
            is_all = self.failures == self.trials
            return not is_all and 1 - exceeding_p(self.failures + 1, self.trials, limit) <= alpha
        return 1 - paired_exceeding_p(self.failures, self.against, self.trials, limit) <= alpha

    def grown(self, trials: int) -> FamilyCount:
        """Return what more trials would count if they went like those so far."""
        share = trials / self.trials
        against = None if self.against is None else round(self.against * share)
        failures = min(round(self.failures * share), trials - (against or 0))
        return FamilyCount(trials=trials, failures=failures, against=against)


class FamilyRate(msgspec.Struct, frozen=True, kw_only=True):
    """What a family of probes says of a judge."""

    family: str
    """The family."""
    trials: int
    """Observations that could be used."""
    failures: int
    """Failures among them."""
    against: int | None
    """What chance alone shows, held against the failures; None if nothing is."""
    rate: float | None
    """The rate; None without an observation."""
    low: float | None
    """Its lower bound."""
    high: float | None
    """Its upper bound, which decides whether the judge passes."""
    limit: float
    """The rate that a judge must stay within."""
    p_value: float | None
    """How likely so many failures are if the true rate is the limit."""
    adjusted_p: float | None
    """The same after Holm's adjustment over all families, which decides whether the judge is struck."""
    standing: Standing
    """What follows."""
    more: int | None
    """If it is open, how many more observations would decide if they went like those so far; None if none would."""


def needed_more(count: FamilyCount, limit: float, alpha: float, strike_alpha: float, at_first: int) -> int | None:
    """Return how many more observations decide if they go like those so far; None if that many cannot be asked for.

    Without any observation so far it is the planned number.
    """
    if not count.trials:
        return at_first
    if _is_decided(count.grown(MOST_MORE), limit, alpha, strike_alpha):
        low, high = count.trials, MOST_MORE
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (
                (low, middle) if _is_decided(count.grown(middle), limit, alpha, strike_alpha) else (middle, high)
            )
        return high - count.trials
    return None


def _is_decided(count: FamilyCount, limit: float, alpha: float, strike_alpha: float) -> bool:
    return count.is_within(limit, alpha) or count.exceeding_p(limit) <= strike_alpha
