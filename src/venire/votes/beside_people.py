"""Judges beside people on pairs that both compared: how often a judge prefers what most people prefer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.stats.agreement.cohen_kappa import cohen_kappa
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.votes.pairs import PairVotes, VotedPair

if TYPE_CHECKING:
    from venire.stats.observations import FloatArray


class PeoplesPairs(msgspec.Struct, frozen=True, eq=False):
    """What people voted on the pairs of a ledger."""

    pairs: Mapping[str, VotedPair]
    """The pairs by the name that they have in either order."""
    votes: PairVotes
    """The votes with what each counts for."""

    def consensus(self) -> dict[str, float]:
        """Return the aged mean of the votes on each pair."""
        sums: dict[str, list[float]] = {}
        for name, outcome, weight in zip(self.votes.pairs, self.votes.outcome, self.votes.weights, strict=True):
            held = sums.setdefault(name, [0.0, 0.0])
            held[0] += outcome * weight
            held[1] += weight
        return {name: top / below for name, (top, below) in sums.items()}


class JudgeOnPairs(msgspec.Struct, frozen=True, kw_only=True):
    """One judge beside people, on pairs that both compared and that neither found equal."""

    judge: str
    """The judge."""
    pairs: int
    """How many pairs."""
    agreement: Estimate
    """The share of these on which it named the output that most people preferred, by age; clustered by question."""
    kappa: Estimate
    """Cohen's kappa of the same."""


def judges_beside_people(
    judges: Sequence[str],
    names: Sequence[str],
    first: Sequence[str],
    outcome: FloatArray,
    people: PeoplesPairs,
    *,
    level: float,
) -> tuple[JudgeOnPairs, ...]:
    """Hold each judge against the people's aged majority; empty where no pair was compared by both.

    The four lists are judges' comparisons: who judged, what the pair is called in either order, which model was shown
    first, and 1 if it won, 0 if the other did, 0.5 for a tie.
    """
    consensus = people.consensus()
    sides: dict[str, list[tuple[bool, bool, str]]] = {}
    for judge, name, shown, won in zip(judges, names, first, outcome, strict=True):
        preferred = consensus.get(name, 0.5)
        if preferred == 0.5 or won == 0.5:
            continue
        pair = people.pairs[name]
        named = bool(won > 0.5 if shown == pair.first else won < 0.5)
        sides.setdefault(judge, []).append((named, preferred > 0.5, pair.question))
    return tuple(_beside(judge, rows, level) for judge, rows in sides.items())


def _beside(judge: str, rows: list[tuple[bool, bool, str]], level: float) -> JudgeOnPairs:
    questions = [question or str(place) for place, (*_, question) in enumerate(rows)]
    same = [float(named == preferred) for named, preferred, _ in rows]
    table = np.array([[named, preferred] for named, preferred, _ in rows], dtype=np.float64)
    return JudgeOnPairs(
        judge=judge,
        pairs=len(rows),
        agreement=clustered_share(same, questions, level=level),
        kappa=cohen_kappa(table, clusters=questions, level=level),
    )
