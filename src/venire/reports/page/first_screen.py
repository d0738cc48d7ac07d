"""What the first screen shows beside its sentences: the ranked chart, where it breaks, disputes and cost."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from venire.reports.charts.intervals import interval_chart
from venire.reports.charts.tracks import mark, track_axis
from venire.reports.page.markup import tag
from venire.reports.sections.answers.verdicts import ranked_verdicts
from venire.reports.sections.answers.votes import VOTES_BASIS, ranked_votes
from venire.reports.sections.overview import DISPUTED, LEAST_SPREAD, Standing, ranking_column, stand, standing
from venire.reports.sections.trust import TRUST_SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from venire.reports.outputs.in_report import ReportOutputs
    from venire.reports.report import Report, ReportCell, Row, Table
    from venire.reports.words import ReportWords

SHOWN_MODELS = 12
"""How many models the first screen shows; the section on models shows them all."""

MARKED_MODELS = 6
"""Up to how many models it says of all neighbours whether they differ; of more, only of those that do."""

BREAKS = 4
"""How many of the worst slices it shows."""


class Break(NamedTuple):
    """A group of outputs with a low score."""

    name: str
    """The group."""
    cell: ReportCell
    """Its mean."""


def ranked_chart(report: Report, words: ReportWords) -> Markup:
    """Draw the models by score, and between neighbours whether they can be told apart; by strength for pairs."""
    board, comparisons = report.table("leaderboard"), report.table("comparisons")
    if board is None:
        return _shares(report, words) or _strengths(report.table("ranking"), words) or _votes(report, words)
    column = ranking_column(board)
    cells = board.column(column)
    rows = [(row.names[0] or "–", cell) for row, cell in zip(board.rows, cells, strict=True)][:SHOWN_MODELS]
    found = standing(board, comparisons)
    ends = (0.0, 10.0) if column == "score" else cells[0].scale
    told = _neighbours(found, rows)
    title = words("chart.leaderboard" if column == "score" else "chart.means")
    return interval_chart(rows, title, words, ends=ends, told_apart=told, ranks=_ranks(board))


def _neighbours(found: Standing, rows: Sequence[tuple[str, ReportCell]]) -> list[bool | None]:
    """Tell of each shown model whether it can be told apart from the next; of many, only of those that can."""
    shown = min(len(found.models), len(rows), SHOWN_MODELS)
    neighbours = [found.told_apart(place, place + 1) for place in range(shown - 1)]
    if all(each is None for each in neighbours):
        return []
    return [(bool(each) or None) if shown > MARKED_MODELS else bool(each) for each in neighbours]


def _shares(report: Report, words: ReportWords) -> Markup:
    """Draw the models by their shares of the chief verdict, where there are verdicts without scores."""
    section = report.section("overview")
    rows = ranked_verdicts(section, report.table("verdict_shares_target_model")) if section else []
    if section is None or not rows:
        return Markup()
    found = stand([(name, cell.value or 0.0) for name, cell in rows], report.table("verdict_comparisons"))
    title = words.sentence(section.notes[1])
    return interval_chart(rows[:SHOWN_MODELS], title, words, ends=(0.0, 1.0), told_apart=_neighbours(found, rows))


def _votes(report: Report, words: ReportWords) -> Markup:
    """Draw models by people's votes, or outputs where no model is known, where nothing was judged."""
    if not is_of_votes(report):
        return Markup()
    rows = ranked_votes(report.table("votes_model"), report.table("votes_output"))
    title = words.table("votes_model" if report.table("votes_model") else "votes_output")
    return interval_chart(rows[:SHOWN_MODELS], title, words, ends=(0.0, 1.0))


def is_of_votes(report: Report) -> bool:
    """Tell whether the answer of a report is what people voted."""
    section = report.section("overview")
    return section is not None and any(note.key in VOTES_BASIS for note in section.notes)


def disputed_votes(report: Report) -> list[Row]:
    """Return the first outputs on which votes part."""
    table = report.table("votes_output")
    rows = zip(table.rows, table.column("ambiguous"), strict=True) if table else ()
    return [row for row, ambiguous in rows if ambiguous.word == "yes"][:DISPUTED]


def _strengths(ranking: Table | None, words: ReportWords) -> Markup:
    """Draw the strongest models of a ranking by pairs; nothing without one."""
    if ranking is None or all(cell.value is None for cell in ranking.column("strength")):
        return Markup()
    rows = [(row.names[0], cell) for row, cell in zip(ranking.rows, ranking.column("strength"), strict=True)]
    return interval_chart(rows[:SHOWN_MODELS], words("chart.ranking"), words, ranks=_ranks(ranking)[:SHOWN_MODELS])


def _ranks(board: Table) -> list[str]:
    """Return the ranks that each model may have; of a single model there is nothing to say."""
    return [cell.text for cell in board.column("ranks")] if len(board.rows) > 1 else []


