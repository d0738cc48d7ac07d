"""Whether a share lies above a bound, by betting: valid whenever and however often one looks.

A bettor who stakes on "more than the bound" in a game that is fair at the bound cannot expect to gain. Its wealth is an
e-process; by Ville's inequality it ever reaches 1/α with a probability of at most α if the share is not above the bound
(Waudby-Smith & Ramdas 2024, JRSS B 86, 1–27). The wealth is shared out over several stakes, so none has to be chosen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import msgspec

from venire.errors import UsageError

STAKES = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
"""The stakes among which the wealth is shared out at first, as parts of the largest that cannot lose everything."""


class BettingShare(msgspec.Struct, frozen=True):
    """The state of a bettor after some observations; `after` gives the next one."""

    bound: float
    """The share that is bet against: such as how often a judge changes a verdict when it is merely asked again."""
    observations: int = 0
    """How many observations were made."""
    failures: int = 0
    """How many of them were failures."""
    logs: tuple[float, ...] = (0.0,) * len(STAKES)
    """The logarithm of what each part of the wealth has grown to."""

    def __post_init__(self) -> None:
        if not 0 < self.bound < 1:
            raise UsageError("error.stats.level", found=self.bound)

    @property
    def e_value(self) -> float:
        """The evidence that the share is above the bound; 20 is what a test at 5 % asks for.

        >>> round(bet_on_share([True] * 5, 0.1).e_value)
        12800
        """
        largest = max(self.logs)
        return math.exp(largest) * math.fsum(math.exp(each - largest) for each in self.logs) / len(self.logs)

    def after(self, *, failed: bool) -> BettingShare:
        """Return the state after one more observation."""
        gain = (1 - self.bound if failed else -self.bound) / self.bound
        logs = tuple(each + math.log1p(stake * gain) for each, stake in zip(self.logs, STAKES, strict=True))
        return BettingShare(self.bound, self.observations + 1, self.failures + failed, logs)


def bet_on_share(failures: Iterable[bool], bound: float) -> BettingShare:
    """Return the state after a row of observations."""
    state = BettingShare(bound)
    for failed in failures:
        state = state.after(failed=failed)
    return state
