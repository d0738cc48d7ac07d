"""The report for a person at a terminal: sentences, tables, and small bars where a number has a scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from venire.domain.hidden import show_controls
from venire.reports.cells import NOTHING
from venire.reports.report import Report, ReportCell, ReportSection, Row, Table
from venire.reports.sections.overview import ranking_column
from venire.reports.terminal.line_breaks import broken_for
from venire.reports.words import ReportWords

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text

_BAR = 10
_ANY_WIDTH = 10_000
_SHADES = " ▏▎▍▌▋▊▉█"
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

_GRIDS = frozenset({"drift_models", "pairs"})
"""Tables of each with each, of which the short form shows the numbers alone."""

_BRIEF_VERDICTS = frozenset({
    "verdict_shares_target_model", "verdict_shares_rater", "verdicts", "verdict_pairs", "position", "competence",
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
    "comparisons.many", "comparisons.none", "off_scale.many", "drift.not_contrasted", "pairwise.one_scored",
})  # fmt: skip
"""Sentences that say something of the data, not how to read a table; warnings are always shown."""

_TOLD_ABOVE = frozenset({
    "summary.complete", "summary.detectable", "summary.detectable_by_output", "summary.alpha", "limits.no_people",
})  # fmt: skip
"""Sentences of the summary that say once more what the overview says."""

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
    missing, has_overview = 0, report.section("overview") is not None
    for section in report.sections:
        shown = section if full else _brief(section, has_overview=has_overview)
        missing += (
            0 if section.id == "overview" else sum(len(table.rows) > 0 for table in section.tables) - len(shown.tables)
        )
        if section.id == "overview":
            _print_overview(console, report, section, words, full=full)
        elif shown.notes or shown.tables:
            console.print(Rule(words(f"section.{section.id}"), align="left", style="dim"))
            _print_section(console, shown, words, full=full)
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
    for note in notes:
        console.print(Text(broken_for(console.width, show_controls(words.sentence(note))), style="dim"))
    trust = section.table("trust")
    if trust is not None:
        console.print(_lights(trust, words))
    disputed = section.table("disputed")
    if full and disputed is not None:
        _print_table(console, disputed, words, full=True)


def _ranked(board: Table, words: ReportWords) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable.grid(padding=(0, 1))
    column = ranking_column(board)
    ranks = [cell.text for cell in board.column("ranks")] if len(board.rows) > 1 else []
    for place, (row, score) in enumerate(zip(board.rows[:_BRIEF_ROWS], board.column(column), strict=False)):
        drawn = "" if score.value is None or column != "score" else bar(score.value / 10, 20)
        name, number = show_controls(row.names[0] or "–"), words.with_interval(score)
        rank = [Text(ranks[place], style="dim")] if any(ranks) else []
        shown.add_row(*rank, Text(name), Text(drawn, style="cyan"), Text(number))
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


def bar(share: float, width: int = _BAR) -> str:
    """Draw a share of 0 to 1 as a bar of eighths.

    >>> bar(0.5, 4)
    '██  '
    """
    eighths = round(min(max(share, 0.0), 1.0) * width * 8)
    whole, part = divmod(eighths, 8)
    return (_SHADES[8] * whole + (_SHADES[part] if part else "")).ljust(width)


def _print_section(console: Console, section: ReportSection, words: ReportWords, *, full: bool) -> None:
    from rich.text import Text

    for note in section.notes:
        sentence = broken_for(console.width, show_controls(words.sentence(note)))
        console.print(Text(sentence, style="yellow" if note.warning else ""))
    for table in section.tables:
        if table.id in _LEFT_OUT or not table.rows:
            continue
        rows = table.rows if full else table.rows[:_BRIEF_ROWS]
        shorter = Table(table.id, table.heads, table.columns, rows)
        if table.id in _TWO_SIDES:
            _print_sides(console, shorter, words)
        else:
            _print_notes(console, _print_table(console, shorter, words, full=full), words)
        if len(rows) < len(table.rows):
            console.print(Text(words("terminal.rows", rows=len(table.rows) - len(rows)), style="dim"))


def _print_notes(console: Console, table: Table, words: ReportWords) -> None:
    """Say below a table what to keep in mind about its intervals, such as which are rough, each thing once."""
    from rich.text import Text

    for note in dict.fromkeys(cell.note for row in table.rows for cell in row.cells if cell.note):
        columns = dict.fromkeys(
            words.column(column)
            for row in table.rows
            for column, cell in zip(table.columns, row.cells, strict=True)
            if cell.note == note
        )
        said = words("terminal.note", columns=words("list").join(columns), note=words.of(note))
        console.print(Text(broken_for(console.width, show_controls(said)), style="dim"))


def _print_table(console: Console, table: Table, words: ReportWords, *, full: bool) -> Table:
    """Print a table in the widest form that fits, or row by row if none does; return what of it was printed."""
    if not full and table.id in _GRIDS:
        tries = _grid_tries(table, words)
    else:
        tries = _full_tries(table, words) if full else _brief_tries(table, words)
    fitting = next((made for made in tries if _width(console, made[1]) <= console.width), None)
    if fitting is None:
        _print_stacked(console, table, words)
        return table
    console.print(fitting[1])
    return fitting[0]


def _full_tries(table: Table, words: ReportWords) -> Iterator[tuple[Table, RichTable]]:
    """Yield ever narrower forms of a table; in the last ones its counts are left out."""
    yield table, _table(table, words, on_one_line=True)
    for each in (table, _without_counts(table)):
        yield each, _table(each, words)
        yield each, _table(each, words, narrow=True)


def _brief_tries(table: Table, words: ReportWords) -> Iterator[tuple[Table, RichTable]]:
    """Yield ever narrower forms of a table, a row a line; the last columns, which say the least, go first."""
    fewer = (table.only_columns(range(count)) for count in range(len(table.columns) - 1, 0, -1))
    for each in (table, _without_counts(table)):
        yield each, _table(each, words, on_one_line=True)
        yield each, _table(each, words, narrow=True, on_one_line=True)
    for each in fewer:
        yield each, _table(each, words, narrow=True, on_one_line=True)


def _grid_tries(table: Table, words: ReportWords) -> Iterator[tuple[Table, RichTable]]:
    """Yield ever narrower forms of a table of each with each, by its numbers alone: those on a scale with a bar."""
    bare = [Row(row.names, tuple(_bare(cell) for cell in row.cells)) for row in table.rows]
    grid = Table(table.id, table.heads, table.columns, tuple(bare))
    for count in range(len(table.columns), 0, -1):
        each = grid.only_columns(range(count))
        yield each, _table(each, words, on_one_line=True)
        yield each, _table(each, words, narrow=True, on_one_line=True)


def _bare(cell: ReportCell) -> ReportCell:
    return replace(cell, low=None, high=None, note="", word=cell.word if cell.unit == "word" else "")


def _width(console: Console, shown: RichTable) -> int:
    return console.measure(shown, options=console.options.update(max_width=_ANY_WIDTH)).maximum


def _without_counts(table: Table) -> Table:
    """Leave out columns of counts, which a narrow terminal has no room for; the page and the files have them."""
    places = range(len(table.columns))
    kept = [place for place in places if any(row.cells[place].unit != "count" for row in table.rows)]
    return table.only_columns(kept or places)


def _table(table: Table, words: ReportWords, *, narrow: bool = False, on_one_line: bool = False) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    shown = RichTable(title=Text(words.table(table.id)), title_justify="left", box=None, pad_edge=False)
    for head in table.heads:
        shown.add_column(Text(_title(words.head(head), narrow=narrow)), no_wrap=True)
    for column in table.columns:
        shown.add_column(Text(_title(words.column(column), narrow=narrow)), justify="right", no_wrap=True)
    for row in table.rows:
        names = [
            Text(show_controls(words.row_name(head, name))) for head, name in zip(table.heads, row.names, strict=True)
        ]
        shown.add_row(*names, *(_cell(cell, table, words, " " if on_one_line else "\n") for cell in row.cells))
    return shown


def _title(title: str, *, narrow: bool) -> str:
    shown = show_controls(title)
    return shown.replace(" ", "\n") if narrow else shown


def _print_stacked(console: Console, table: Table, words: ReportWords) -> None:
    """Print a table that is wider than the terminal row by row, a cell on each line."""
    from rich.padding import Padding
    from rich.text import Text

    console.print(Text(words.table(table.id), style="italic"))
    for row in table.rows:
        named = zip(table.heads, row.names, strict=True)
        console.print(Text(" · ".join(show_controls(words.row_name(head, name)) for head, name in named), style="bold"))
        for column, cell in zip(table.columns, row.cells, strict=True):
            line = Text(words("stacked.name", name=show_controls(words.column(column))), style="dim")
            line.append(show_controls(words.value(cell)), style="not dim")
            if words.interval(cell):
                line.append(words("stacked.interval", interval=words.interval(cell)))
            if words.band(cell):
                line.append(words("stacked.band", band=words.band(cell)))
            console.print(Padding(line, (0, 0, 0, 2)))


def _print_sides(console: Console, table: Table, words: ReportWords) -> None:
    """Print claims row by row: what was found, and below it the two texts beside one another."""
    from rich.padding import Padding
    from rich.table import Table as RichTable
    from rich.text import Text

    console.print(Text(words.table(table.id), style="italic"))
    for row in table.rows:
        cells = {
            column.id: show_controls(words.value(each)) for column, each in zip(table.columns, row.cells, strict=True)
        }
        names = " · ".join(show_controls(name) for name in row.names)
        console.print(Text.assemble((cells["finding"], "bold"), f"  {names}"))
        sides = RichTable.grid(expand=True, padding=(0, 2))
        sides.add_column(ratio=1)
        sides.add_column(ratio=1)
        passage = Text.assemble((words("stacked.name", name=cells["document"]), "dim"), cells["passage"])
        has_passage = cells["passage"] != NOTHING
        sides.add_row(Text(cells["claim"]), passage if has_passage else Text(NOTHING, style="dim"))
        console.print(Padding(sides, (0, 0, 0, 2)))
        if cells.get("differs", NOTHING) != NOTHING:
            console.print(Padding(Text(cells["differs"], style="dim"), (0, 0, 0, 2)))


def _cell(cell: ReportCell, table: Table, words: ReportWords, between: str) -> Text:
    """Write a number, and beside or below it the word for its size, its interval and a bar."""
    from rich.text import Text

    if cell.unit != "word" and cell.value is None:
        return Text(words("unknown"), style="dim")
    text = Text(show_controls(words.value(cell)))
    interval = words.interval(cell)
    if interval and between == " ":
        interval = words("stacked.interval", interval=interval).strip()
    for further in (words.band(cell), interval):
        if further:
            text.append(f"{between}{further}", style="dim")
    if table.id == "leaderboard" and cell.id.endswith(".score") and cell.value is not None:
        text.append(f"{between}{bar(cell.value / 10)}", style="cyan")
    if table.id == "drift_models" and not interval and cell.value is not None and cell.scale:
        low, high = cell.scale
        text = Text.assemble((bar((cell.value - low) / (high - low), 4), "cyan"), " ", text)
    return text
