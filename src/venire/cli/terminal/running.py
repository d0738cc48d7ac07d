"""What commands that ask somebody have in common: engine, log of events, signals, and what goes wrong on the way."""

from __future__ import annotations

import asyncio
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TextIO, TypeVar

from venire.cli.terminal.printing import echo
from venire.errors import UsageError, os_reason
from venire.words.said import as_text, say

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator

    from venire.cli.terminal.progress import Display
    from venire.config import Settings
    from venire.reports.words import ReportWords
    from venire.runner.events import AskedCounts, Event, RuleCount
    from venire.runner.stop import StopSignal

Result_co = TypeVar("Result_co", covariant=True)

_ENDING = (signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else []))
"""The signals that end a run; the last one comes when a terminal is closed, and Windows has none."""


class Runs(Protocol[Result_co]):
    """Whatever is run: judging or collecting."""

    def __call__(self, *, stop: StopSignal, on_event: Callable[[Event], None]) -> Awaitable[Result_co]:
        """Run until all is done or a stop is asked for."""


async def run_shown(
    run: Runs[Result_co],
    settings: Settings,
    display: Display,
    words: ReportWords,
    log: TextIO | None,
    *,
    quiet: bool,
) -> Result_co:
    """Run with a display, a log of events and signals that end it; what goes wrong is told once."""
    import msgspec

    from venire.runner.stop import StopSignal

    if settings.config.engine == "ray" and not quiet:
        address = settings.config.ray.address
        echo(words("judge.joining", address=address) if address else words("judge.starting"), err=True)
    stop = StopSignal()
    started, trouble = time.monotonic(), _Trouble()

    def tell(event: Event) -> None:
        nonlocal started
        if event.event == "run_opened":
            started = time.monotonic()  # Starting an engine is not part of the rate.
        if log is not None:
            log.write(msgspec.json.encode(event, enc_hook=as_text).decode() + "\n")
        display.update(event, time.monotonic() - started)
        if event.event == "paused":
            echo(paused_text(event, words), err=True)
        elif not quiet and (line := trouble.line(event, words)):
            echo(line, err=True)

    stop_on_signals(stop, tell, words)
    return await run(stop=stop, on_event=tell)


def on_engine(settings: Settings, engine: Literal["local", "ray"] | None, address: str | None) -> Settings:
    """Return the settings with the engine that options ask for."""
    from msgspec.structs import replace

    if engine == "local" and address:
        raise UsageError("error.cli.address_local")
    config = settings.config
    if address:
        config = replace(config, engine="ray", ray=replace(config.ray, address=address))
    elif engine:
        config = replace(config, engine=engine)
    return replace(settings, config=config)


def open_log(path: Path) -> TextIO:
    """Open the file that events are appended to."""
    try:
        return path.open("a", encoding="utf-8", buffering=1)
    except OSError as error:
        raise UsageError("error.cli.events_not_written", where=str(path), reason=os_reason(error)) from None


class _Trouble:
    """Says what goes wrong while a run is under way: each cause once for a judge."""

    def __init__(self) -> None:
        self._told: set[tuple[str, str]] = set()

    def line(self, event: Event, words: ReportWords) -> str:
        """Return what there is to say of an event; empty if it is nothing new."""
        if event.event == "waiting":
            return words("judge.waiting", reason=words.of(event.reason))
        if event.event == "workers":
            return words.of(event.reason)
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


def paused_text(event: Event, words: ReportWords) -> str:
    """Say that somebody is asked nothing more, and why."""
    broken: dict[str, RuleCount] = event.details["broken"]
    if not broken:
        return words("judge.paused_for_now", judge=event.judge, reason=words.of(event.reason))
    name, most = max(broken.items(), key=lambda item: item[1].replies)
    reason, example = words.of(event.reason), rule_example(name, most, words)
    return words("judge.paused", judge=event.judge, reason=reason, example=example, sample=most.sample)


def rule_example(rule: str, most: RuleCount, words: ReportWords) -> str:
    """Say what a reply that broke a rule has, and what the rule asks for."""
    from venire.domain.flag import Finding

    return words.finding(Finding(rule, most.pointer, most.expected, most.found))


def failure_lines(name: str, counts: AskedCounts, words: ReportWords) -> Iterator[str]:
    """Say at the end of a run why tasks of a judge or target failed, and what came in place of readable answers."""
    for failure in counts.failures.values():
        yield words("judge.failures", judge=name, times=failure.tasks, reason=words.of(failure.reason))
    for reason, times in sorted(counts.unreadable.items(), key=lambda item: (-item[1], item[0])):
        yield words("judge.unreadable", judge=name, times=times, reason=words.of(reason))
