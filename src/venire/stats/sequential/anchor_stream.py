"""Whether anchors are judged otherwise than at first, by betting: valid whenever and however often one looks.

An anchor is first judged twice. Where the two verdicts part, that is the judge's retest noise. Of three verdicts by a
judge that has not changed each is equally likely to be the odd one, so a later verdict contradicts two that agree at
most half as often as the first two part; and the longer an anchor goes without contradiction, the less likely one is.
So one bets on contradictions of anchors that were never contradicted before, against that rate.
"""

from __future__ import annotations

import math
from statistics import fmean

import numpy as np

from venire.stats.sequential.contradiction_bets import BOUNDS, ContradictionBets

FIRST_VERDICTS = 2
"""How many verdicts on an anchor the later ones are held against."""
LEAST_PAIRS = 20
"""From how many anchors with two first verdicts on bets are made."""
_ROUNDING = 1e-9
_MOST = 700.0


class AnchorStream:
    """The verdicts of one judge on its anchors in one dimension, as they come in, and the evidence of change."""

    def __init__(self, *, tolerance: float, only_above: bool = False) -> None:
        """Begin without verdicts; those within the tolerance are the same. `only_above` counts only greater ones."""
        self._tolerance = tolerance - _ROUNDING
        self._only_above = only_above
        self._first: dict[str, list[float]] = {}
        self._contradicted: set[str] = set()
        self._bets = ContradictionBets()
        self.pairs = 0
        """How many anchors have two first verdicts."""
        self.parted = 0
        """On how many of them these two differ."""
        self.observations = 0
        """How many later verdicts were bet on."""
        self.contradictions = 0
        """How many of these contradict the first ones."""

    @property
    def e_value(self) -> float:
        """The evidence of change; 1 before the first bet."""
        least = float(self._bets.logs().min()) if self.observations else 0.0
        return math.exp(min(max(least, -_MOST), _MOST))

    @property
    def bound(self) -> float | None:
        """How often an unchanged judge contradicts itself at most, if its noise is what the evidence is least against.

        None before the first bet.
        """
        return float(BOUNDS[self._bets.logs()[0].argmin()]) if self.observations else None

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
                parted = self._differ(first[0], first[1])
                self.pairs += 1
                self.parted += parted
                self._bets.enrol(np.array([float(parted)]), np.ones(1))
            return None
        usual = self.usual(anchor)
        if usual is None:
            return None
        failed = verdict - usual >= self._tolerance or (not self._only_above and usual - verdict >= self._tolerance)
        if anchor not in self._contradicted and self.pairs >= LEAST_PAIRS:
            self._bets.bet(np.array([failed]), np.array([True]))
            self.observations += 1
            self.contradictions += failed
        if failed:
            self._contradicted.add(anchor)
        return failed

    def _differ(self, one: float, other: float) -> bool:
        return abs(one - other) >= self._tolerance
