"""`venire judge`: put samples before a panel, and go on where an earlier run has stopped."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import ExitStack
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
from venire.cli.terminal.printing import echo, open_console
from venire.errors import UsageError
from venire.words.said import as_text, say

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from venire.config import Settings
    from venire.errors import InputError
    from venire.reports.words import ReportWords
    from venire.runner.events import Event, RuleCount
    from venire.runner.run import RunResult
    from venire.runner.stop import StopSignal


_ENDING = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
"""The signals that end a run; the last one comes when a terminal is closed, and Windows has none."""


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
) -> int:
    """Put samples before a panel of judges."""
    loaded = load(config, renormalise=renormalise, insecure_http=insecure_http, id_from_row=id_from_row)
    settings = _on_engine(loaded, engine, address)
    if keep_going:
        settings = _keeping_on(settings)
    words = report_words()
    problems: list[InputError] = []
    try:
        with ExitStack() as stack:
            log = stack.enter_context(_open_log(events)) if events else None
            result = asyncio.run(_run(settings, words, log, problems, quiet=quiet))
    except asyncio.CancelledError:
        echo(words("judge.stopped_at_once"), err=True)
        return 3
    finally:
        print_problems(problems)
    _print_result(settings, result, words)
    if archive and not result.stopped:
        _write_archive(settings, archive, words)
    if result.stopped:
        echo(words("judge.stopped", reason=words.of(result.stopped)), err=True)
        return 3
    invalid = sum(counts.invalid for counts in result.counts.values())
    return 1 if problems or result.failed or invalid else 0


def _on_engine(settings: Settings, engine: Literal["local", "ray"] | None, address: str | None) -> Settings:
    from msgspec.structs import replace

    if engine == "local" and address:
        raise UsageError("error.cli.address_local")
    config = settings.config
    if address:
        config = replace(config, engine="ray", ray=replace(config.ray, address=address))
    elif engine:
        config = replace(config, engine=engine)
    return replace(settings, config=config)


def _keeping_on(settings: Settings) -> Settings:
    from msgspec.structs import replace

    runner = replace(settings.config.runner, pause_invalid=False)
    return replace(settings, config=replace(settings.config, runner=runner))


def _open_log(path: Path) -> TextIO:
    try:
        return path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise UsageError("error.cli.events_not_written", where=str(path), reason=error.strerror) from None


async def _run(
    settings: Settings, words: ReportWords, log: TextIO | None, problems: list[InputError], *, quiet: bool
) -> RunResult:
    import msgspec

    from venire.cli.terminal.progress import progress_display
    from venire.runner.stop import StopSignal
    from venire.workflows.judge import judge as judge_samples

    if settings.config.engine == "ray" and not quiet:
        address = settings.config.ray.address
        echo(words("judge.joining", address=address) if address else words("judge.starting"), err=True)
    stop = StopSignal()
    started, trouble = time.monotonic(), _Trouble()
    with progress_display(settings, words, quiet=quiet) as display:

        def tell(event: Event) -> None:
            nonlocal started
            if event.event == "run_opened":
                started = time.monotonic()  # Starting an engine is not part of the rate.
            if log is not None:
                log.write(msgspec.json.encode(event, enc_hook=as_text).decode() + "\n")
            display.update(event, time.monotonic() - started)
            if event.event == "paused":
                echo(_paused_text(event, words), err=True)
            elif not quiet and (line := trouble.line(event, words)):
                echo(line, err=True)

        stop_on_signals(stop, tell, words)
        return await judge_samples(settings, stop=stop, on_event=tell, on_problem=once(problems))


class _Trouble:
    """Says what goes wrong while a run is under way: each cause once for a judge."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()

    def line(self, event: Event, words: ReportWords) -> str:
        """Return what there is to say of an event; empty if it is nothing new."""
        if event.event == "asking_again":
            return words("judge.asking_again", judge=event.judge, count=event.details["tasks"])
        if event.event not in ("failed", "postponed") or (event.judge, event.cause) in self._told:
            return ""
        self._told.add((event.judge, event.cause))
        return words("judge.trouble", judge=event.judge, sample=event.sample, reason=words.of(event.reason))


