"""People's votes on the pairs of a ledger: as comparisons that age, and as what judges are held against."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.domain.sample import pair_name
from venire.ledger.entry import Kind
from venire.ledger.subjects import names_outputs, outline_of
from venire.stats.agreement.cohen_kappa import cohen_kappa
from venire.stats.result import Estimate
from venire.stats.uncertainty.clustered_share import clustered_share
from venire.votes.decay.terms import Decay
from venire.votes.entries import read_ledger_votes
from venire.votes.pairs import PairVotes, VotedPair, weigh_pair_votes
from venire.workflows.comparison.judged_pairs import JudgedPairs

if TYPE_CHECKING:
    from venire.ledger.store import Ledger

PEOPLE = "people"
"""Under which name votes stand among the judges of a ranking."""


class PeoplesPairs(msgspec.Struct, frozen=True, eq=False):
    """What people voted on the pairs of a ledger."""

    pairs: Mapping[str, VotedPair]
    """The pairs by the name that they have in either order."""
    votes: PairVotes
    """The votes with what each counts for."""

    @property
    def comparisons(self) -> JudgedPairs:
        """The votes as comparisons of models, each with its weight."""
        compared = [self.pairs[name] for name in self.votes.pairs]
        lengths = [
            np.array([length or np.nan for length in side], dtype=np.float64)
            for side in ([each.first_length for each in compared], [each.second_length for each in compared])
        ]
        return JudgedPairs(
            first=[each.first for each in compared],
            second=[each.second for each in compared],
            outcome=self.votes.outcome,
            judges=[PEOPLE] * len(compared),
            questions=[each.question for each in compared],
            first_lengths=lengths[0],
            second_lengths=lengths[1],
            names=list(self.votes.pairs),
            weights=self.votes.weights,
        )

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


def read_people_pairs(ledger: Ledger, decay: Decay, as_of: datetime | None = None) -> PeoplesPairs:
    """Read people's votes on the pairs of a ledger; there may be none."""
    pairs = _pairs_of(ledger)
    frame = read_ledger_votes(ledger).frame
    return PeoplesPairs(pairs, weigh_pair_votes(frame, pairs, decay, as_of=as_of))


def judges_beside_people(judged: JudgedPairs, people: PeoplesPairs, *, level: float) -> tuple[JudgeOnPairs, ...]:
    """Hold each judge against the people's aged majority; empty where no pair was compared by both."""
    consensus = people.consensus()
    sides: dict[str, list[tuple[bool, bool, str]]] = {}
    for judge, name, first, outcome in zip(judged.judges, judged.names, judged.first, judged.outcome, strict=True):
        preferred = consensus.get(name, 0.5)
        if preferred == 0.5 or outcome == 0.5:
            continue
        pair = people.pairs[name]
        named = outcome > 0.5 if first == pair.first else outcome < 0.5
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


def _pairs_of(ledger: Ledger) -> dict[str, VotedPair]:
    """Return all pairs of a ledger, whatever orders they were shown in."""
    outputs: dict[str, tuple[str, str, str, int]] = {}
    pairs: dict[str, VotedPair] = {}
    for entry in ledger.read(kinds=[Kind.SAMPLE]):
        if not names_outputs(entry):
            subject = outline_of(entry)
            for each in () if subject.probe else subject.samples:
                question = each.question_id or each.task
                outputs[each.digest] = (each.output_id, each.target_model, question, len(each.text))
            continue
        known = sorted(outputs[key] for key in entry.content["pair"]["samples"] if key in outputs)
        if len(known) == 2:
            (one, first, question, length), (two, second, _, other) = known
            pairs[pair_name(one, two)] = VotedPair(
                first=first, second=second, question=question, first_length=length, second_length=other
            )
    return pairs
