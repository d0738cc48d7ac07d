"""What an adaptive jury came to, at a terminal: who was asked, what follows, and what waits for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from venire.cli.terminal.printing import print_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console

    from venire.reports.recorded.jury_read import JuryMean, JuryRead
    from venire.reports.words import ReportWords


def print_jury(console: Console, read: JuryRead, words: ReportWords) -> None:
    """Print the sentences of the report on the jury, and its numbers."""
    from venire.reports.sections.judges.jury import jury_notes

    for line in (*map(words.sentence, jury_notes(read)), *_numbers(read, words)):
        print_line(console, line)


def _numbers(read: JuryRead, words: ReportWords) -> Iterator[str]:
    for mean in read.means:
        yield "  " + _mean(mean, words)
    for stage in read.stages:
        judges = words("comma").join(stage.judges)
        decided = sum(stage.decided.values())
        yield "  " + words("jury.stage_line", judges=judges, decided=decided, reached=stage.reached)


def _mean(mean: JuryMean, words: ReportWords) -> str:
    model = mean.model or "–"
    if mean.value is None or mean.half_width is None:
        return words("jury.mean_line_unknown", model=model)
    told = {"mean": f"{mean.value:.2f}", "half_width": f"{mean.half_width:.2f}"}
    return words("jury.mean_line", model=model, asked=mean.asked, whole=mean.whole, **told)
