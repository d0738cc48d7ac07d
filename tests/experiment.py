"""Small experiments for tests: samples, a configuration, a panel of fakes, and servers beside the test."""

from __future__ import annotations

import asyncio
import json
import os
import select
import subprocess
import sys
import threading
from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from judge_server import JudgeServer, drift_sample_reply
from venire.cli.main import main
from venire.config import Settings, load_settings
from venire.domain.sample import Sample
from venire.judges.panel import Judge, JudgeLimits, Price
from venire.judges.provider import Decoding, Reply, Request
from venire.ledger.entry import Kind
from venire.ledger.location import open_ledger
from venire.ledger.memory import MemoryLedger
from venire.protocols.catalogue import find_protocol
from venire.runner.context import RunSpec
from venire.runner.executor import LocalEngine
from venire.runner.options import RunnerOptions
from venire.runner.run import RunResult, run_panel
from venire.testing import ScriptedProvider

TESTS = Path(__file__).parent
QUICK = {"backoff_seconds": 0.001, "backoff_limit_seconds": 0.002, "rest_seconds": 0.001, "reask_share": 0}
"""Options of a runner that does not dawdle."""


def make_samples(count: int, target: str = "alder-1") -> list[Sample]:
    """Return samples that differ in a word."""
    return [
        Sample(
            f"s{n}", f"Output number {n} says one thing.", question_id=f"q{n}", prompt_variant="a", target_model=target
        )
        for n in range(count)
    ]


def write_samples(folder: Path, samples: Iterable[Sample], name: str = "outputs.jsonl") -> Path:
    """Write samples as JSON Lines."""
    fields = ("output_id", "text", "question_id", "prompt_variant", "target_model", "task")
    rows = [{name: getattr(sample, name) for name in fields} | sample.factors for sample in samples]
    path = folder / name
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def write_config(folder: Path, judges: dict[str, Any], **keys: Any) -> Path:
    """Write a configuration; JSON is YAML. Weights are shared evenly unless they are given."""
    weighted = {name: {"weight": 1 / len(judges), **judge} for name, judge in judges.items()}
    config = {"samples": "outputs.jsonl", "ledger": "ledger.sqlite", "runner": QUICK, **keys, "judges": weighted}
    path = folder / "venire.yaml"
    path.write_text(json.dumps(config, ensure_ascii=False, indent=1), encoding="utf-8")
    return path


def served_judge(base_url: str, kind: str = "openai_compatible", **keys: Any) -> dict[str, Any]:
    """Return the configuration of a judge behind a test server."""
    return {"type": kind, "model": "oak-large", "base_url": base_url, **keys}


def settings_for(folder: Path, judges: dict[str, Any], samples: Iterable[Sample], **keys: Any) -> Settings:
    """Write samples and configuration, and load them."""
    write_samples(folder, samples)
    return load_settings(write_config(folder, judges, **keys))


def venire(*args: object) -> int:
    """Run the command line in this process and return its exit code."""
    with pytest.raises(SystemExit) as stop:
        main([str(arg) for arg in args])
    return int(stop.value.code or 0)


@contextmanager
def serving(script: Any = None, reply_for: Callable[[dict[str, Any]], str] | None = None) -> Iterator[JudgeServer]:
    """Serve from a thread beside the test."""
    started, stop = threading.Event(), asyncio.Event()
    held: list[Any] = []

    async def serve() -> None:
        async with JudgeServer(script, reply_for) as server:
            held.extend((server, asyncio.get_running_loop()))
            started.set()
            await stop.wait()

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    assert started.wait(60)
    server, loop = held
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


@contextmanager
def server_process(log: Path, script: Any = None) -> Iterator[str]:
    """Serve from a process of its own; yields its address."""
    arguments = [sys.executable, "-m", "judge_server", "--log", str(log)]
    if script is not None:
        file = log.with_suffix(".script")
        file.write_text(json.dumps(script))
        arguments += ["--script", str(file)]
    with subprocess.Popen(
        arguments, cwd=TESTS, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        port = process.stdout.readline().strip()
        try:
            yield f"http://127.0.0.1:{port}"
        finally:
            process.kill()


class Command(subprocess.Popen[str]):
    """A command that is killed where a test fails: it may wait for what the test would have done next."""

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        if kind is not None:
            self.kill()
        super().__exit__(kind, error, traceback)


def start_venire(*args: object, **options: Any) -> Command:
    """Start the command line in a process of its own."""
    code = "from venire.cli.main import main; main()"
    command = [sys.executable, "-c", code, *map(str, args)]
    environment = {**os.environ, "COLUMNS": "80"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return Command(command, env=environment, **{**pipes, **options})


def wait_for_requests(server: JudgeServer, count: int, process: subprocess.Popen[str]) -> None:
    """Wait until a judge has got so many requests from a process, which must not end before."""
    while server.count < count:
        assert process.poll() is None, process.communicate()
        select.select([], [], [], 0.005)


class FakeProvider(ScriptedProvider):
    """Replies what a function says, or well."""

    def __init__(self, answer: Callable[[Request], Reply | Awaitable[Reply]] | None = None) -> None:
        super().__init__(answer or good_reply)


def good_reply(request: Request) -> Reply:
    """Return a valid reply to a drift-sample request, of 10 + 5 tokens."""
    seen = {"model": request.model, "messages": [{"content": request.system}, {"content": request.user}]}
    text = drift_sample_reply(seen)
    return Reply(text, text.encode(), 200, input_tokens=10, output_tokens=5, finish_reason="stop", model=request.model)


def make_judge(name: str = "oak", **keys: Any) -> Judge:
    """Return a judge for a fake provider."""
    given: dict[str, Any] = {
        "name": name, "kind": "fake", "model": f"{name}-large", "weight": 1.0, "decoding": Decoding(max_tokens=100),
        "options": {}, "rules": {}, "blind": True, "mask_identity": False, "attach_files": False, "scale": None,
        "language": "en", "family": "", "aliases": (), "prompt_version": "", "price": Price(),
        "limits": JudgeLimits(concurrency=4),
    }  # fmt: skip
    return Judge(**{**given, **keys})


def run_fakes(
    providers: dict[str, FakeProvider],
    samples: Iterable[Sample],
    *,
    judges: Iterable[Judge] = (),
    ledger: MemoryLedger | None = None,
    protocol: str = "drift-sample",
    on_event: Callable[[Any], None] = lambda _: None,
    **options: Any,
) -> tuple[RunResult, MemoryLedger]:
    """Run fakes over samples; returns the result and the ledger."""
    kept = list(samples)
    ledger = ledger or MemoryLedger()
    panel = tuple(judges) or tuple(map(make_judge, providers))
    spec = RunSpec(find_protocol(protocol), panel, lambda: iter(kept), RunnerOptions(**{**QUICK, **options}))
    return asyncio.run(run_panel(spec, ledger, LocalEngine(providers), on_event=on_event)), ledger


def contents(ledger: Any, kind: Kind) -> list[dict[str, Any]]:
    """Return the contents of all entries of a kind."""
    return [entry.content for entry in ledger.read(kinds=[kind])]


@contextmanager
def reading(path: Path) -> Iterator[Any]:
    """Open a ledger file for reading."""
    ledger = open_ledger(str(path), read_only=True)
    try:
        yield ledger
    finally:
        ledger.close()
