"""`venire voir-dire`: examine each judge of a configuration with a battery of probes, and say who qualifies."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import report_words
from venire.cli.arguments.settings import load, once, print_problems, renormalise_option
from venire.cli.terminal.printing import echo, open_console, print_line
from venire.cli.terminal.running import stop_on_signals
from venire.event_loop import run_async

if TYPE_CHECKING:
    from venire.config import Settings
    from venire.errors import InputError
    from venire.reports.words import ReportWords
    from venire.runner.events import Event
    from venire.workflows.instruments.voir_dire import VoirDireResult


@click.command("voir-dire", cls=HelpedCommand)
@click.argument("source", type=click.Path(path_type=Path), default=Path("venire.yaml"), metavar="[CONFIG|TABLE]")
@renormalise_option
@click.option("--quiet", is_flag=True)
@click.option("--wrong", type=float, default=0.3, show_default=True)
@click.option("--flipped", type=float, default=0.2, show_default=True)
def voir_dire(source: Path, renormalise: bool, quiet: bool, wrong: float, flipped: float) -> int:
    """Examine each judge with a battery of probes, or by what records say of it."""
    from venire.inputs.tables.rows import TABLE_ENDINGS

    if source.suffix.lower() in TABLE_ENDINGS:
        return _examine_records(source, wrong, flipped)
    return _examine_panel(source, renormalise=renormalise, quiet=quiet)


def _examine_records(table: Path, wrong: float, flipped: float) -> int:
    from venire.cli.terminal.voir_dire_tables import print_records
    from venire.workflows.instruments.from_records import RecordLimits, check_limits, examine_records

    limits = RecordLimits(wrong, flipped)
    check_limits(limits)
    found = examine_records(table, limits)
    console, words = open_console(highlight=False), report_words()
    for each in found:
        print_records(console, each, words)
    print_line(console, words("voir_dire.from_records"))
    return 0 if all(each.outcome == "qualified" for each in found) else 1


def _examine_panel(config: Path, *, renormalise: bool, quiet: bool) -> int:
    settings, words = load(config, renormalise=renormalise), report_words()
    problems: list[InputError] = []
    try:
        result = run_async(_run(settings, words, problems, quiet=quiet))
    except asyncio.CancelledError:
        echo(words("judge.stopped_at_once"), err=True)
        return 3
    finally:
        print_problems(problems)
    if result.stopped:
        echo(words("judge.stopped", reason=words.of(result.stopped)), err=True)
        return 3
    _print_result(settings, result, words)
    return 0 if all(each.outcome == "qualified" for each in result.qualifications) else 1


async def _run(settings: Settings, words: ReportWords, problems: list[InputError], *, quiet: bool) -> VoirDireResult:
    from venire.cli.terminal.progress import progress_display
    from venire.runner.stop import StopSignal
    from venire.workflows.instruments.voir_dire import voir_dire as examine_judges

    stop, started = StopSignal(), time.monotonic()
    judges = [judge.name for judge in settings.judges]
    with progress_display(judges, words, quiet=quiet, in_rounds=True) as display:

        def tell(event: Event) -> None:
            display.update(event, time.monotonic() - started)

        stop_on_signals(stop, tell, words)
        return await examine_judges(settings, stop=stop, on_event=tell, on_problem=once(problems))


def _print_result(settings: Settings, result: VoirDireResult, words: ReportWords) -> None:
    from venire.cli.terminal.voir_dire_tables import print_qualification
    from venire.workflows.ledgers import shown_location

    console = open_console()
    for each in result.qualifications:
        print_qualification(console, each, words)
    lines = [
        words("voir_dire.outputs", own=result.own, bundled=result.bundled),
        words("judge.ledger", location=shown_location(settings.ledger)),
    ]
    for line in lines:
        print_line(console, line)
