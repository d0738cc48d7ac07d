"""The judging pipeline on Ray beside the local engine: calls per CPU second, and how exactly a shared limit is kept.

Run: python -m bench.ray [CALLS] [ROUNDS] [WORKERS ...]    CPU with 1, 2 and 4 workers, or as many as named, by turns
                                                           with the local engine
     python -m bench.ray limit [PER_MINUTE]                requests per minute as the judge counts them

All engines write to the same PostgreSQL and ask the same judge, a process of its own on loopback. Starting stands
apart: it ends when all workers are there, idle, and have answered some calls that are not counted. From then to the
last answer the CPU is summed over driver, admission server and workers; what Ray's own daemons, PostgreSQL and the
judge have used meanwhile is listed beside it. Ratios mean more than the figures.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bench.runtime import CONCURRENCY, write_samples  # noqa: E402
from bench.server import cpu_seconds  # noqa: E402
from postgres_server import WRITER, PostgresServer  # noqa: E402
from venire.config import Settings, load_settings  # noqa: E402
from venire.distributed.cluster import joined  # noqa: E402
from venire.event_loop import run_async  # noqa: E402
from venire.ledger.location import open_ledger  # noqa: E402
from venire.runner.context import RunContext, RunSpec  # noqa: E402
from venire.runner.events import Event  # noqa: E402
from venire.runner.executor import Executor, LocalEngine, RunEngine  # noqa: E402
from venire.runner.run import run_panel  # noqa: E402
from venire.workflows.judge import spec_of  # noqa: E402
from venire.workflows.open_engine import make_providers, ray_engine  # noqa: E402

WORKERS = (1, 2, 4)
IDLE_TIMES = 4
WARMING_CALLS = 256
OURS = ("driver", "admission server", "workers")
CONFIG = """samples: {samples}
protocol: drift-sample
judges:
  only:
    type: openai_compatible
    model: bench-judge
    base_url: {url}/v1
    options: {{structured: schema}}
    weight: 1
    limits: {{concurrency: {concurrency}{rate}}}
