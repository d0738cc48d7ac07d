"""What anchors say about a judge, at a terminal: a line, who moved the scores, and a table of dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.cli.terminal.printing import print_line
from venire.reports.sections.judges.canaries import state_of
from venire.reports.words import e_text

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from venire.reports.words import ReportWords
    from venire.stats.result import Estimate
    from venire.workflows.instruments.findings import CanaryFinding


def print_finding(console: Console, found: CanaryFinding, words: ReportWords) -> None:
    """Print what is known of one judge."""
    for line in (_line(found, words), _blame(found, words)):
        if line:
            print_line(console, line)
    console.print(_table(found, words))
    console.print()


def _line(found: CanaryFinding, words: ReportWords) -> str:
    evidence, state = found.evidence, state_of(found.evidence)
    if state != "changed" or found.change is None:
        return words(f"canaries.line.{state}", judge=evidence.judge, runs=found.runs, e=e_text(evidence.peak))
    change = found.change
    return words(
        "canaries.line.changed_between",
        judge=evidence.judge,
        before=change.before,
        after=change.after,
        e=e_text(evidence.peak),
        share=f"{change.share:.0%}",
        shift=_shift(change.shift, words),
    )


def _shift(shift: float | None, words: ReportWords) -> str:
    if shift is None or abs(shift) < 0.05:
        return ""
    return words("canaries.harsher" if shift < 0 else "canaries.milder", by=f"{abs(shift):.1f}")


def _blame(found: CanaryFinding, words: ReportWords) -> str:
    """Say who moved the scores of fresh outputs; nothing where there is only one run to look at."""
    split = found.attribution
    if split is None or split.observed.value is None:
        return ""
    parts = {name: _part(getattr(split, name), words) for name in ("observed", "judge", "system")}
    return words(f"canaries.blame.{found.blamed}", since=found.since, **parts)


def _part(part: Estimate, words: ReportWords) -> str:
    return words("unknown") if part.value is None else f"{part.value:+.2f}".replace("-", "−")


def _table(found: CanaryFinding, words: ReportWords) -> Table:
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column(words("canaries.dimension"), overflow="fold")
    for name in ("pairs", "noise", "later", "contradict", "e"):
        table.add_column(words(f"canaries.{name}"), justify="right", no_wrap=True)
    for each in found.evidence.streams:
        name = each.dimension or words("canaries.overall")
        table.add_row(
            Text(words("canaries.distance", dimension=name) if each.watched == "distance" else name),
            str(each.pairs),
            f"{each.parted / each.pairs:.0%}" if each.pairs else words("unknown"),
            str(each.observations),
            str(each.contradictions),
            e_text(each.e_value),
        )
    return table
