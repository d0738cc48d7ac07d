"""The report for a person at a terminal: sentences, tables, and small bars where a number has a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.domain.hidden import show_controls
from venire.reports.report import Report, ReportCell, ReportSection, Table
from venire.reports.sections.answers.verdicts import ranked_verdicts
from venire.reports.sections.answers.votes import ranked_votes
from venire.reports.sections.overview import ranking_column
from venire.reports.terminal.line_breaks import broken_for
from venire.reports.terminal.tables import bar, print_notes, print_sides, print_table
from venire.reports.words import ReportWords

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table as RichTable

_LEFT_OUT = frozenset({"instruments", "votes_trail"})
"""Tables of long texts or very many rows, which the page and the files show."""

_TWO_SIDES = frozenset({"claims_not_supported"})
"""Tables of words against words, which are read side by side."""

_BRIEF_TABLES = frozenset({
    "jury_means", "jury_stages",
    "ranking", "leaderboard", "leaderboard_counted", "leaderboard_left_out", "comparisons", "rollup", "dimension_means",
    "worst_slices", "judges", "severity", "alpha", "pairs", "people", "corrected_comparisons", "people_verdicts",
    "votes_model", "votes_output", "broken_rules", "off_scale", "cost", "claims_target_model", "claims_rater",
    "claims_not_supported",
})  # fmt: skip
"""What a reader at a terminal is shown without asking for more, beside contrasts of factors."""

_BRIEF_VERDICTS = frozenset({
    "verdict_shares_target_model", "verdict_comparisons", "verdict_shares_rater",
    "verdicts", "verdict_pairs", "position", "competence",
})  # fmt: skip
"""What is shown likewise of a table that holds verdicts only."""

_BRIEF_COLLECTED = frozenset({"collected", "format_drift", "forbidden_words"})
"""What is shown likewise of outputs of which none was judged."""

_BRIEF_NOTES = frozenset({
    "verdicts.read", "verdicts.read_pairs", "verdicts.no_order",
    "ranking.orders_tie", "ranking.orders_each", "ranking.orders_none", "ranking.clusters",
    "weights", "scales.mixed", "recovered.both", "rollup.dimension", "retests.few", "retests.unknown",
    "claims.not_listed", "materials.not_given", "collected.only", "collected.next", "format_drift.forbidden",
    "jury.asked", "jury.narrow", "jury.these_outputs", "jury.decided", "jury.labels", "bayesian.read",
    "comparisons.many", "comparisons.means", "off_scale.many", "drift.not_contrasted", "pairwise.one_scored",
})  # fmt: skip
"""Sentences that say something of the data, not how to read a table; warnings are always shown."""

_TOLD_ABOVE = frozenset({
    "summary.complete", "summary.detectable", "summary.detectable_by_output", "summary.alpha", "limits.no_people",
    "limits.by_question",
})  # fmt: skip
"""Sentences of the summary that say once more what the overview says, or how method lines read, which are not shown."""

_LIGHTS = {
    "state.good": ("●", "green"),
    "state.middling": ("◐", "yellow"),
    "state.poor": ("■", "red"),
    "state.unknown": ("○", "dim"),
}
"""How a state is shown; each has a form of its own beside its colour."""

_BRIEF_ROWS = 12
"""How many rows of a table are shown then."""


def print_report(console: Console, report: Report, language: str, *, full: bool = False) -> None:
    """Print the sections of a report: the main tables with what is known in them, or all of it."""
    from rich.rule import Rule
    from rich.text import Text

    words = ReportWords(language, report.names)
    narrow, missing, has_overview = 0, 0, {"overview", "summary"} <= {section.id for section in report.sections}
    for section in report.sections:
        shown = section if full else _brief(section, has_overview=has_overview)
        missing += (
            0 if section.id == "overview" else sum(len(table.rows) > 0 for table in section.tables) - len(shown.tables)
        )
        if section.id == "overview":
            _print_overview(console, report, section, words, full=full)
        elif shown.notes or shown.tables:
            console.print(Rule(words(f"section.{section.id}"), align="left", style="dim"))
            narrow += _print_section(console, shown, words, full=full)
    if narrow:
        console.print(Text(broken_for(console.width, words("terminal.columns", columns=narrow)), style="dim"))
    if not full:
        told = words("terminal.more", tables=missing) if missing else words("terminal.all")
        console.print(Text(broken_for(console.width, told), style="dim"))


def _print_overview(
    console: Console, report: Report, section: ReportSection, words: ReportWords, *, full: bool
) -> None:
    """Print the answer, the models by score, on what it rests, and how far to trust it."""
    from rich.rule import Rule
    from rich.text import Text

    if full:
        console.print(Rule(words("section.overview"), align="left", style="dim"))

    headline, *notes = section.notes
    console.print(Text(broken_for(console.width, show_controls(words.sentence(headline))), style="bold"))
    board = report.table("leaderboard")
    if board is not None:
        console.print(_ranked(board, words))
    elif shares := ranked_verdicts(section, report.table("verdict_shares_target_model")):
        console.print(_ranked_shares(shares[:_BRIEF_ROWS], words))
    elif (models := report.table("votes_model")) is not None:
        console.print(_ranked_shares(ranked_votes(models, None)[:_BRIEF_ROWS], words))
    for note in notes:
        console.print(Text(broken_for(console.width, show_controls(words.sentence(note))), style="dim"))
    trust = section.table("trust")
    if trust is not None:
        console.print(_lights(trust, words))
    for disputed in section.tables[1:] if full else ():
        print_table(console, disputed, words, full=True)


def _ranked(board: Table, words: ReportWords) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable.grid(padding=(0, 1))
    column = ranking_column(board)
    ranks = [cell.text for cell in board.column("ranks")] if len(board.rows) > 1 else []
    for _ in range(3 if any(ranks) else 2):
        shown.add_column()
    shown.add_column(justify="right")
    shown.add_column()
    for place, (row, score) in enumerate(zip(board.rows[:_BRIEF_ROWS], board.column(column), strict=False)):
        drawn = "" if score.value is None or column != "score" else bar(score.value / 10, 20)
        interval = words.interval(score) and words("stacked.interval", interval=words.interval(score)).strip()
        rank = [Text(ranks[place], style="dim")] if any(ranks) else []
        name = Text(show_controls(row.names[0] or "–"))
        shown.add_row(*rank, name, Text(drawn, style="cyan"), Text(words.value(score)), Text(interval))
    return shown


def _ranked_shares(shares: list[tuple[str, ReportCell]], words: ReportWords) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable.grid(padding=(0, 1))
    for name, share in shares:
        interval = words.interval(share) and words("stacked.interval", interval=words.interval(share)).strip()
        drawn = Text(bar(share.value or 0.0, 20), style="cyan")
        shown.add_row(Text(show_controls(name)), drawn, Text(words.value(share), justify="right"), Text(interval))
    return shown


def _lights(trust: Table, words: ReportWords) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable.grid(padding=(0, 1))
    for state, says, figure in (row.cells for row in trust.rows):
        sign, colour = _LIGHTS[state.word]
        shown.add_row(
            Text(sign, style=colour), Text(show_controls(words.value(says))), Text(words.value(figure), style="dim")
        )
    return shown


def _brief(section: ReportSection, *, has_overview: bool) -> ReportSection:
    """Leave out explanations, tables of detail, and whatever is not known throughout."""
    if section.id == "summary":
        told = _TOLD_ABOVE if has_overview else frozenset[str]()
        return ReportSection("summary", tuple(note for note in section.notes if note.key not in told))
    brief = _BRIEF_VERDICTS if section.id == "verdicts" else _BRIEF_TABLES
    brief = brief if has_overview else brief | _BRIEF_COLLECTED
    named = [table for table in section.tables if table.id in brief or _shows_drift(table)]
    notes = tuple(note for note in section.notes if note.warning or note.key in _BRIEF_NOTES)
    return ReportSection(section.id, notes, tuple(table for table in map(_known_part, named) if table.rows))


def _shows_drift(table: Table) -> bool:
    """Tell whether a table shows how scores move with the prompt, or contrasts two values of a factor."""
    return table.id.startswith("contrasts_") or (table.id == "drift_models" and "prompt_variant" in table.heads)


def _known_part(table: Table) -> Table:
    """Return the rows and columns of a table in which something is known, but for ranks that stand above."""
    rows = tuple(row for row in table.rows if any(cell.is_known for cell in row.cells))
    told = "ranks" if table.id == "leaderboard" else ""
    kept = [place for place, column in enumerate(table.columns) if column.id != told]
    return Table(table.id, table.heads, table.columns, rows).only_columns(kept).without_unknown_columns()


def _print_section(console: Console, section: ReportSection, words: ReportWords, *, full: bool) -> int:
    """Print a section; return how many columns of its tables the terminal is too narrow for."""
    from rich.text import Text

    left_out = 0
    for note in section.notes:
        sentence = broken_for(console.width, show_controls(words.sentence(note)))
        console.print(Text(sentence, style="yellow" if note.warning else ""))
    for table in section.tables:
        if table.id in _LEFT_OUT or not table.rows:
            continue
        rows = table.rows if full else table.rows[:_BRIEF_ROWS]
        shorter = Table(table.id, table.heads, table.columns, rows)
        if table.id in _TWO_SIDES:
            print_sides(console, shorter, words)
        else:
            printed = print_table(console, shorter, words, full=full)
            print_notes(console, printed, words)
            left_out += len(shorter.columns) - len(printed.columns)
        if len(rows) < len(table.rows):
            console.print(Text(words("terminal.rows", rows=len(table.rows) - len(rows)), style="dim"))
    return left_out
