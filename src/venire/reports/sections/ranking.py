"""Ranking: models in the order of their strength, from two outputs side by side, and who beat whom."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.domain.protocol import PairPolicy
from venire.domain.sample import pair_name
from venire.reports.cells import Draft, estimate_cell, make_table, number_cell, rank_cell, text_cell, where
from venire.reports.report import Arguments, Column, Note, ReportCell, ReportSection, Rows, Table
from venire.stats.comparison.both_orders import BothOrders, settle_orders
from venire.stats.comparison.ranking import Ranking, rank_models
from venire.words.said import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from venire.reports.evidence import ReportEvidence
    from venire.reports.recorded.outputs_read import ShownPair
    from venire.stats.observations import FloatArray
    from venire.votes.pairs import VotedPair

MOST_MODELS = 60
"""Above so many models the win matrix is left out."""


MANY_LEADERS = 5
"""Above so many models that may be first too, they are counted and not named."""


RowsOf = Callable[[str, str], Rows]
"""Returns the rows behind a model's comparisons, or behind those with another model where one is named."""


class RankedPairs(msgspec.Struct, frozen=True, eq=False):
    """A ranking, and what became of pairs in both orders."""

    ranking: Ranking
    """The ranking."""
    orders: BothOrders | None
    """What became of pairs in both orders; None where every row counts for itself."""


def settle_shown(
    pairs: Sequence[ShownPair], evidence: ReportEvidence
) -> tuple[list[int], FloatArray, BothOrders | None]:
    """Return the places of the pairs that count, their outcomes, and what became of those in both orders.

    Pairs of a ledger that a judge saw in both orders count once; every row of a table counts.
    """
    outcome = np.array([pair.outcome for pair in pairs], dtype=np.float64)
    if not pairs or not all(pair.pair for pair in pairs):
        return list(range(len(pairs))), outcome, None
    policy = (evidence.protocol.pairs if evidence.protocol else None) or PairPolicy()
    names = [[getattr(pair, name) for pair in pairs] for name in ("judge", "pair", "first")]
    orders = settle_orders(names[0], names[1], names[2], outcome, policy.flipped)
    return orders.kept, orders.outcome, orders


def rank_shown(pairs: Sequence[ShownPair], evidence: ReportEvidence) -> RankedPairs:
    """Rank models by the pairs that a report rests on; those of a ledger in both orders count once."""
    kept, outcome, orders = settle_shown(pairs, evidence)
    first, second = [pairs[place].first for place in kept], [pairs[place].second for place in kept]
    questions = [pairs[place].question for place in kept]
    clusters = questions if all(questions) else None
    return RankedPairs(rank_models(first, second, outcome, clusters=clusters, level=evidence.choices.level), orders)


def who_leads(ranked: Ranking) -> Note:
    """Say who is first, and who else may be; or why there is no order."""
    if ranked.reason:
        return Note("ranking.no_order", {"reason": ranked.reason}, warning=True)
    first, *others = ranked.models
    facts: Arguments = {
        "leader": str(first.model),
        "models": len(ranked.models),
        "comparisons": ranked.wins.comparisons,
    }
    if first.best is None:
        return Note("rank.answer.no_errors", facts)
    facts = {**facts, "level": f"{ranked.level:.0%}"}
    also = [str(each.model) for each in others if each.best == 1]
    if not also:
        return Note("rank.answer.sure", facts)
    if len(also) > MANY_LEADERS:
        return Note("rank.answer.many", {**facts, "count": len(also)})
    return Note("rank.answer.open", {**facts, "others": tuple(also)})


def without_errors(ranked: Ranking) -> list[Note]:
    """Name the models whose errors are not known although those of others are."""
    if not (loose := ranked.without_errors):
        return []
    reason = next(each.strength.reason for each in ranked.models if each.strength.reason)
    return [Note("rank.some_without_errors", {"models": tuple(map(str, loose)), "reason": reason}, warning=True)]


def ranking(found: RankedPairs, rows_of: RowsOf) -> ReportSection:
    """Show strengths with intervals that hold together, ranges of ranks, and the win matrix."""
    ranked, notes = found.ranking, [Note("ranking.read")]
    if ranked.reason:
        notes.append(Note("ranking.no_order", {"reason": ranked.reason}, warning=True))
    if ranked.why_no_errors:
        notes.append(Note("ranking.no_errors", {"reason": ranked.why_no_errors}, warning=True))
    notes += without_errors(ranked)
    if ranked.clusters:
        notes.append(Note("ranking.clusters", {"clusters": ranked.clusters}))
    if found.orders is not None and found.orders.both:
        counted = {name: getattr(found.orders, name) for name in ("both", "one", "flips")}
        notes.append(Note(f"ranking.orders_{found.orders.flipped}", counted))
    tables = [
        make_table("ranking", ("target_model",), ("strength", "ranks", "won", "tied", "lost"), _models(ranked, rows_of))
    ]
    if len(ranked.models) <= MOST_MODELS:
        tables.append(_matrix(ranked, rows_of))
    else:
        notes.append(Note("ranking.many", {"models": len(ranked.models), "most": MOST_MODELS}))
    return ReportSection("ranking", tuple(notes), tuple(tables))


def _models(ranked: Ranking, rows_of: RowsOf) -> Iterator[Draft]:
    for each in ranked.models:
        rows = rows_of(str(each.model), "")
        counts = [number_cell(count, rows) for count in (each.won, each.tied, each.lost)]
        reason = "" if each.best is not None else ranked.reason or each.strength.reason
        ranks = rank_cell(each.best, each.worst, rows, method=ranked.method, reason=reason)
        yield (str(each.model),), [estimate_cell(each.strength, rows, "difference"), ranks, *counts]


def _matrix(ranked: Ranking, rows_of: RowsOf) -> Table:
    """Give the share of points of the model of the row against that of the column, the strongest first."""
    wins = ranked.wins
    order = [wins.models.index(each.model) for each in ranked.models]
    met = wins.wins + wins.wins.T + wins.ties
    drafts: list[Draft] = []
    for place in order:
        cells: list[ReportCell] = []
        for other in order:
            count = float(met[place, other])
            if place == other:
                cells.append(text_cell("–", Rows()))
                continue
            share = float(wins.wins[place, other] + wins.ties[place, other] / 2) / count if count else None
            reason = "" if count else say("reason.never_met")
            rows = rows_of(str(wins.models[place]), str(wins.models[other]))
            cell = number_cell(share, rows, "share", method=say("method.points_share"), reason=reason, n=round(count))
            cells.append(msgspec.structs.replace(cell, scale=(0.0, 1.0)))
        drafts.append(((str(wins.models[place]),), cells))
    names = [Column(str(wins.models[place]), str(wins.models[place])) for place in order]
    return make_table("wins", ("target_model",), names, drafts)


def judged_rows(evidence: ReportEvidence, model: str, other: str) -> Rows:
    """Return the judgements of a model's pairs, or of those with another; a table does not say it of its rows."""
    if evidence.is_table:
        return Rows()
    if other:
        return where({"target_model": pair_name(model, other)})
    others = dict.fromkeys(name for pair in evidence.pairs for name in (pair.first, pair.second) if name != model)
    return where({"target_model": [pair_name(model, name) for name in others]})


def voted_rows(pairs: Mapping[str, VotedPair], model: str, other: str) -> Rows:
    """Return the votes on a model's pairs, or on those with another."""
    meant = {model, other} - {""}
    names = tuple(name for name, pair in pairs.items() if meant <= {pair.first, pair.second})
    return Rows(among="votes", where={"output": names})
