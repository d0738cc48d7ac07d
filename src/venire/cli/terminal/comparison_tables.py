"""Comparisons as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from venire.reports.page.markup import show_controls
from venire.reports.words import number_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from venire.reports.report import Unit
    from venire.stats.comparison.score_comparisons import ScoreComparisons
    from venire.stats.result import Estimate
    from venire.workflows.comparison.result import ComparedScore, Comparison, JudgeComparison

_UNKNOWN = "not known"


def print_comparison(console: Console, found: Comparison) -> None:
    """Print two runs, models or variants."""
    console.print(
        _plain(f"first {found.first}, second {found.second}, judged by {', '.join(found.judges)}; scores on 0–10")
    )
    console.print(_score_table(found.scores, ("first", "second")))
    _print_basis(console, found.scores)
    if found.attribution:
        table = _table("change of means, on each judge's own scale", ("judge", "observed", "judge's", "system's"))
        for part in found.attribution:
            numbers = (_number(each, "difference") for each in (part.observed, part.judge, part.system))
            table.add_row(_plain(part.judge_name), *numbers)
        console.print(table)
        for part in found.attribution:
            unknown = [part.system.reason] if part.system.value is None else []
            for note in (*part.notes, *unknown):
                console.print(_plain(f"{part.judge_name}: {note}"))
    for note in found.notes:
        console.print(_plain(note))


def print_judges(console: Console, found: Iterable[JudgeComparison]) -> None:
    """Print two versions of each judge on identical outputs."""
    for each in found:
        change = each.migration
        console.print(
            _plain(
                f"{change.judge}: {change.old[:12]} → {change.new[:12]}, on {change.outputs} outputs that both judged "
                f"({change.only_old} only by the old, {change.only_new} only by the new)"
            )
        )
        console.print(_score_table(each.scores, ("old", "new")))
        _print_basis(console, each.scores)
        moved = ", ".join(
            f"{move}: {count}" for move, count in change.verdicts.items() if len({*move.split(" → ")}) > 1
        )
        facts = {
            "same score": _number(change.overall.exact_match, "share"),
            "verdicts that changed": _number(change.verdict_flips, "share") + (f" ({moved})" if moved else ""),
            "raised / lowered": f"{change.overall.raised} / {change.overall.lowered}",
            "invalid, old / new": f"{change.invalid_old} / {change.invalid_new}",
        }
        for name, text in facts.items():
            console.print(_plain(f"{name}: {text.replace(chr(10), ' ')}"))


def print_pairwise(console: Console, found: ScoreComparisons) -> None:
    """Print strengths, Elo ratings and the win matrix of all models."""
    wins = found.wins
    strengths = [each.value for each in found.fit.strengths]
    order = sorted(range(len(wins.models)), key=lambda place: -(strengths[place] or 0.0))
    table = _table("strengths", ("model", "Bradley–Terry", "Elo", "won", "tied", "lost"))
    for place in order:
        model = wins.models[place]
        counts = (wins.wins[place].sum(), wins.ties[place].sum(), wins.wins[:, place].sum())
        rating = found.elo.ratings.get(model)
        table.add_row(
            _plain(str(model)), _number(found.fit.strengths[place], "difference"),
            _UNKNOWN if rating is None else f"{rating:.0f}", *(f"{count:.0f}" for count in counts),
        )  # fmt: skip
    console.print(table)
    console.print(_plain(found.fit.reason or f"intervals rest on {found.clusters} clusters; {found.fit.method}"))
    names = [str(wins.models[place]) for place in order]
    matrix = _table("share won by the row", ("model", *names))
    met = wins.wins + wins.wins.T + wins.ties
    for place in order:
        cells = []
        for other in order:
            points = wins.wins[place, other] + wins.ties[place, other] / 2
            cells.append("–" if place == other or not met[place, other] else f"{points / met[place, other]:.0%}")
        matrix.add_row(_plain(str(wins.models[place])), *cells)
    console.print(matrix)


def _score_table(scores: Iterable[ComparedScore], sides: tuple[str, str]) -> Table:
    table = _table("", ("score", *sides, "difference", "p", "p, Holm", "Hedges' g"))
    for score in scores:
        test = score.difference.test
        p_values = (_UNKNOWN if p is None else number_text(p, "p") for p in (test.p_value, score.adjusted_p))
        means = (_mean(each) for each in (score.first, score.second))
        effect = _number(score.difference.effect, "difference")
        table.add_row(_plain(score.name), *means, _number(test.difference, "difference"), *p_values, effect)
    return table


def _print_basis(console: Console, scores: Iterable[ComparedScore]) -> None:
    first = next(iter(scores)).difference
    by = ", ".join(name.removeprefix("factor.") for name in first.paired_by)
    how = f"{first.pairs} pairs by {by}" if first.pairs else "no samples match: means are compared"
    left = f"; without a counterpart: {first.unmatched[0] + first.unmatched[1]}" if sum(first.unmatched) else ""
    console.print(_plain(f"{how}, errors clustered by {first.clustered_by}{left}"))


def _table(title: str, columns: Iterable[str]) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, title=Text(title) if title else None, title_justify="left", pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(Text(show_controls(column)), justify="left" if place == 0 else "right", overflow="fold")
    return table


def _plain(text: str) -> Text:
    """Return words of the data that give no orders to the terminal."""
    from rich.text import Text

    return Text(show_controls(text))


def _mean(estimate: Estimate) -> str:
    return _UNKNOWN if estimate.value is None else number_text(estimate.value, "score")


def _number(estimate: Estimate, unit: Unit) -> str:
    if estimate.value is None:
        return _UNKNOWN
    text = number_text(estimate.value, unit)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text}\n{number_text(estimate.low, unit)} … {number_text(estimate.high, unit)}"