def chart_note(report: Report, words: ReportWords) -> str:
    """Return how the ranked chart of many models is to be read; nothing for few."""
    board = report.table("leaderboard")
    shares = report.table("verdict_shares_target_model") if report.section("overview") else None
    count = len(board.rows) if board else 0
    pairs = report.table("ranking")
    if pairs is not None and len(pairs.rows) > SHOWN_MODELS:
        return words("page.first_models", shown=SHOWN_MODELS, count=len(pairs.rows))
    if pairs is None and is_of_votes(report):
        rows = ranked_votes(report.table("votes_model"), report.table("votes_output"))
        said = words("page.first_rows", shown=SHOWN_MODELS, count=len(rows))
        return said if len(rows) > SHOWN_MODELS else ""
    if shares is not None and len(shares.rows) > SHOWN_MODELS:
        return words("page.first_models", shown=SHOWN_MODELS, count=len(shares.rows))
    if count <= MARKED_MODELS:
        return ""
    first = [words("page.first_models", shown=SHOWN_MODELS, count=count)] if count > SHOWN_MODELS else []
    return words("sentence.between").join([*first, words("page.unmarked")])


def rank_note(report: Report, words: ReportWords) -> str:
    """Return how the ranks of the ranked chart are to be read; nothing where it has none."""
    section = report.section("leaderboard")
    read = next((note for note in section.notes if note.key.startswith("ranks.read")), None) if section else None
    return words(f"page.{read.key}", **read.arguments) if read else ""


def breaks(report: Report, words: ReportWords) -> list[Break]:
    """Return the worst groups of outputs: of slices, or else of dimensions by model."""
    worst = report.table("worst_slices")
    if worst is not None:
        return [Break(_name(row, worst, words), row.cells[0]) for row in worst.rows[:BREAKS]]
    means = report.table("dimension_means")
    if means is None:
        return []
    found = [
        Break(f"{_name(row, means, words)} · {words.column(column)}", cell)
        for row in means.rows
        for column, cell in zip(means.columns, row.cells, strict=True)
        if cell.value is not None and cell.scale is not None
    ]
    return sorted(found, key=_share)[:BREAKS]


def no_breaks(report: Report, words: ReportWords) -> str:
    """Return why no weak group is shown: all are too small, or there is none."""
    section = report.section("drift")
    small = [note for note in section.notes if note.key == "drift.too_small"] if section else []
    return words.sentence(small[0]) if small else words("page.no_breaks")


def _share(each: Break) -> float:
    low, high = each.cell.scale or (0.0, 1.0)
    return ((each.cell.value or 0.0) - low) / (high - low)


def of_ten(each: Break, words: ReportWords) -> str:
    """Return the score of a group from 0 to 10, as the headline has it; as it was given where no scale is known."""
    return words("page.of_ten", value=f"{10 * _share(each):.1f}") if each.cell.scale else words.value(each.cell)


def section_link(report: Report, section: str) -> str:
    """Return the address of a section on the page of a report; nothing where it has none."""
    return f"#{section}" if report.section(section) else ""


def strip(cells: tuple[ReportCell, ...], words: ReportWords, judges: list[str]) -> Markup:
    """Draw what each judge gave one output as dots on a line from 0 to 10."""
    known = [(judge, cell) for judge, cell in zip(judges, cells, strict=True) if cell.value is not None]
    axis = track_axis(0, 10)
    spoken = words("list").join(f"{judge} {words.value(cell)}" for judge, cell in known)
    dots = [
        mark(
            "circle",
            cx=4 + 0.92 * axis(cell.value or 0.0),
            cy=50,
            r=4,
            class_="dot",
            hint=f"{judge} {words.value(cell)}",
        )
        for judge, cell in known
    ]
    line = mark("line", x1=4, x2=96, y1=50, y2=50, class_="grid")
    return tag("svg", tag("title", spoken), line, *dots, class_="strip", role="img", aria_label=spoken)


def totals(report: Report) -> dict[str, float | None]:
    """Return how many requests were made and what they cost; None where it is not known of every judge."""
    cost = report.table("cost")
    return {name: _sum(cost.column(name)) if cost else None for name in ("requests", "cost")}


def _sum(cells: tuple[ReportCell, ...]) -> float | None:
    known = [cell.value for cell in cells if cell.value is not None]
    return sum(known) if cells and len(known) == len(cells) else None


def _name(row: Row, table: Table, words: ReportWords) -> str:
    return " · ".join(words.row_name(head, name) for head, name in zip(table.heads, row.names, strict=True))


def grouped(report: Report, outputs: ReportOutputs | None = None) -> Iterator[tuple[str, list[str]]]:
    """Yield the groups of a page by question, each with the sections in it; a group without any is left out."""
    there = [section.id for section in report.sections]
    for group, members in GROUPS.items():
        held = [each for each in there if each in members]
        if held or group == "record" or (group == "outputs" and outputs is not None and outputs.are_there):
            yield group, held


GROUPS = {
    "overview": ("overview", "summary"),
    "outputs": (),
    "models": ("jury", "leaderboard", "ranking", "verdicts", "rollup", "pairwise", "dimensions", "questions", "claims"),
    "drift": ("collected", "format_drift", "drift"),
    "judges": ("judges", "voir_dire", "canaries", "agreement", "bias"),
    "people": ("people", "votes"),
    "record": ("invalid", "cost", "run_log"),
}
"""The questions that readers come with, and the sections that answer them."""

FIRST_SCREEN = {
    "chart_note": chart_note,
    "rank_note": rank_note,
    "breaks": breaks,
    "no_breaks": no_breaks,
    "of_ten": of_ten,
    "is_of_votes": is_of_votes,
    "disputed_votes": disputed_votes,
    "strip": strip,
    "totals": totals,
}
"""What the template of the first screen is filled with, beside the chart, whose links differ from page to page."""

KNOWN_THERE = {"trust_sections": TRUST_SECTIONS, "least_spread": LEAST_SPREAD}
"""What that template knows by name."""
