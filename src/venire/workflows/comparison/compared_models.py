"""Compare models by judged pairs: how two of them did against each other, and how their strengths differ."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from venire.errors import UsageError
from venire.stats.comparison.ranking import Ranking, rank_models
from venire.stats.pairwise.head_to_head import HeadToHead, head_to_head
from venire.stats.result import Estimate
from venire.stats.uncertainty.multiplicity import holm
from venire.stats.uncertainty.quantile import normal_two_sided, t_two_sided
from venire.words.said import say
from venire.workflows.comparison.source_pairs import SourcePairs, read_source_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from venire.reports.report import Choices
    from venire.workflows.comparison.judged_pairs import JudgedPairs


class JudgedMatch(msgspec.Struct, frozen=True, kw_only=True):
    """One judge on two models."""

    judge: str
    """The judge."""
    match: HeadToHead
    """How the second model did against the first."""
    adjusted_p: float | None
    """The p value of an even match after Holm's adjustment for all judges."""


class ComparedModels(msgspec.Struct, frozen=True, kw_only=True):
    """Two models by judged pairs; shares and differences are the second's, as wherever two sides are compared."""

    first: str
    """The model that is subtracted."""
    second: str
    """The model that is subtracted from."""
    match: HeadToHead
    """How the second did against the first where they met."""
    difference: Estimate
    """The second's Bradley–Terry strength minus the first's, by all comparisons, those with other models too."""
    p_value: float | None
    """The p value of equal strengths; None if it is not known."""
    adjusted_p: float | None = None
    """The same after Holm's adjustment for all pairs of models that were compared; None if it is not known."""
    judges: tuple[JudgedMatch, ...] = ()
    """Each judge for itself, where there are several."""


class ModelsComparison(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """Two models, or every two, by judged pairs."""

    compared: tuple[ComparedModels, ...]
    """The pairs of models, those with the strongest first."""
    order: tuple[str, ...]
    """All models of the source, the strongest first; in the order of their names if there is no order."""
    reason: str
    """Why strengths are not known; empty if they are."""
    comparisons: int
    """How many comparisons the strengths rest on."""
    notes: tuple[str, ...]
    """What a reader should know."""


def compare_models(source: str | Path, first: str, second: str, choices: Choices) -> ModelsComparison:
    """Compare two models of a table or ledger of judged pairs, all judges together and each for itself."""
    found = read_source_pairs(source, choices)
    known = sorted({*found.pairs.first, *found.pairs.second})
    for model in (first, second):
        if model not in known:
            raise UsageError("error.compare.no_model", model=model, known=tuple(known))
    if first == second:
        raise UsageError("error.compare.same_level", factor="target_model", level=first)
    return _comparison(found, [(first, second)], choices.level, by_judge=True)


def compare_all_models(source: str | Path, choices: Choices) -> ModelsComparison:
    """Compare every two models of a table or ledger of judged pairs."""
    return _comparison(read_source_pairs(source, choices), None, choices.level)


def _comparison(
    found: SourcePairs, sides: Sequence[tuple[str, str]] | None, level: float, *, by_judge: bool = False
) -> ModelsComparison:
    pairs = found.pairs
    clusters = pairs.questions if all(pairs.questions) else None
    ranking = rank_models(
        pairs.first, pairs.second, pairs.outcome, clusters=clusters, weights=pairs.weights, level=level
    )
    order = tuple(str(each.model) for each in ranking.models)
    # The stronger comes second, so that differences of every two are not below 0.
    chosen = sides if sides is not None else [(worse, better) for better, worse in combinations(order, 2)]
    compared = [_compared(pairs, ranking, first, second, level, by_judge=by_judge) for first, second in chosen]
    adjusted = holm([np.nan if each.p_value is None else each.p_value for each in compared]).adjusted
    return ModelsComparison(
        compared=tuple(msgspec.structs.replace(each, adjusted_p=p) for each, p in zip(compared, adjusted, strict=True)),
        order=order,
        reason=ranking.reason,
        comparisons=ranking.wins.comparisons,
        notes=notes_on(found, ranking.clusters),
    )


def _compared(
    pairs: JudgedPairs, ranking: Ranking, first: str, second: str, level: float, *, by_judge: bool
) -> ComparedModels:
    difference = ranking.fit.difference(second, first, level=level)
    judges = tuple(dict.fromkeys(filter(None, pairs.judges))) if by_judge else ()
    return ComparedModels(
        first=first,
        second=second,
        match=_match(pairs, first, second, level),
        difference=difference,
        p_value=_p_value(difference, ranking.clusters),
        judges=_by_judge(pairs, judges, first, second, level) if len(judges) > 1 else (),
    )


def _by_judge(
    pairs: JudgedPairs, judges: tuple[str, ...], first: str, second: str, level: float
) -> tuple[JudgedMatch, ...]:
    matches = [_match(pairs.of_judge(judge), first, second, level) for judge in judges]
    adjusted = holm([np.nan if each.p_value is None else each.p_value for each in matches]).adjusted
    return tuple(
        JudgedMatch(judge=judge, match=match, adjusted_p=p)
        for judge, match, p in zip(judges, matches, adjusted, strict=True)
    )


def _match(pairs: JudgedPairs, first: str, second: str, level: float) -> HeadToHead:
    clusters = pairs.questions if all(pairs.questions) else None
    return head_to_head(
        pairs.first, pairs.second, pairs.outcome, second, first, clusters=clusters, weights=pairs.weights, level=level
    )


def _p_value(difference: Estimate, clusters: int) -> float | None:
    if difference.value is None or not difference.standard_error:
        return None
    z = difference.value / difference.standard_error
    return t_two_sided(z, clusters - 1) if clusters else normal_two_sided(z)


def notes_on(found: SourcePairs, clusters: int) -> tuple[str, ...]:
    """Say what comparisons rest on, and what was left out."""
    pairs = found.pairs
    code = "rank.no_questions" if not all(pairs.questions) else "rank.pairs" if pairs.by_pair else "rank.clusters"
    notes = [say(code, clusters=clusters)]
    if (orders := found.orders) is not None and orders.both:
        notes.append(say(f"ranking.orders_{orders.flipped}", both=orders.both, one=orders.one, flips=orders.flips))
    if found.by != "judges" and found.people is not None:
        worth = found.people.votes.weights
        notes.append(say("rank.votes", votes=len(worth), worth=f"{float(worth.sum()):,.1f}"))
    if pairs.self_judged:
        notes.append(say("rank.self_judged", count=pairs.self_judged))
    if pairs.undecided:
        notes.append(say("rank.undecided", count=pairs.undecided, examples=pairs.examples))
    return tuple(notes)
