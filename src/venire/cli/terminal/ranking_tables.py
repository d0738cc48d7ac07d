"""A ranking as tables in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.cli.arguments.language import words
from venire.cli.terminal.comparison_tables import estimate_text, inline_estimate, make_table, plain, win_matrix_table
from venire.reports.sections.ranking import without_errors
from venire.reports.words import number_text

if TYPE_CHECKING:
    from rich.console import Console

    from venire.stats.comparison.ranking import RankedModel
    from venire.workflows.rank import PairRanking

WIDEST_MATRIX = 12
"""How many models a win matrix in the terminal has at most."""


def print_ranking(console: Console, found: PairRanking) -> None:
    """Print who may be first, the models in order, then what the order rests on."""
    known, ranking = words(), found.ranking
    console.print(plain(_answer(found)))
    controlled = found.at_equal_length.strengths if found.at_equal_length else {}
    names = ["rank", "range", "strength", *(["equal_length"] if controlled else []), *(["elo"] if found.elo else [])]
    table = make_table("", [known("rank.column.model"), *(known(f"rank.column.{name}") for name in names), *_counts()])
    for each in ranking.models:
        cells = [_rank(found, each), _range(each), estimate_text(each.strength, "difference")]
        cells += [estimate_text(controlled[each.model], "difference")] if controlled else []
        cells += [number_text(found.elo.ratings[each.model], "score")] if found.elo else []
        table.add_row(plain(str(each.model)), *cells, str(each.won), str(each.tied), str(each.lost))
    console.print(table)
    for line in _lines(found):
        console.print(plain(line))
    if len(ranking.models) <= WIDEST_MATRIX:
        order = [ranking.wins.models.index(each.model) for each in ranking.models]
        console.print(win_matrix_table(ranking.wins, order))
    else:
        console.print(plain(known("rank.matrix_left_out", most=WIDEST_MATRIX)))


def _answer(found: PairRanking) -> str:
    known, models = words(), found.ranking.models
    if found.ranking.reason:
        return known("rank.no_order", reason=found.ranking.reason)
    first = [str(each.model) for each in models if each.best == 1]
    facts = {"leader": str(models[0].model), "models": len(models), "comparisons": found.ranking.wins.comparisons}
    if models[0].best is None:
        return known("rank.answer.no_errors", **facts)
    others = tuple(name for name in first if name != facts["leader"])
    level = f"{found.ranking.level:.0%}"
    return known("rank.answer.open" if others else "rank.answer.sure", others=others, level=level, **facts)


def _counts() -> list[str]:
    return [words()(f"compare.column.{name}") for name in ("won", "tied", "lost")]


def _rank(found: PairRanking, each: RankedModel) -> str:
    return words()("unknown") if found.ranking.reason else str(each.rank)


def _range(each: RankedModel) -> str:
    if each.best is None:
        return words()("unknown")
    return str(each.best) if each.best == each.worst else f"{each.best}–{each.worst}"


def _on_errors(found: PairRanking) -> str:
    """Say what the errors of an order rest on, or why they are not known."""
    if reason := found.ranking.why_no_errors:
        return words()("ranking.no_errors", reason=reason)
    code = "rank.no_questions" if not found.has_questions else "rank.pairs" if found.by_pair else "rank.clusters"
    return words()(code, clusters=found.ranking.clusters)


def _lines(found: PairRanking) -> list[str]:
    """Return what is to be said beside the table."""
    known, ranking = words(), found.ranking
    lines = [] if ranking.reason else [_on_errors(found)]
    lines += [known(note.key, **note.arguments) for note in without_errors(ranking)]
    if found.deciding is not None:
        code = "rank.deciding" if found.deciding.count is not None else "rank.not_few"
        facts = {"leader": str(found.deciding.leader), "follower": str(found.deciding.follower)}
        lines.append(known(code, count=found.deciding.count or 0, all=found.deciding.comparisons, **facts))
    for judge in found.left_out:
        if not judge.is_same:
            code = "rank.without_judge" if judge.order else "rank.without_judge_nothing"
            lines.append(known(code, judge=judge.judge, order=judge.order[:5]))
    if found.left_out and not ranking.reason and all(judge.is_same for judge in found.left_out):
        lines.append(known("rank.without_any_judge"))
    for preference, flips in found.positions:
        if preference.estimate.value is None:
            lines.append(known("rank.position_unknown", judge=preference.judge, reason=preference.estimate.reason))
            continue
        lean, turned = (
            inline_estimate(preference.estimate, "share_difference"),
            inline_estimate(flips.estimate, "share"),
        )
        lines.append(known("rank.position", judge=preference.judge, lean=lean, flips=turned, pairs=flips.observations))
    if found.at_equal_length is not None:
        lines.append(known("rank.doubling", value=inline_estimate(found.at_equal_length.doubling, "difference")))
    if found.orders is not None and found.orders.both:
        settled = found.orders
        code = f"ranking.orders_{settled.flipped}"
        lines.append(known(code, both=settled.both, one=settled.one, flips=settled.flips))
    if found.votes:
        code = "rank.votes_beside" if found.by == "judges" else "rank.votes"
        lines.append(known(code, votes=found.votes, worth=f"{found.votes_worth:,.1f}"))
    for each in found.beside_people:
        agreement, kappa = inline_estimate(each.agreement, "share"), inline_estimate(each.kappa, "coefficient")
        lines.append(known("rank.beside", judge=each.judge, agreement=agreement, kappa=kappa, pairs=each.pairs))
    if found.self_judged:
        lines.append(known("rank.self_judged", count=found.self_judged))
    if found.undecided:
        lines.append(known("rank.undecided", count=found.undecided, examples=found.examples))
    return [*lines, known("rank.method", method=ranking.method)]
