"""`venire judge`: put samples before a panel, and go on where an earlier run has stopped."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from venire.cli.settings import config_argument, load, renormalise_option

if TYPE_CHECKING:
    from venire.config import Settings
    from venire.errors import InputError
    from venire.runner.executor import StopSignal
    from venire.runner.run import RunResult


@click.command()
@config_argument
@renormalise_option
@click.option("--events", type=click.Path(path_type=Path), help="Write every event to a JSON Lines file.")
@click.option("--archive", type=click.Path(path_type=Path), help="Write an archive of all evaluations when done.")
@click.option("--quiet", is_flag=True, help="Show no progress, only the result.")
def judge(config: Path, renormalise: bool, events: Path | None, archive: Path | None, quiet: bool) -> int:
    """Put samples before a panel of judges.

    Every reply is in the ledger before it is read. Run the same command again after any interruption: what is done is
    not asked again. Ctrl-C finishes what is under way; twice stops at once.

    Exit code 0: all judged. 1: some tasks failed or some judgements are invalid. 2: wrong usage. 3: interrupted, or
    the budget is reached.
    """
    settings = load(config, renormalise=renormalise)
    problems: list[InputError] = []
    with ExitStack() as stack:
        log = stack.enter_context(events.open("a", encoding="utf-8")) if events else None
        result = asyncio.run(_run(settings, log, problems, quiet=quiet))
    for problem in problems[:20]:
        click.echo(f"{click.style('warning:', fg='yellow')} {problem}", err=True)
    if len(problems) > 20:
        click.echo(f"and {len(problems) - 20} more problems", err=True)
    _print_result(settings, result)
    if archive and not result.stopped:
        _write_archive(settings, archive)
    if result.stopped:
        click.echo(f"stopped: {result.stopped}. Run the same command again to go on.", err=True)
        return 3
    return 1 if result.failed or any(counts.invalid for counts in result.counts.values()) else 0


async def _run(settings: Settings, log: TextIO | None, problems: list[InputError], *, quiet: bool) -> RunResult:
    from venire.cli.progress import progress_display
    from venire.runner.executor import StopSignal
    from venire.workflows.judge import judge as judge_samples

    stop = StopSignal()
    task = asyncio.current_task()
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGINT, _interrupt, stop, task)
    loop.add_signal_handler(signal.SIGTERM, _interrupt, stop, task)
    started = time.monotonic()
    seen: set[str] = set()

    def warn(problem: InputError) -> None:
        if str(problem) not in seen:  # every judge reads the samples for itself
            seen.add(str(problem))
            problems.append(problem)

    with progress_display(settings, quiet=quiet) as display:

        def tell(event: Any) -> None:
            if log is not None:
                import msgspec

                log.write(msgspec.json.encode(event).decode() + "\n")
            display.update(event, time.monotonic() - started)

        return await judge_samples(settings, stop=stop, on_event=tell, on_problem=warn)


def _interrupt(stop: StopSignal, task: asyncio.Task[Any] | None) -> None:
    if stop.reason and task is not None:
        task.cancel()
        return
    stop.request("interrupted")
    click.echo("\nfinishing what is under way; interrupt again to stop at once", err=True)


def _print_result(settings: Settings, result: RunResult) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, title=f"Panel under {settings.protocol.id}", title_justify="left")
    columns = (
        "judge",
        "weight",
        "judged",
        "valid",
        "invalid",
        "recovered",
        "failed",
        "retests",
        "self",
        "calls",
        "cost",
    )
    for column in columns:
        table.add_column(column, justify="left" if column == "judge" else "right")
    for each in settings.judges:
        counts = result.counts[each.name]
        numbers = (counts.done, counts.valid, counts.invalid, counts.recovered, counts.failed, counts.retests)
        table.add_row(
            each.name,
            f"{each.weight:.3g}",
            *map(str, numbers),
            str(counts.self_judged),
            str(counts.calls),
            f"{counts.cost:.4g}",
        )
    console = Console(highlight=False)
    console.print(table)
    was_done = sum(counts.was_done for counts in result.counts.values())
    if was_done:
        console.print(f"{was_done} of these were in the ledger already and were not asked again")
    leaks = sum(counts.leaks for counts in result.counts.values())
    if leaks:
        console.print(f"{leaks} judged outputs name their own model; `mask_identity: true` hides it from the judge")
    console.print(f"ledger {settings.ledger}", soft_wrap=True)


def _write_archive(settings: Settings, folder: Path) -> None:
    from venire.ledger.location import open_ledger
    from venire.workflows.export import export_archive

    ledger = open_ledger(settings.ledger, read_only=True)
    try:
        count = export_archive(ledger, folder, protocol=settings.protocol.digest)
    finally:
        ledger.close()
    click.echo(f"archive {folder} ({count} evaluations)")
