"""`venire trace`: from a number of a report to the judgements, replies and quoted words behind it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import report_words
from venire.cli.terminal.printing import echo, open_console
from venire.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console
    from rich.text import Text

    from venire.domain.judgement import Evidence
    from venire.reports.report import Report, ReportCell
    from venire.reports.words import ReportWords
    from venire.workflows.trace import Trace, TracedJudgement


@click.command(cls=HelpedCommand)
@click.argument("report", type=click.Path(path_type=Path, exists=True, dir_okay=False), metavar="REPORT.json")
@click.argument("cell", required=False)
@click.option("--ledger")
@click.option("--limit", type=click.IntRange(min=0), default=3, show_default=True)
@click.option("--whole", is_flag=True)
def trace(report: Path, cell: str | None, ledger: str | None, limit: int, whole: bool) -> int:
    """Walk from a number to its judgements, to the replies, to the quoted words in the judged text."""
    from venire.reports.formats.table_files import decode_report
    from venire.workflows.trace import trace as walk

    made = decode_report(report.read_bytes(), str(report))
    words = report_words(made.names)
    if cell is None:
        for each in made.cells():
            echo(f"{each.id}\t{words.value(each)}")
        return 0
    found = walk(made, cell, ledger or _beside(report, made), limit=limit)
    console = open_console(soft_wrap=False)
    _print_cell(console, found, words)
    for judgement in found.judgements:
        _print_judgement(console, judgement, words, whole=whole)
    for request in found.requests:
        facts = words("list").join(f"{words(f'trace.named.{name}')} {value}" for name, value in request.facts.items())
        console.print(
            _line(f"{words('page.entry')} {request.entry.sequence} {request.entry.hash}", request.judge, facts)
        )
    return 0


def _beside(path: Path, report: Report) -> str:
    for folder in (path.parent, Path()):
        # The name is what the report says, so only its last part is used, and only to open a file for reading.
        candidate = folder / Path(report.origin.name).name
        if candidate.is_file():
            return str(candidate)
    raise UsageError("error.trace.no_source", name=report.origin.name)


def _print_cell(console: Console, found: Trace, words: ReportWords) -> None:
    from rich.text import Text

    from venire.domain.hidden import show_controls

    cell: ReportCell = found.cell
    facts = (
        ("trace.cell", cell.id),
        ("trace.value", words.value(cell)),
        ("trace.interval", words.interval(cell)),
        ("trace.reason", words.of(cell.reason)),
        ("trace.method", words.of(cell.method)),
        ("trace.rests_on", words.counts(cell.n)),
        ("trace.rows", words.rows(cell.rows)),
    )
    for key, value in facts:
        if value:
            console.print(Text.assemble((words("trace.fact", name=words(key)), "dim"), show_controls(value)))
    shown = len(found.judgements) + len(found.requests)
    count = words("trace.count", count=found.total, shown=shown) if found.total else words("trace.none")
    console.print(Text(count, style="bold"))


def _print_judgement(console: Console, found: TracedJudgement, words: ReportWords, *, whole: bool) -> None:
    from rich.rule import Rule
    from rich.text import Text

    from venire.domain.hidden import show_controls

    line = found.line
    scores = words("list").join(f"{words.name(name)} {score:g}" for name, score in line.scores.items())
    overall = words("unknown") if line.overall is None else f"{line.overall:g}"
    console.print(
        Rule(Text(show_controls(f"{line.output_id or line.unit} · {line.rater} · {line.repeat}")), align="left")
    )
    console.print(
        _line(overall, line.verdict or "", scores, words(f"check.status.{line.status}") if line.status else "")
    )
    for name, link in (("judgement", found.judgement), ("reply", found.reply), ("sample", found.sample)):
        if link is not None:
            kind = words(f"trace.kind.{name}")
            console.print(Text(words("trace.entry", sequence=link.sequence, kind=kind, hash=link.hash), style="dim"))
    if found.reply_text:
        console.print(Text(words("trace.fact", name=words("trace.reply")).rstrip(), style="dim"))
        console.print(Text(_cut(show_controls(found.reply_text), whole=whole)))
    if found.text:
        console.print(Text(words("trace.fact", name=words("trace.text")).rstrip(), style="dim"))
        console.print(_marked(found.text, found.evidence, "", whole=whole, brackets=not console.is_terminal))
    for material in found.materials:
        told = words("trace.material", kind=words(f"material.{material.kind.value}"), id=show_controls(material.id))
        console.print(Text(words("trace.fact", name=told).rstrip(), style="dim"))
        brackets = not console.is_terminal
        console.print(_marked(material.text, found.evidence, material.id, whole=whole, brackets=brackets))
    if found.claims:
        _print_claims(console, found, words)
        return
    for quote in found.evidence:
        console.print(_line(_where(quote, words.name(quote.dimension), words), quote.quote, quote.reason))


def _print_claims(console: Console, found: TracedJudgement, words: ReportWords) -> None:
    """Print each claim with its words in the output, and below them the passage that it was held against."""
    for claim in found.claims:
        said = found.evidence[claim.words]
        name = words(f"claim.{claim.finding.value}")
        console.print(_line(_where(said, name, words), said.quote, said.reason))
        if claim.passage is not None:
            passage = found.evidence[claim.passage]
            console.print(_line(f"  {_where(passage, words('column.passage'), words)}", passage.quote))


def _where(quote: Evidence, about: str, words: ReportWords) -> str:
    """Say where a quote stands, and what it is about."""
    state = "missing" if quote.start is None else "at"
    places = {"dimension": about, "start": quote.start, "end": quote.end}
    if quote.source:
        return words(f"trace.quote_{state}_in", **places, source=quote.source)
    return words(f"trace.quote_{state}", **places)


def _marked(text: str, evidence: Iterable[Evidence], source: str, *, whole: bool, brackets: bool) -> Text:
    """Return a text with the quotes marked that stand in it; `source` is the id of a material, or empty."""
    from rich.text import Text

    from venire.domain.hidden import show_controls
    from venire.reports.marked_text import marked_pieces

    here = [each for each in evidence if each.source == source]
    spans = [(each.start, each.end) for each in here if each.start is not None and each.end is not None]
    pieces = marked_pieces(text, spans, whole=whole)
    shown = Text()
    for each in pieces:
        words = show_controls(each.text)
        # Where styles are lost, such as in a file, brackets show what was quoted.
        shown.append(f"⟦{words}⟧" if each.marked and brackets else words, style="reverse" if each.marked else "")
    return shown


def _line(*parts: str) -> Text:
    from rich.text import Text

    from venire.domain.hidden import show_controls

    return Text(" · ".join(show_controls(part) for part in parts if part))


def _cut(text: str, *, whole: bool) -> str:
    return text if whole or len(text) <= 600 else f"{text[:600]} …"