def stop_on_signals(stop: StopSignal, tell: Callable[[Event], None], words: ReportWords) -> None:
    """Finish what is under way on the first signal, and cancel the run on the second."""
    from venire.runner.events import Event

    task, loop = asyncio.current_task(), asyncio.get_running_loop()

    def interrupt() -> None:
        for number in _ENDING:
            loop.add_signal_handler(number, task.cancel if task else stop.check)
        stop.request(say("stop.interrupted"))
        tell(Event("stopping", reason=say("stop.interrupted")))
        echo(f"\n{words('judge.finishing')}", err=True)

    for number in _ENDING:
        loop.add_signal_handler(number, interrupt)


def _print_result(settings: Settings, result: RunResult, words: ReportWords) -> None:

    from venire.cli.terminal.tables import column_table
    from venire.workflows.ledgers import shown_location

    counts = [result.counts[each.name] for each in settings.judges]
    table = column_table(
        words("judge.title", protocol=settings.protocol.id),
        [each.name for each in settings.judges],
        {
            "judged": [each.done for each in counts],
            "valid": [each.valid for each in counts],
            "invalid": [each.invalid for each in counts],
            "recovered": [each.recovered for each in counts],
            "failed": [each.failed for each in counts],
            "primary": [each.primary for each in counts],
            "retests": [each.retests for each in counts],
            "self": [each.self_judged for each in counts],
            "calls": [each.calls for each in counts],
            "cost": [each.shown_cost for each in counts],
        },
        words,
    )
    console = open_console(highlight=False)
    console.print(table)
    for each in settings.judges:
        for failure in result.counts[each.name].failures.values():
            line = words("judge.failures", judge=each.name, times=failure.tasks, reason=words.of(failure.reason))
            console.print(line, soft_wrap=True, markup=False)
    for line in _broken_rules(settings, result, words):
        console.print(line, soft_wrap=True, markup=False)
    for line in (*_remarks(result, words), *_without_samples(settings, words)):
        console.print(line, soft_wrap=True, markup=False)
    console.print(words("judge.ledger", location=shown_location(settings.ledger)), soft_wrap=True, markup=False)


def _paused_text(event: Event, words: ReportWords) -> str:
    broken: dict[str, RuleCount] = event.details["broken"]
    if not broken:
        return words("judge.paused_for_now", judge=event.judge, reason=words.of(event.reason))
    name, most = max(broken.items(), key=lambda item: item[1].replies)
    reason, example = words.of(event.reason), _example(name, most, words)
    return words("judge.paused", judge=event.judge, reason=reason, example=example, sample=most.sample)


def _broken_rules(settings: Settings, result: RunResult, words: ReportWords) -> Iterator[str]:
    """Say for each judge which rules its invalid replies broke, most often first, and how to see them."""
    for each in settings.judges:
        broken = result.counts[each.name].broken
        for name, most in sorted(broken.items(), key=lambda item: -item[1].replies):
            example = _example(name, most, words)
            line = words("judge.broken", judge=each.name, times=most.replies, sample=most.sample, example=example)
            yield line
    if any(counts.broken for counts in result.counts.values()):
        from venire.workflows.ledgers import shown_location

        yield words("judge.show_invalid", location=shown_location(settings.ledger))


def _example(rule: str, most: RuleCount, words: ReportWords) -> str:
    from venire.domain.flag import Finding
    from venire.reports.terminal.check_table import finding_line

    return finding_line(Finding(rule, most.pointer, most.expected, most.found), words)


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
    from venire.reports.sections.summary import missing_note
    from venire.workflows.plan import without_samples

    if missing := without_samples(settings):
        yield words.sentence(missing_note(missing))


def _write_archive(settings: Settings, folder: Path, words: ReportWords) -> None:
    from venire.workflows.export import export_archive
    from venire.workflows.ledgers import opened_ledger

    with opened_ledger(settings.ledger, read_only=True) as ledger:
        count = export_archive(ledger, folder, protocol=settings.protocol.digest)
    echo(words("judge.archive", folder=str(folder), count=count))
