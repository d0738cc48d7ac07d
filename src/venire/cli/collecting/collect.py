"""`venire collect`: ask targets for outputs, and go on where an earlier run has stopped."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import report_words
from venire.cli.arguments.settings import config_argument, load, once, print_problems
from venire.cli.terminal.printing import echo, open_console, print_line
from venire.cli.terminal.progress import TargetTally, progress_display
from venire.cli.terminal.running import failure_lines, on_engine, open_log, run_shown
from venire.event_loop import run_async

if TYPE_CHECKING:
    from venire.config import Settings
    from venire.errors import InputError
    from venire.reports.words import ReportWords
    from venire.runner.collecting.run import CollectResult


@click.command(cls=HelpedCommand)
@config_argument
@click.option("--events", type=click.Path(path_type=Path))
@click.option("--quiet", is_flag=True)
@click.option("--engine", type=click.Choice(["local", "ray"]))
@click.option("--address", metavar="HOST:PORT")
@click.option("--insecure-http", is_flag=True)
def collect(
    config: Path,
    events: Path | None,
    quiet: bool,
    engine: Literal["local", "ray"] | None,
    address: str | None,
    insecure_http: bool,
) -> int:
    """Collect outputs from targets."""
    settings = on_engine(load(config, insecure_http=insecure_http, need_judges=False), engine, address)
    words = report_words()
    problems: list[InputError] = []
    try:
        with ExitStack() as stack:
            log = stack.enter_context(open_log(events)) if events else None
            result = run_async(run_targets(settings, words, log, problems, quiet=quiet))
    except asyncio.CancelledError:
        echo(words("judge.stopped_at_once"), err=True)
        return 3
    finally:
        print_problems(problems)
    return print_collected(settings, result, words, problems)


async def run_targets(
    settings: Settings, words: ReportWords, log: TextIO | None, problems: list[InputError], *, quiet: bool
) -> CollectResult:
    """Ask the targets, and show how far they are; columns without a use are told of first."""
    from venire.workflows.collect import collect as collect_outputs
    from venire.workflows.collect import unused_columns

    if unused := unused_columns(settings):
        echo(words("collect.unused_columns", count=len(unused), columns=[repr(name) for name in unused]), err=True)
    names = [target.name for target in settings.collecting.targets] if settings.collecting else []
    with progress_display(names, words, quiet=quiet, tally=TargetTally) as display:
        return await run_shown(
            partial(collect_outputs, settings, on_problem=once(problems)), settings, display, words, log, quiet=quiet
        )


def print_collected(settings: Settings, result: CollectResult, words: ReportWords, problems: list[InputError]) -> int:
    """Print what became of a collection, and return its exit code."""
    from venire.cli.terminal.tables import column_table
    from venire.workflows.ledgers import shown_location

    counts = list(result.counts.values())
    table = column_table(
        words("collect.title"),
        list(result.counts),
        {
            "collected": [each.done for each in counts],
            "complete": [each.complete for each in counts],
            "empty": [each.empty for each in counts],
            "refused": [each.refused for each in counts],
            "cut_off": [each.cut_off for each in counts],
            "failed": [each.failed for each in counts],
            "calls": [each.calls for each in counts],
            "cost": [each.shown_cost for each in counts],
        },
        words,
        rows="target",
    )
    console = open_console()
    console.print(table)
    for name, each in result.counts.items():
        for line in failure_lines(name, each, words):
            print_line(console, line)
    if was_done := sum(each.was_done for each in counts):
        print_line(console, words("collect.was_done", count=was_done))
    if empty := sum(each.empty for each in counts):
        print_line(console, words("collect.empty", count=empty))
    print_line(console, words("collect.ledger", location=shown_location(settings.ledger)))
    if result.stopped:
        echo(words("judge.stopped", reason=words.of(result.stopped)), err=True)
        return 3
    return 1 if problems or result.failed else 0
