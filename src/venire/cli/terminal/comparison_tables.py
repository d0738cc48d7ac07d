"""Comparisons as tables in the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from venire.cli.arguments.language import report_words, words
from venire.domain.hidden import show_controls
from venire.reports.words import number_text
from venire.words.said import clauses, say

SIGNIFICANT = 0.05
"""The p value below which a difference is told."""

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from venire.reports.report import Unit
    from venire.stats.comparison.score_comparisons import ScoreComparisons
    from venire.stats.comparison.sequential import SequentialDifference
    from venire.stats.comparison.win_matrix import WinMatrix
    from venire.stats.result import Estimate
    from venire.workflows.comparison.result import ComparedScore, Comparison, JudgeComparison


def print_comparison(console: Console, found: Comparison) -> None:
    """Print two runs, models or variants."""
    known = words()
    for line in _headline(found):
        console.print(plain(line))
    console.print(plain(known("compare.sides", first=found.first, second=found.second, judges=found.judges)))
    console.print(_score_table(found.scores, ("first", "second")))
    _print_basis(console, found.scores)
    for line in (*_sequential(found), *_power(found)):
        console.print(plain(line))
    if any(score.corrected for score in found.scores):
        console.print(_corrected_table(found.scores))
    if found.attribution:
        table = make_table(known("compare.attribution"), _columns("judge", "observed", "of_judge", "of_system"))
        for part in found.attribution:
            numbers = (estimate_text(each, "difference") for each in (part.observed, part.judge, part.system))
            table.add_row(plain(part.judge_name), *numbers)
        console.print(table)
        for part in found.attribution:
            unknown = [part.system.reason] if part.system.value is None else []
            for note in (*part.notes, *unknown):
                console.print(plain(known("compare.of_source", source=part.judge_name, note=note)))
    for note in found.notes:
        console.print(plain(known.of(note)))


def _headline(found: Comparison) -> Iterator[str]:
    """Say what people's labels make of the judges' difference of the overall score, and where the two part."""
    corrected, known = found.scores[0].corrected, words()
    if corrected is None:
        return
    value, p_value = corrected.corrected, corrected.p_value
    seen = {"naive": _number(found.scores[0].difference.test.difference), "count": sum(corrected.labelled)}
    if value.value is None or value.low is None or p_value is None:
        yield known("compare.headline.unknown", **seen, reason=value.reason)
        return
    p_text = "< 0.001" if p_value < 0.001 else f"= {p_value:.3f}"
    code = "compare.headline.told" if p_value < SIGNIFICANT else "compare.headline.open"
    yield known(code, **seen, corrected=_number(value), interval=_interval(value, "difference"), p=p_text)
    bias = corrected.judge_bias
    if corrected.parts and bias.value is not None:
        favoured = found.second if bias.value > 0 else found.first
        turned = (
            bias if bias.value > 0 else replace(bias, value=-bias.value, low=-(bias.high or 0), high=-(bias.low or 0))
        )
        by = number_text(turned.value or 0.0, "score")
        yield known("compare.part", favoured=favoured, bias=by, interval=_interval(turned, "score"))
    if value.note:
        yield known.of(value.note)


def _sequential(found: Comparison) -> Iterator[str]:
    """Say of the overall score whether it is decided, however often one has looked."""
    if (looked := found.scores[0].sequential) is not None:
        yield look_text(looked)


def look_text(looked: SequentialDifference) -> str:
    """Say whether a difference is decided at this look."""
    seen, known = looked.difference, words()
    if seen.value is None or seen.low is None or looked.e_value is None:
        return known("compare.sequential.unknown", reason=seen.reason)
    code = "compare.sequential.decided" if looked.decided else "compare.sequential.open"
    evidence = f"{looked.e_value:.3g}" if looked.e_value < 1e6 else "> 1e6"
    return known(
        code, difference=_number(seen), interval=_interval(seen, "difference"), e_value=evidence,
        questions=seen.n["clusters"], level=f"{seen.level or 0:.0%}",
    )  # fmt: skip


def _power(found: Comparison) -> Iterator[str]:
    """Say what the comparison of the overall score could find, and what would settle a difference that it did not."""
    score, known = found.scores[0], words()
    if score.detectable is None or score.detectable.value is None:
        return
    by, test = score.difference.clustered_by, score.difference.test
    count, points = test.difference.n.get("clusters", 0), number_text(score.detectable.value, "score")
    yield known(f"compare.detectable.{by}", count=count, points=points)
    if score.stated is not None and score.stated.value is not None:
        yield known(f"compare.stated.{by}", count=int(score.stated.value), stated=f"{found.stated or 0:g}")
    is_open = test.p_value is not None and test.p_value >= SIGNIFICANT
    if is_open and score.needed is not None and score.needed.value is not None:
        settled = say(f"compare.needed.{by}", count=int(score.needed.value), difference=_number(test.difference))
        yield known.of(clauses(settled, score.needed.note))


def _corrected_table(scores: Iterable[ComparedScore]) -> Table:
    names = _columns("score", "judges_see", "corrected", "p", "bias_difference", "labels")
    table = make_table(words()("compare.corrected"), names)
    for score in scores:
        if score.corrected is not None:
            found = score.corrected
            seen = (score.difference.test.difference, found.corrected)
            p_value = _unknown() if found.p_value is None else number_text(found.p_value, "p")
            table.add_row(
                plain(score.name), *(estimate_text(each, "difference") for each in seen), p_value,
                estimate_text(found.judge_bias, "difference"), str(sum(found.labelled)),
            )  # fmt: skip
    return table


def _number(estimate: Estimate) -> str:
    return _unknown() if estimate.value is None else number_text(estimate.value, "difference")


def _interval(estimate: Estimate, unit: Unit) -> str:
    low, high = (report_words().number(end or 0.0, unit) for end in (estimate.low, estimate.high))
    return words()("number.interval", low=low, high=high)


def print_judges(console: Console, found: Iterable[JudgeComparison]) -> None:
    """Print two versions of each judge on identical outputs."""
    for each in found:
        change, known = each.migration, words()
        versions = {"judge": change.judge, "old": change.old[:12], "new": change.new[:12]}
        counts = {"outputs": change.outputs, "only_old": change.only_old, "only_new": change.only_new}
        console.print(plain(known("compare.versions", **versions, **counts)))
        console.print(_score_table(each.scores, ("old", "new")))
        _print_basis(console, each.scores)
        moved = ", ".join(
            f"{move}: {count}" for move, count in change.verdicts.items() if len({*move.split(" → ")}) > 1
        )
        facts = {
            "same_score": estimate_text(change.overall.exact_match, "share"),
            "flips": estimate_text(change.verdict_flips, "share") + (f" ({moved})" if moved else ""),
            "raised": f"{change.overall.raised} / {change.overall.lowered}",
            "invalid": f"{change.invalid_old} / {change.invalid_new}",
        }
        for name, text in facts.items():
            console.print(plain(known(f"compare.fact.{name}", value=text.replace("\n", " "))))


def print_pairwise(console: Console, found: ScoreComparisons) -> None:
    """Print strengths, Elo ratings and the win matrix of all models."""
    wins = found.wins
    strengths = [each.value for each in found.fit.strengths]
    order = sorted(range(len(wins.models)), key=lambda place: -(strengths[place] or 0.0))
    known = words()
    table = make_table(known("compare.strengths"), _columns("model", "strength", "elo", "won", "tied", "lost"))
    for place in order:
        model = wins.models[place]
        counts = (wins.wins[place].sum(), wins.ties[place].sum(), wins.wins[:, place].sum())
        rating = found.elo.ratings.get(model)
        table.add_row(
            plain(str(model)), estimate_text(found.fit.strengths[place], "difference"),
            _unknown() if rating is None else f"{rating:.0f}", *(f"{count:.0f}" for count in counts),
        )  # fmt: skip
    console.print(table)
    basis = say("compare.clusters", clusters=found.clusters, method=found.fit.method)
    console.print(plain(known.of(found.fit.reason or basis)))
    console.print(win_matrix_table(wins, order))


def win_matrix_table(wins: WinMatrix, order: Iterable[int]) -> Table:
    """Return who wins how often against whom, ties counted as half; rows and columns in one order."""
    places = list(order)
    names = [str(wins.models[place]) for place in places]
    matrix = make_table(words()("compare.matrix"), (*_columns("model"), *names))
    met = wins.wins + wins.wins.T + wins.ties
    for place, name in zip(places, names, strict=True):
        cells = []
        for other in places:
            points = wins.wins[place, other] + wins.ties[place, other] / 2
            cells.append("–" if place == other or not met[place, other] else f"{points / met[place, other]:.0%}")
        matrix.add_row(plain(name), *cells)
    return matrix


def _score_table(scores: Iterable[ComparedScore], sides: tuple[str, str]) -> Table:
    table = make_table("", _columns("score", *sides, "difference", "p", "p_holm", "effect"))
    for score in scores:
        test = score.difference.test
        p_values = (_unknown() if p is None else number_text(p, "p") for p in (test.p_value, score.adjusted_p))
        means = (_mean(each) for each in (score.first, score.second))
        effect = estimate_text(score.difference.effect, "difference")
        table.add_row(plain(score.name), *means, estimate_text(test.difference, "difference"), *p_values, effect)
    return table


def _print_basis(console: Console, scores: Iterable[ComparedScore]) -> None:
    first = next(iter(scores)).difference
    by = tuple(name.removeprefix("factor.") for name in first.paired_by)
    clustered = say(f"compare.clustered.{first.clustered_by}")
    how = say("compare.pairs", pairs=first.pairs, by=by, clustered=clustered)
    if not first.pairs:
        how = say("compare.means", clustered=clustered)
    code = "compare.unmatched_pairs" if first.pairs else "compare.unmatched"
    left = say(code, count=sum(first.unmatched)) if sum(first.unmatched) else ""
    console.print(plain(words().of(clauses(how, left))))


def _columns(*names: str) -> list[str]:
    return [words()(f"compare.column.{name}") for name in names]


def _unknown() -> str:
    return words()("unknown")


def make_table(title: str, columns: Iterable[str]) -> Table:
    """Return an empty table: names to the left, numbers to the right."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, title=Text(title) if title else None, title_justify="left", pad_edge=False)
    for place, column in enumerate(columns):
        table.add_column(Text(show_controls(column)), justify="left" if place == 0 else "right", overflow="fold")
    return table


def plain(text: str) -> Text:
    """Return words of the data that give no orders to the terminal."""
    from rich.text import Text

    return Text(show_controls(text))


def _mean(estimate: Estimate) -> str:
    return _unknown() if estimate.value is None else number_text(estimate.value, "score")


def estimate_text(estimate: Estimate, unit: Unit) -> str:
    """Write an estimate with its interval below it."""
    if estimate.value is None:
        return _unknown()
    text = report_words().number(estimate.value, unit)
    if estimate.low is None or estimate.high is None:
        return text
    return f"{text}\n{_interval(estimate, unit)}"


def inline_estimate(estimate: Estimate, unit: Unit) -> str:
    """Write an estimate with its interval beside it."""
    value, _, ends = estimate_text(estimate, unit).partition("\n")
    return words()("rank.with_interval", value=value, ends=ends) if ends else value