runner: {{reask_share: 0}}
ledger: {ledger}
ray: {{workers: {workers}}}
"""


class Place:
    """A folder with samples, a judge and a PostgreSQL server."""

    def __init__(self, folder: Path, judge: subprocess.Popen[str], server: PostgresServer) -> None:
        self.folder = folder
        self.judge = judge
        self.server = server
        self.workers = 0
        """How many workers were alive when the CPU was last looked at."""
        self._looking = 0.0
        self.url = f"http://127.0.0.1:{int((judge.stdout or sys.stdin).readline())}"

    def settings(self, workers: int, rate: str = "") -> tuple[Settings, Settings]:
        """Return a configuration with a new ledger, and the same with the samples that only warm up."""
        ledger = self.server.url(self.server.new_ledger(), WRITER)
        given = {"url": self.url, "concurrency": CONCURRENCY, "rate": rate, "ledger": ledger, "workers": workers or 1}
        made = []
        for name in ("samples", "warming"):
            path = self.folder / f"{name}.yaml"
            path.write_text(CONFIG.format(samples=f"{name}.jsonl", **given))
            made.append(load_settings(path))
        return made[0], made[1]

    def arrivals(self) -> list[float]:
        """Return when requests have arrived at the judge since this was last asked."""
        with urllib.request.urlopen(urllib.request.Request(self.url, b"")) as answer:
            return msgspec.json.decode(answer.read(), type=list[float])

    def used(self) -> Counter[str]:
        """Return the CPU seconds that everyone who is alive has used so far."""
        begun = time.process_time()
        used: Counter[str] = Counter(driver=begun - self._looking)
        self.workers = 0
        postmaster = int((self.server.folder / "data" / "postmaster.pid").read_text().split()[0])
        for pid in (*descendants(os.getpid()), *descendants(postmaster)):
            try:
                role = self._role(pid, Path(f"/proc/{pid}/cmdline").read_text())
                used[role] += cpu_seconds(pid)
                self.workers += role == "workers"
            except (FileNotFoundError, ProcessLookupError):
                continue
        self._looking += time.process_time() - begun
        return used

    def _role(self, pid: int, command: str) -> str:
        if pid == self.judge.pid:
            return "judge"
        starts = {"ray::AdmissionServer": "admission server", "ray::Worker": "workers", "postgres": "PostgreSQL"}
        return next((role for start, role in starts.items() if command.startswith(start)), "Ray's daemons")


class Ready:
    """An engine whose executor is given out when all its workers are there and warm: starting is measured apart."""

    def __init__(self, engine: RunEngine, place: Place, workers: int, warming: RunSpec) -> None:
        self._engine = engine
        self._place = place
        self._workers = workers
        self._warming = warming

    @asynccontextmanager
    async def executor(self, context: RunContext) -> AsyncIterator[Executor]:
        """Make ready, wait until all workers have started, and warm them up."""
        async with self._engine.executor(context) as executor:
            await self._idle()
            judge = self._warming.judges[0]
            async for _ in executor.run(judge, self._warming.work_of(judge)):
                pass
            await self._idle()
            yield executor

    async def _idle(self) -> None:
        before: Counter[str] = Counter()
        idle = 0
        while self._workers and idle < IDLE_TIMES:
            await asyncio.sleep(0.25)
            now = self._place.used()
            is_idle = self._place.workers == self._workers and now["workers"] - before["workers"] < 0.03
            idle, before = idle + 1 if is_idle else 0, now


def descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            yield child
            yield from descendants(child)


class Measured(NamedTuple):
    """What a run has taken, in CPU seconds by who used them."""

    valid: int
    """How many replies are valid."""
    starting: Counter[str]
    """Until all workers were warm."""
    working: Counter[str]
    """From then to the last answer."""


def run(place: Place, workers: int, rate: str = "") -> Measured:
    """Run all samples, locally for no workers."""
    settings, warming = place.settings(workers, rate)
    looks: list[Counter[str]] = []

    def watch(event: Event) -> None:
        if event.event == "run_opened":
            looks.append(place.used())
        elif event.event != "run_closed":
            seen[0] += 1
            if seen[0] == seen[1]:
                looks.append(place.used())

    async def work() -> int:
        ledger = open_ledger(settings.ledger)
        providers = {} if workers else make_providers(settings)
        engine: RunEngine = ray_engine(settings) if workers else LocalEngine(providers)
        try:
            ready = Ready(engine, place, workers, spec_of(warming))
            result = await run_panel(spec_of(settings), ledger, ready, on_event=watch)
        finally:
            for provider in providers.values():
                await provider.close()
            ledger.close()
        return result.counts["only"].valid

    seen = [0, sum(1 for _ in (place.folder / "samples.jsonl").open())]
    begun = place.used()
    valid = run_async(work())
    opened, answered = looks
    return Measured(valid, _between(begun, opened), _between(opened, answered))


def _between(before: Counter[str], after: Counter[str]) -> Counter[str]:
    return Counter({role: after[role] - before[role] for role in after})


def write_all_samples(folder: Path, calls: int) -> None:
    """Write the samples, and before them, so that they are others, some to warm up with."""
    write_samples(folder / "all.jsonl", WARMING_CALLS + calls)
    lines = (folder / "all.jsonl").read_text().splitlines(keepends=True)
    (folder / "warming.jsonl").write_text("".join(lines[:WARMING_CALLS]))
    (folder / "samples.jsonl").write_text("".join(lines[WARMING_CALLS:]))


def title_of(workers: int) -> str:
    return f"Ray, {workers} worker{'s' * (workers > 1)}" if workers else "local"


def measure_cpu(place: Place, calls: int, rounds: int, several: tuple[int, ...]) -> None:
    write_all_samples(place.folder, calls)
    found: dict[int, list[Measured]] = {workers: [] for workers in (0, *several)}
    for number in range(rounds + 1):  # The first round warms everyone up.
        for workers, rows in found.items():
            measured = run(place, workers)
            if measured.valid != calls:
                raise SystemExit(f"{measured.valid} of {calls} are valid: the benchmark would measure something else")
            if number:
                rows.append(measured)
    print_cpu(found, calls)
    print_starting(found)


def print_cpu(found: dict[int, list[Measured]], calls: int) -> None:
    print(f"CPU ms per call, medians of {len(found[0])} rounds of {calls} calls, starting not counted")
    roles = [*OURS, "Ray's daemons", "PostgreSQL", "judge"]
    print("| engine | CPU ms per call | above local | range | " + " | ".join(roles) + " |")
    print("|---|---|---|---|" + "---|" * len(roles))
    ours = {
        workers: [sum(each.working[role] for role in OURS) / calls * 1000 for each in rows]
        for workers, rows in found.items()
    }
    for workers, rows in found.items():
        above = [mine - local for local, mine in zip(ours[0], ours[workers], strict=True)]
        parts = [f"{statistics.median(each.working[role] for each in rows) / calls * 1000:.2f}" for role in roles]
        print(
            f"| {title_of(workers)} | {statistics.median(ours[workers]):.2f} | {statistics.median(above):.2f} | "
            f"{min(above):.2f}–{max(above):.2f} | " + " | ".join(parts) + " |"
        )


def print_starting(found: dict[int, list[Measured]]) -> None:
    print(f"Starting, with {WARMING_CALLS} calls to warm up: CPU seconds")
    print("| engine | " + " | ".join(OURS) + " |")
    print("|---|" + "---|" * len(OURS))
    for workers, rows in found.items():
        parts = [f"{statistics.median(each.starting[role] for each in rows):.2f}" for role in OURS]
        print(f"| {title_of(workers)} | " + " | ".join(parts) + " |")


def measure_limit(place: Place, per_minute: int) -> None:
    write_all_samples(place.folder, per_minute // 4)  # A quarter of a minute.
    print("| engine | measured rate / limit | in the busiest 3 seconds / limit |")
    print("|---|---|---|")
    for workers in (0, *WORKERS):
        place.arrivals()
        run(place, workers, f", requests_per_minute: {per_minute}")
        times = sorted(place.arrivals())[WARMING_CALLS:]
        overall = (len(times) - 1) / (times[-1] - times[0]) * 60 / per_minute
        busiest = max(sum(1 for time in times if start <= time < start + 3) for start in times) * 20 / per_minute
        print(f"| {title_of(workers)} | {overall:.3f} | {busiest:.3f} |", flush=True)


@contextmanager
def open_place() -> Iterator[Place]:
    server = PostgresServer(durable=True)
    judge = subprocess.Popen([sys.executable, "-m", "bench.fast_judge"], stdout=subprocess.PIPE, text=True)
    try:
        with tempfile.TemporaryDirectory() as folder, joined(least_cpus=max(WORKERS)):
            yield Place(Path(folder), judge, server)
    finally:
        judge.kill()
        server.remove()


def main() -> None:
    with open_place() as place:
        if sys.argv[1:2] == ["limit"]:
            measure_limit(place, int([*sys.argv[2:], "3000"][0]))
        else:
            calls, rounds, *several = (int(value) for value in (sys.argv[1:] + ["4096", "3"][len(sys.argv) - 1 :]))
            measure_cpu(place, calls, rounds, tuple(several) or WORKERS)
            if not several:
                measure_limit(place, 3000)


if __name__ == "__main__":
    main()
