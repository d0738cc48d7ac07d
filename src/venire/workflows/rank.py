"""Rank models by judged pairs: strengths, ranges of ranks, what order and length did, and who the order hangs on."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from venire.reports.report import Choices
from venire.stats.comparison.both_orders import BothOrders
from venire.stats.comparison.deciding import DecidingComparisons, deciding_comparisons
from venire.stats.comparison.elo import EloRatings, elo
from venire.stats.comparison.length_control import LengthControl, length_controlled
from venire.stats.comparison.ranking import Ranking, rank_models
from venire.stats.judges.bias import Bias
from venire.stats.judges.position_bias import position_bias
from venire.votes.beside_people import JudgeOnPairs
from venire.votes.decay.terms import Decay
from venire.workflows.comparison.judged_pairs import JudgedPairs
from venire.workflows.comparison.people_pairs import PEOPLE
from venire.workflows.comparison.source_pairs import SourcePairs, Voters, read_source_pairs


class LeftOutJudge(msgspec.Struct, frozen=True, kw_only=True):
    """The order without one judge."""

    judge: str
    """The judge that was left out."""
    order: tuple[str, ...]
    """The models, the strongest first; empty if there is no order without this judge."""
    is_same: bool
    """Whether it is the order of all judges."""


class PairRanking(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """All that judged pairs say about the order of models."""

    ranking: Ranking
    """The models in order."""
    positions: tuple[tuple[Bias, Bias], ...]
    """For each judge that saw pairs in both orders, its preference for the first place and its flips."""
    deciding: DecidingComparisons | None
    """How few comparisons put the first before the second; None without an order."""
    left_out: tuple[LeftOutJudge, ...]
    """The order without each judge; empty if there are fewer than two."""
    at_equal_length: LengthControl | None
    """Strengths at equal length; None if the table has no lengths."""
    elo: EloRatings | None
    """Elo ratings in the order of the rows; None unless they were asked for."""
    judges: tuple[str, ...]
    """The judges."""
    has_questions: bool
    """Whether errors are clustered by question, or by pair."""
    by_pair: bool
    """Whether they are clustered by pair, for want of questions."""
    undecided: int
    """How many rows named no winner; they are left out."""
    examples: tuple[str, ...]
    """What some of these rows say instead."""
    orders: BothOrders | None = None
    """What became of pairs that were judged in both orders; None for a table, whose rows all count."""
    self_judged: int = 0
    """How many judgements were left out because the judge wrote one of the two outputs."""
    by: Voters = "judges"
    """Whose comparisons the order rests on."""
    votes: int = 0
    """How many votes of people on pairs there are, counted here or not."""
    votes_worth: float = 0.0
    """For how many equal votes they count after aging."""
    beside_people: tuple[JudgeOnPairs, ...] = ()
    """Each judge beside the majority of people, on pairs that both compared."""


def rank_pairs(
    source: str | Path,
    columns: Mapping[str, str],
    *,
    level: float = 0.95,
    with_elo: bool = False,
    protocol: str = "",
    by: Voters | None = None,
    decay: Decay | None = None,
    as_of: datetime | None = None,
) -> PairRanking:
    """Rank the models of a table of judged pairs, or of a ledger whose judges or people compared two outputs.

    In a ledger a pair that a judge saw in both orders is one comparison. What it counts for if the outcome changed with
    the order is the protocol's choice. People's votes are ranked `by` themselves, or beside judges' where that is asked
    for; if nothing is said, judges' comparisons count where there are any, else people's.
    """
    choices = Choices(columns=dict(columns), protocol=protocol, level=level, decay=decay or Decay())
    return _ranked(read_source_pairs(source, choices, by=by, as_of=as_of), level, with_elo=with_elo)


def _ranked(found: SourcePairs, level: float, *, with_elo: bool) -> PairRanking:
    shown, pairs, worth = found.shown, found.pairs, found.people.votes.weights if found.people else None
    has_questions = all(pairs.questions)
    ranking = _rank(pairs, level)
    judges = tuple(dict.fromkeys(filter(None, pairs.judges)))
    examined = [judge for judge in judges if judge != PEOPLE]  # A person sees a pair in one order only.
    order = _order(ranking)
    deciding = None
    if len(order) > 1:
        deciding = deciding_comparisons(ranking.wins, ranking.fit, order[0], order[1])
    return PairRanking(
        ranking=ranking,
        positions=tuple(_position(shown.of_judge(judge), judge, level) for judge in examined) if has_questions else (),
        deciding=deciding,
        left_out=tuple(_without(pairs, judge, order, level) for judge in judges) if len(judges) > 1 else (),
        at_equal_length=_at_equal_length(pairs, level),
        elo=elo(pairs.first, pairs.second, pairs.outcome) if with_elo else None,
        judges=judges,
        has_questions=has_questions,
        by_pair=pairs.by_pair,
        undecided=pairs.undecided,
        examples=pairs.examples,
        orders=found.orders,
        self_judged=pairs.self_judged,
        by=found.by,
        votes=0 if worth is None else len(worth),
        votes_worth=0.0 if worth is None else float(worth.sum()),
        beside_people=found.beside,
    )


def ranking_record(found: PairRanking) -> dict[str, Any]:
    """Return a ranking as plain values, for a file."""
    ranking = found.ranking
    return {
        "models": ranking.models,
        "win_matrix": {
            "models": ranking.wins.models,
            "wins": ranking.wins.wins.tolist(),
            "ties": ranking.wins.ties.tolist(),
        },
        "tie": ranking.fit.tie,
        "method": ranking.method,
        "reason": ranking.reason,
        "clusters": ranking.clusters,
        "positions": [{"judge": first.judge, "first_place": first, "flips": flips} for first, flips in found.positions],
        "deciding": found.deciding,
        "without_judge": found.left_out,
        "at_equal_length": found.at_equal_length,
        "elo": found.elo.ratings if found.elo else None,
        "judges": found.judges,
        "undecided": found.undecided,
        "orders": _orders_record(found.orders),
        "self_judged": found.self_judged,
        "by": found.by,
        "votes": {"count": found.votes, "worth": found.votes_worth},
        "beside_people": found.beside_people,
    }


def _orders_record(orders: BothOrders | None) -> dict[str, Any] | None:
    names = ("both", "one", "flips", "flipped")
    return None if orders is None else {name: getattr(orders, name) for name in names}


def _rank(pairs: JudgedPairs, level: float) -> Ranking:
    clusters = pairs.questions if all(pairs.questions) else None
    return rank_models(pairs.first, pairs.second, pairs.outcome, clusters=clusters, weights=pairs.weights, level=level)


def _order(ranking: Ranking) -> tuple[str, ...]:
    return () if ranking.reason else tuple(str(each.model) for each in ranking.models)


def _without(pairs: JudgedPairs, judge: str, order: tuple[str, ...], level: float) -> LeftOutJudge:
    others = pairs.without_judge(judge)
    found = _order(_rank(others, level)) if others.first else ()
    return LeftOutJudge(judge=judge, order=found, is_same=found == order)


def _position(pairs: JudgedPairs, judge: str, level: float) -> tuple[Bias, Bias]:
    return position_bias(
        pairs.first, pairs.second, pairs.outcome, pairs.questions, pairs=pairs.names or pairs.meetings or None,
        judge=judge, level=level,
    )  # fmt: skip


def _at_equal_length(pairs: JudgedPairs, level: float) -> LengthControl | None:
    if np.isnan(pairs.first_lengths).all() or np.isnan(pairs.second_lengths).all():
        return None
    clusters = pairs.questions if all(pairs.questions) else None
    lengths = (pairs.first_lengths, pairs.second_lengths)
    return length_controlled(pairs.first, pairs.second, pairs.outcome, *lengths, clusters=clusters, level=level)
