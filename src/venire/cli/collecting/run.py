"""`venire run`: collect, judge and report in one command, which resumes at any point."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import asked_language, language, report_words
from venire.cli.arguments.settings import config_argument, load, print_problems, renormalise_option
from venire.cli.collecting.collect import print_collected, run_targets
from venire.cli.judge import print_judged, run_judges
from venire.cli.terminal.files import put_file
from venire.cli.terminal.printing import echo, open_console
from venire.cli.terminal.running import on_engine, open_log
from venire.event_loop import run_async

if TYPE_CHECKING:
    from venire.config import Settings
    from venire.errors import InputError
    from venire.runner.budget import Spending

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command(cls=HelpedCommand)
@config_argument
@renormalise_option
@click.option("--html", type=_FILE)
@click.option("--json", "json_file", type=_FILE)
@click.option("--events", type=click.Path(path_type=Path))
@click.option("--quiet", is_flag=True)
@click.option("--engine", type=click.Choice(["local", "ray"]))
@click.option("--address", metavar="HOST:PORT")
@click.option("--insecure-http", is_flag=True)
def run(
    config: Path,
    renormalise: bool,
    html: Path | None,
    json_file: Path | None,
    events: Path | None,
    quiet: bool,
    engine: Literal["local", "ray"] | None,
    address: str | None,
    insecure_http: bool,
) -> int:
    """Collect outputs, judge them and report, in one command."""
    from venire.workflows.collecting.spec import need_collecting

    settings = on_engine(load(config, renormalise=renormalise, insecure_http=insecure_http), engine, address)
    need_collecting(settings)
    words = report_words()
    problems: list[InputError] = []
    with ExitStack() as stack:
        log = stack.enter_context(open_log(events)) if events else None
        try:
            collected = run_async(run_targets(settings, words, log, problems, quiet=quiet))
            code = print_collected(settings, collected, words, [])
            if code == 3:
                return 3
            settings = _with_rest_of_budget(settings, collected.spent)
            judged = run_async(run_judges(settings, words, log, problems, quiet=quiet))
        except asyncio.CancelledError:
            echo(words("judge.stopped_at_once"), err=True)
            return 3
        finally:
            print_problems(problems)
    print_judged(settings, judged, words)
    if judged.stopped:
        echo(words("judge.stopped", reason=words.of(judged.stopped)), err=True)
        return 3
    _report(settings, html, json_file)
    invalid = sum(counts.invalid for counts in judged.counts.values())
    return 1 if code or problems or judged.failed or invalid else 0


def _with_rest_of_budget(settings: Settings, spent: Spending) -> Settings:
    """Leave the judges what the targets have not spent of the budget, which is for the whole command."""
    from msgspec.structs import replace

    given = settings.config.runner.budget
    rest = {
        name: None if (most := getattr(given, name)) is None else max(0, most - getattr(spent, name))
        for name in ("money", "tokens", "calls")
    }
    runner = replace(settings.config.runner, budget=replace(given, **rest))
    return replace(settings, config=replace(settings.config, runner=runner))


def _report(settings: Settings, html: Path | None, json_file: Path | None) -> None:
    """Report on what was judged by the protocol of the configuration: on the terminal, or into files."""
    from venire.reports.formats.table_files import encode_report
    from venire.reports.page.html_page import html_page
    from venire.reports.report import Choices
    from venire.reports.terminal.report import print_report
    from venire.workflows.outputs.in_report import analyse_with_outputs

    config = settings.config
    choices = Choices(count_recovered=config.count_recovered, protocol=settings.protocol.digest, rollup=config.rollup)
    made, outputs = analyse_with_outputs(settings.ledger, choices)
    for path, data in ((html, html_page(made, language(), outputs).encode() if html else b""),
                       (json_file, encode_report(made, asked_language()) if json_file else b"")):  # fmt: skip
        if path is not None:
            put_file(path, data)
            echo(str(path))
    if html is None and json_file is None:
        print_report(open_console(), made, language())
