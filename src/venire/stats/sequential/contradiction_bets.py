"""Bets that a judge contradicts itself more often than its retest noise allows; for many judges at once, if need be.

How often two first verdicts part is only known from those that were seen. So there is a bettor for each rate that it
may be, who bets against half of it. To its wealth comes what the first verdicts themselves say against its rate: a
mixture's likelihood over the rate's own. That is a bet too, and gains no more where anchors differ in noise, since it
is convex in the count (Hoeffding 1956). The evidence is the least of all bettors': whatever the true rate, its own
bettor has at least that much, and by Ville's inequality ever reaches 1/α with a probability of at most α (Wasserman,
Ramdas & Balakrishnan 2020, PNAS 117; Waudby-Smith & Ramdas 2024, JRSS B 86). Rates are taken in small intervals: first
verdicts count by the likeliest rate of an interval and bets by its highest, so that nothing is gained between two.

Stakes are Kelly's for the rate that a Bayesian filter expects (Shiryaev 1963): the judge either is unchanged or has
changed some share of its verdicts, and may do so at any time. A bad guess costs time, and never a false alarm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from venire.stats.observations import FloatArray

USUAL_NOISE = (2.0, 30.0)
"""The Beta distribution of how often first verdicts part, before anything was seen: about one in sixteen."""
LARGEST_STAKE = 0.9
"""The largest part of the wealth that is staked."""
SHARES = np.array([0.1, 0.15, 0.2, 0.3, 0.5, 0.9])
"""The shares of verdicts that a change may change."""
LIKELY = np.array([0.25, 0.25, 0.2, 0.15, 0.1, 0.05])
"""How likely each of them is before anything was seen: small changes are harder to find, and so are looked for more."""
AT_ONCE = 0.2
"""How likely a judge has changed before its first later verdict."""
EACH_TIME = 1 / 400
"""How likely it changes from one verdict to the next."""
_ENDS = np.concatenate([[0.0], np.geomspace(0.004, 0.4, 160), [1.0]])
"""The ends of the intervals in which the rate at which first verdicts part may lie."""
_LOWEST, _HIGHEST = _ENDS[:-1], _ENDS[1:]
BOUNDS = np.minimum(0.95, _HIGHEST / 2 / np.maximum(1 - _HIGHEST, 1e-9))
"""How often an unchanged judge contradicts itself at most, for each interval."""


class ContradictionBets:
    """The wealth of all bettors on each of some judges, and what is believed of them."""

    def __init__(self, judges: int = 1) -> None:
        """Begin without a verdict."""
        self._wealth = np.zeros((judges, len(BOUNDS)))
        self._changed = np.tile(AT_ONCE * LIKELY, (judges, 1))
        self._unchanged = np.full(judges, 1 - AT_ONCE)
        self._slips, self._verdicts = np.full(judges, 0.5), np.ones(judges)
        self._first = np.zeros_like(self._wealth)
        self.pairs, self.parted = np.zeros(judges), np.zeros(judges)
        """How many anchors have two first verdicts, and on how many of them these two differ."""

    def enrol(self, parted: FloatArray, pairs: FloatArray) -> None:
        """Take note of two first verdicts on so many anchors of each judge: where they part, one of them is a slip."""
        self.pairs, self.parted = self.pairs + pairs, self.parted + parted
        self._verdicts, self._slips = self._verdicts + 2 * pairs, self._slips + parted
        self._first = self._by_first_verdicts()

    def bet(self, failed: NDArray[np.bool_], there: NDArray[np.bool_]) -> None:
        """Bet on one later verdict of each judge for which it is there, and take note of whether it contradicts."""
        noise = self._slips / self._verdicts
        rates = SHARES + (1 - SHARES) * noise[:, None]
        rate = (self._changed * rates).sum(axis=1) + self._unchanged * noise
        stakes = np.clip((rate[:, None] - BOUNDS) / (1 - BOUNDS), 0.0, LARGEST_STAKE)
        gained = np.log1p(np.where(failed[:, None], stakes * (1 - BOUNDS) / BOUNDS, -stakes))
        self._wealth = self._wealth + np.where(there[:, None], gained, 0.0)
        self._believe(failed, there, rates, noise)

    def _believe(
        self, failed: NDArray[np.bool_], there: NDArray[np.bool_], rates: FloatArray, noise: FloatArray
    ) -> None:
        changed = self._changed * np.where(failed[:, None], rates, 1 - rates)
        unchanged = self._unchanged * np.where(failed, noise, 1 - noise)
        total = changed.sum(axis=1) + unchanged
        still = unchanged / total
        self._slips = self._slips + np.where(there & failed, still, 0.0)
        self._verdicts = self._verdicts + np.where(there, still, 0.0)
        moved = changed / total[:, None] + EACH_TIME * still[:, None] * LIKELY
        self._changed = np.where(there[:, None], moved, self._changed)
        self._unchanged = np.where(there, still * (1 - EACH_TIME), self._unchanged)

    def logs(self) -> FloatArray:
        """Return the logarithm of every bettor's wealth, judges by intervals: by bets, and by the first verdicts."""
        return self._wealth + self._first

    def _by_first_verdicts(self) -> FloatArray:
        from scipy.special import betaln, xlog1py, xlogy

        parted, agreed = self.parted[:, None], (self.pairs - self.parted)[:, None]
        likeliest = np.clip(parted / np.maximum(self.pairs, 1)[:, None], _LOWEST, _HIGHEST)
        own = xlogy(parted, likeliest) + xlog1py(agreed, -likeliest)
        mixed = betaln(parted + USUAL_NOISE[0], agreed + USUAL_NOISE[1]) - betaln(*USUAL_NOISE)
        return np.asarray(mixed - own, dtype=np.float64)
