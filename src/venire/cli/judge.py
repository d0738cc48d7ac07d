"""`venire judge`: put samples before a panel, and go on where an earlier run has stopped."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TextIO

import click

from venire.cli.arguments.command import HelpedCommand
from venire.cli.arguments.language import report_words
from venire.cli.arguments.settings import (
    config_argument,
    id_from_row_option,
    load,
    once,
    print_problems,
    renormalise_option,
)
from venire.cli.terminal.jury_lines import print_jury
from venire.cli.terminal.printing import echo, open_console, print_line
from venire.cli.terminal.progress import progress_display
from venire.cli.terminal.running import failure_lines, on_engine, open_log, rule_example, run_shown
from venire.errors import UsageError
from venire.event_loop import run_async

if TYPE_CHECKING:
    from collections.abc import Iterator

    from venire.config import Settings
    from venire.errors import InputError
    from venire.reports.recorded.jury_read import JuryRead
    from venire.reports.words import ReportWords
    from venire.runner.run import RunResult
    from venire.workflows.comparison.until_decided import LastLook, Sides


@click.command(cls=HelpedCommand)
@config_argument
@renormalise_option
@id_from_row_option
@click.option("--events", type=click.Path(path_type=Path))
@click.option("--archive", type=click.Path(path_type=Path))
@click.option("--keep-going", is_flag=True)
@click.option("--quiet", is_flag=True)
@click.option("--engine", type=click.Choice(["local", "ray"]))
@click.option("--address", metavar="HOST:PORT")
@click.option("--insecure-http", is_flag=True)
@click.option("--until", type=click.Choice(["decided"]))
@click.option("--models", nargs=2, metavar="A B")
@click.option("--variants", nargs=2, metavar="A B")
def judge(
    config: Path,
    renormalise: bool,
    id_from_row: bool,
    events: Path | None,
    archive: Path | None,
    keep_going: bool,
    quiet: bool,
    engine: Literal["local", "ray"] | None,
    address: str | None,
    insecure_http: bool,
    until: str | None,
    models: tuple[str, str] | None,
    variants: tuple[str, str] | None,
) -> int:
    """Put samples before a panel of judges."""
    if (models or variants) and (not until or (models and variants)):
        raise UsageError("error.until.option")
    loaded = load(config, renormalise=renormalise, insecure_http=insecure_http, id_from_row=id_from_row)
    settings = on_engine(loaded, engine, address)
    if keep_going:
        settings = _keeping_on(settings)
    words = report_words()
    problems: list[InputError] = []
    sides = _sides(settings, models, variants) if until else None
    last: LastLook | None = None
    try:
        with ExitStack() as stack:
            log = stack.enter_context(open_log(events)) if events else None
            if sides is None:
                result = run_async(run_judges(settings, words, log, problems, quiet=quiet))
            else:
                result, last = run_async(_run_until(settings, sides, words, log, problems, quiet=quiet))
    except asyncio.CancelledError:
        echo(words("judge.stopped_at_once"), err=True)
        return 3
    finally:
        print_problems(problems)
    print_judged(settings, result, words)
    if last is not None:
        _print_last_look(last, words)
    if archive and not result.stopped:
        _write_archive(settings, archive, words)
    if result.stopped:
        echo(words("judge.stopped", reason=words.of(result.stopped)), err=True)
        return 3
    invalid = sum(counts.invalid for counts in result.counts.values())
    is_open = last is not None and not last.look.decided
    return 1 if problems or result.failed or invalid or is_open else 0


def _sides(settings: Settings, models: tuple[str, str] | None, variants: tuple[str, str] | None) -> Sides:
    from venire.workflows.comparison.until_decided import choose_sides

    return choose_sides(settings, models, variants)


async def _run_until(
    settings: Settings, sides: Sides, words: ReportWords, log: TextIO | None, problems: list[InputError], *, quiet: bool
) -> tuple[RunResult, LastLook]:
    """Judge question after question until the comparison is decided, and show how far it is."""
    from venire.workflows.comparison.until_decided import judge_until_decided

    names = [judge.name for judge in settings.judges]
    with progress_display(names, words, quiet=quiet, in_rounds=True) as display:
        return await run_shown(
            partial(judge_until_decided, settings, sides, on_problem=once(problems)), settings, display, words, log,
            quiet=quiet,
        )  # fmt: skip


def _print_last_look(last: LastLook, words: ReportWords) -> None:
    """Say whether the comparison is decided, and how many of its questions that took."""
    from venire.cli.terminal.comparison_tables import look_text

    console, sides = open_console(), last.sides
    counted = last.look.difference.n.get("clusters", 0)
    line = words("judge.until", first=sides.first, second=sides.second, counted=counted, questions=last.questions)
    print_line(console, line)
    print_line(console, look_text(last.look))


async def run_judges(
    settings: Settings, words: ReportWords, log: TextIO | None, problems: list[InputError], *, quiet: bool
) -> RunResult:
    """Put the samples before the panel, and show how far it is."""
    from venire.workflows.judge import judge as judge_samples

    names = [judge.name for judge in settings.judges]
    in_rounds = settings.config.jury is not None or settings.pairs.is_active
    with progress_display(names, words, quiet=quiet, in_rounds=in_rounds) as display:
        return await run_shown(
            partial(judge_samples, settings, on_problem=once(problems)), settings, display, words, log, quiet=quiet
        )


def _keeping_on(settings: Settings) -> Settings:
    from msgspec.structs import replace

    runner = replace(settings.config.runner, pause_invalid=False)
    return replace(settings, config=replace(settings.config, runner=runner))


def print_judged(settings: Settings, result: RunResult, words: ReportWords) -> None:
    """Print what became of the run of a panel."""
    from venire.cli.terminal.tables import column_table
    from venire.workflows.ledgers import shown_location

    counts = [result.counts[each.name] for each in settings.judges]
    jury = _read_jury(settings)
    selected = jury.selected if jury else ()
    table = column_table(
        words("judge.title", protocol=settings.protocol.id),
        [each.name for each in settings.judges],
        {
            "judged": [each.done for each in counts],
            "valid": [each.valid for each in counts],
            "invalid": [each.invalid for each in counts],
            "recovered": [each.recovered for each in counts],
            "failed": [each.failed for each in counts],
            "primary": [0 if each.name in selected else result.counts[each.name].primary for each in settings.judges],
            "retests": [each.retests for each in counts],
            **({"canaries": [each.canaries for each in counts]} if settings.config.canaries else {}),
            "self": [each.self_judged for each in counts],
            "calls": [each.calls for each in counts],
            "cost": [each.shown_cost for each in counts],
        },
        words,
    )
    console = open_console()
    console.print(table)
    for each in settings.judges:
        for line in failure_lines(each.name, result.counts[each.name], words):
            print_line(console, line)
    for line in _broken_rules(settings, result, words):
        print_line(console, line)
    for line in (*_remarks(result, words), *_without_samples(settings, words)):
        print_line(console, line)
    if jury is not None:
        print_jury(console, jury, words)
    print_line(console, words("judge.ledger", location=shown_location(settings.ledger)))


def _read_jury(settings: Settings) -> JuryRead | None:
    """Return what the jury of a configuration came to; None without one, or where its ledger is gone."""
    path = settings.ledger_path
    is_there = settings.ledger != "memory:" and (path is None or path.exists())
    if settings.config.jury is None or not is_there:
        return None
    from venire.workflows.evidence.adaptive_jury import last_jury  # It imports NumPy.
    from venire.workflows.ledgers import opened_ledger

    with opened_ledger(settings.ledger, read_only=True) as ledger:
        return last_jury(ledger)


def _broken_rules(settings: Settings, result: RunResult, words: ReportWords) -> Iterator[str]:
    """Say for each judge which rules its invalid replies broke, most often first, and how to see them."""
    for each in settings.judges:
        broken = result.counts[each.name].broken
        for name, most in sorted(broken.items(), key=lambda item: -item[1].replies):
            example = rule_example(name, most, words)
            line = words("judge.broken", judge=each.name, times=most.replies, sample=most.sample, example=example)
            yield line
    if any(counts.broken for counts in result.counts.values()):
        from venire.workflows.ledgers import shown_location

        yield words("judge.show_invalid", location=shown_location(settings.ledger))


def _remarks(result: RunResult, words: ReportWords) -> Iterator[str]:
    counts = result.counts.values()
    if was_done := sum(each.was_done for each in counts):
        yield words("judge.was_done", count=was_done)
    if self_judged := sum(each.self_judged for each in counts):
        yield words("judge.self_judged", count=self_judged)
    if leaks := sum(each.leaks for each in counts):
        yield words("judge.leaks", count=leaks)
    for judge_name, each in result.counts.items():
        if each.misstated:
            yield words("judge.misstated", judge=judge_name, count=each.misstated, judged=each.valid + each.recovered)


def _without_samples(settings: Settings, words: ReportWords) -> Iterator[str]:
    from venire.workflows.plan import without_samples

    if missing := without_samples(settings):
        from venire.reports.sections.summary import missing_note  # It imports NumPy.

        yield words.sentence(missing_note(missing))


def _write_archive(settings: Settings, folder: Path, words: ReportWords) -> None:
    from venire.workflows.export import export_archive
    from venire.workflows.ledgers import opened_ledger

    with opened_ledger(settings.ledger, read_only=True) as ledger:
        count = export_archive(ledger, folder, protocol=settings.protocol.digest)
    echo(words("judge.archive", folder=str(folder), count=count))
