"""Comparisons by judged pairs as tables in the terminal: two models, every two, or two runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from venire.cli.arguments.language import words
from venire.cli.terminal.comparison_tables import SIGNIFICANT, estimate_text, inline_estimate, make_table, plain
from venire.reports.words import number_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import Console

    from venire.stats.pairwise.head_to_head import HeadToHead
    from venire.stats.pairwise.strength_change import StrengthChange
    from venire.workflows.comparison.compared_models import ComparedModels, ModelsComparison
    from venire.workflows.comparison.compared_pair_runs import PairRunsComparison

MOST_ROWS = 28
"""Above so many pairs of models only neighbours in the order are shown: eight models have as many."""


def print_models(console: Console, found: ModelsComparison) -> None:
    """Print two models: who is ahead, how they did where they met, and what each judge says."""
    known, each = words(), found.compared[0]
    console.print(plain(_answer(found, each)))
    title = known("compare.where_met", model=each.second, other=each.first)
    several = bool(each.judges)
    table = make_table(title, _columns("judge", "met", "won", "tied", "lost", "share", "p", *["p_holm"] * several))
    rows: list[tuple[str, HeadToHead, float | None]] = [(known("compare.all_judges"), each.match, None)]
    rows += [(row.judge, row.match, row.adjusted_p) for row in each.judges]
    for name, match, adjusted in rows:
        ends = [_p(adjusted) if name != rows[0][0] else ""] if several else []
        table.add_row(plain(name), *_counts(match), estimate_text(match.share, "share"), _p(match.p_value), *ends)
    console.print(table)
    if each.match.share.value is not None:
        console.print(plain(known("compare.ties_share", share=inline_estimate(each.match.ties, "share"))))
    if each.difference.value is not None:
        chance = 1 / (1 + math.exp(-each.difference.value))
        facts = {"model": each.second, "other": each.first, "chance": number_text(chance, "share")}
        others = len(found.order) - 2
        console.print(plain(known("compare.chance", **facts)))
        if others:
            console.print(plain(known("compare.by_way_of_others", others=others, comparisons=found.comparisons)))
    _print_notes(console, found.notes)


def _answer(found: ModelsComparison, each: ComparedModels) -> str:
    known, value = words(), each.difference.value
    if value is None or each.difference.low is None:
        reason = found.reason or each.difference.reason
        return known("compare.models_unknown", first=each.first, second=each.second, reason=reason)
    is_told = each.p_value is not None and each.p_value < SIGNIFICANT
    names = (each.second, each.first) if value >= 0 else (each.first, each.second)
    code = "compare.models_told" if is_told else "compare.models_open"
    facts = {"leader": names[0], "follower": names[1], "second": each.second, "first": each.first}
    return known(code, **facts, difference=inline_estimate(each.difference, "difference"), p=_p(each.p_value))


def print_all_models(console: Console, found: ModelsComparison) -> None:
    """Print every two models, or neighbours in the order where these are too many."""
    known = words()
    if found.reason:
        console.print(plain(known("rank.no_order", reason=found.reason)))
    else:
        told = sum(each.adjusted_p is not None and each.adjusted_p < SIGNIFICANT for each in found.compared)
        facts = {"told": told, "pairs": len(found.compared), "comparisons": found.comparisons}
        console.print(plain(known("compare.all_models", **facts)))
    neighbours = {*zip(found.order[1:], found.order, strict=False)}
    are_few = len(found.compared) <= MOST_ROWS
    shown = [each for each in found.compared if are_few or (each.first, each.second) in neighbours]
    sides = _columns("model", "against", "difference", "p", "p_holm", "met", "share")
    table = make_table("", sides)
    for each in shown:
        met = _counts(each.match)[0]
        table.add_row(
            plain(each.second), plain(each.first), estimate_text(each.difference, "difference"), _p(each.p_value),
            _p(each.adjusted_p), met, estimate_text(each.match.share, "share"),
        )  # fmt: skip
    console.print(table)
    if not are_few:
        console.print(plain(known("compare.neighbours_only", pairs=len(found.compared))))
    _print_notes(console, found.notes)


def print_pair_runs(console: Console, found: PairRunsComparison) -> None:
    """Print which models changed between two runs, and how many pairs came out alike."""
    known = words()
    for line in _changed(found.changes):
        console.print(plain(line))
    table = make_table("", [*_columns("model"), found.first, found.second, *_columns("difference", "p", "p_holm")])
    for each in found.changes:
        numbers = (estimate_text(one, "difference") for one in (each.before, each.after, each.change))
        table.add_row(plain(str(each.model)), *numbers, _p(each.p_value), _p(each.adjusted_p))
    console.print(table)
    console.print(plain(known("compare.relative", models=len(found.changes))))
    same = found.same
    if same.pairs:
        alike, kappa = inline_estimate(same.same, "share"), inline_estimate(same.kappa, "coefficient")
        console.print(plain(known("compare.same_pairs", pairs=same.pairs, same=alike, kappa=kappa)))
    else:
        console.print(plain(known("compare.no_same_pairs")))
    for models, source in ((found.only_first, found.first), (found.only_second, found.second)):
        if models:
            console.print(plain(known("compare.only_in", source=source, models=models)))
    _print_notes(console, found.notes)


def _changed(changes: tuple[StrengthChange, ...]) -> Iterator[str]:
    known = words()
    unknown = [each.change.reason for each in changes if each.change.value is None]
    if unknown:
        yield known("compare.changes_unknown", reason=unknown[0])
        return
    told = [each for each in changes if each.adjusted_p is not None and each.adjusted_p < SIGNIFICANT]
    names = tuple(f"{each.model} {number_text(each.change.value or 0.0, 'difference')}" for each in told)
    code = "compare.changes_told" if told else "compare.changes_none"
    yield known(code, models=names, count=len(changes))


def _counts(match: HeadToHead) -> list[str]:
    counts = (match.won + match.tied + match.lost, match.won, match.tied, match.lost)
    return [f"{count:.0f}" if count == round(count) else f"{count:.1f}" for count in counts]


def _columns(*names: str) -> list[str]:
    return [words()(f"compare.column.{name}") for name in names]


def _p(value: float | None) -> str:
    return words()("unknown") if value is None else number_text(value, "p")


def _print_notes(console: Console, notes: Iterable[str]) -> None:
    for note in notes:
        console.print(plain(words().of(note)))
