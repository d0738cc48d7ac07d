"""Whether anchors are judged otherwise than at first, by betting: valid whenever and however often one looks.

An anchor is first judged twice. Where the two verdicts part, that is the judge's retest noise. Of three verdicts by a
judge that has not changed each is equally likely to be the odd one, so a later verdict contradicts two that agree at
most half as often as the first two part; and the longer an anchor goes without contradiction, the less likely one is.
So the bettor stakes on contradictions of anchors that were never contradicted before, against an upper bound of that
rate. Its wealth is an e-process: by Ville's inequality it ever reaches 1/α with a probability of at most α, beside the
chance that the bound fails (Waudby-Smith & Ramdas 2024, JRSS B 86; Clopper & Pearson 1934). The stake is the Kelly
stake for the rate of late, and 0 where that is not above the bound: nothing is lost while nothing happens.
"""

from __future__ import annotations

import math
from statistics import fmean

from venire.stats.qualification.binomial_bounds import upper_bound

FIRST_VERDICTS = 2
"""How many verdicts on an anchor the later ones are held against."""
LEAST_PAIRS = 20
"""From how many anchors with two first verdicts on the retest noise is bounded, and bets are made."""
HALF_LIFE = 15
"""After how many observations one counts half in the rate of late."""
CAUTION = 5.0
"""With the weight of how many observations the rate of late is taken to be the bound."""
LARGEST_STAKE = 0.5
"""The largest part of the wealth that is staked."""
_ROUNDING = 1e-9


class AnchorStream:
    """The verdicts of one judge on its anchors in one dimension, as they come in, and the evidence of change."""

    def __init__(self, *, tolerance: float, noise_alpha: float, only_above: bool = False) -> None:
        """Begin without verdicts; those within the tolerance are the same. `only_above` counts only greater ones."""
        self._tolerance = tolerance - _ROUNDING
        self._noise_alpha = noise_alpha
        self._only_above = only_above
        self._first: dict[str, list[float]] = {}
        self._contradicted: set[str] = set()
        self._log = 0.0
        self._recent = 0.0
        self._weight = 0.0
        self.pairs = 0
        """How many anchors have two first verdicts."""
        self.parted = 0
        """On how many of them these two differ."""
        self.bound: float | None = None
        """The most often that a judge which has not changed contradicts itself; None while there are too few pairs."""
        self.observations = 0
        """How many later verdicts were bet on."""
        self.contradictions = 0
        """How many of these contradict the first ones."""

    @property
    def e_value(self) -> float:
        """The evidence of change; 1 without any."""
        return math.exp(self._log)

    def usual(self, anchor: str) -> float | None:
        """Return what an anchor was first given; None if it was not judged twice, or the two differ."""
        first = self._first.get(anchor, [])
        agree = len(first) == FIRST_VERDICTS and not self._differ(first[0], first[1])
        return fmean(first) if agree else None

    def take(self, anchor: str, verdict: float) -> bool | None:
        """Take a verdict in, and tell whether it contradicts the first ones; None if there is nothing to contradict."""
        first = self._first.setdefault(anchor, [])
        if len(first) < FIRST_VERDICTS:
            first.append(verdict)
            if len(first) == FIRST_VERDICTS:
                self.pairs += 1
                self.parted += self._differ(first[0], first[1])
            return None
        usual = self.usual(anchor)
        if usual is None:
            return None
        failed = verdict - usual >= self._tolerance or (not self._only_above and usual - verdict >= self._tolerance)
        if anchor not in self._contradicted and self._is_bounded():
            self._bet(failed=failed)
        if failed:
            self._contradicted.add(anchor)
        return failed

    def _differ(self, one: float, other: float) -> bool:
        return abs(one - other) >= self._tolerance

    def _is_bounded(self) -> bool:
        """Bound the retest noise once, before the first bet: one that is bounded again and again would not hold."""
        if self.bound is None and self.pairs >= LEAST_PAIRS:
            parted = upper_bound(self.parted, self.pairs, alpha=self._noise_alpha)
            self.bound = min(0.95, parted / 2 / (1 - parted)) if parted < 1 else 0.95
        return self.bound is not None

    def _bet(self, *, failed: bool) -> None:
        bound = self.bound or 0.95
        rate = (self._recent + CAUTION * bound) / (self._weight + CAUTION)
        stake = min(max((rate - bound) / (1 - bound), 0.0), LARGEST_STAKE)
        self._log += math.log1p(stake * ((1 - bound) / bound if failed else -1.0))
        fade = 0.5 ** (1 / HALF_LIFE)
        self._recent = self._recent * fade + failed
        self._weight = self._weight * fade + 1
        self.observations += 1
        self.contradictions += failed
