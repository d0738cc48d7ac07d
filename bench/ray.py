"""The judging pipeline on Ray beside the local engine: calls per CPU second, and how exactly a shared limit is kept.

Run: python -m bench.ray [CALLS] [ROUNDS]          CPU with 1, 2 and 4 workers, alternating with the local engine
     python -m bench.ray limit [PER_MINUTE]        requests per minute as the judge counts them

All engines write to the same PostgreSQL and ask the same judge, a process of its own on loopback. The CPU is summed
over driver, admission server and workers, from when all workers are ready to the last answer; what Ray's own
daemons, PostgreSQL and the judge have used meanwhile is listed beside it. Ratios mean more than the figures.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import urllib.request
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import msgspec

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from bench.runtime import CONCURRENCY, write_samples  # noqa: E402
from bench.server import cpu_seconds  # noqa: E402
from postgres_server import WRITER, PostgresServer  # noqa: E402
from venire.config import Settings, load_settings  # noqa: E402
from venire.distributed.cluster import joined  # noqa: E402
from venire.ledger.location import open_ledger  # noqa: E402
from venire.runner.context import RunContext  # noqa: E402
from venire.runner.events import Event  # noqa: E402
from venire.runner.executor import Executor, LocalEngine, RunEngine  # noqa: E402
from venire.runner.run import run_panel  # noqa: E402
from venire.workflows.judge import spec_of  # noqa: E402
from venire.workflows.open_engine import make_providers, ray_engine  # noqa: E402

WORKERS = (1, 2, 4)
IDLE_TIMES = 4
OURS = ("driver", "admission server", "workers")
CONFIG = """samples: samples.jsonl
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
        self.url = f"http://127.0.0.1:{int((judge.stdout or sys.stdin).readline())}"

    def settings(self, workers: int, rate: str = "") -> Settings:
        """Return a configuration with a new ledger."""
        ledger = self.server.url(self.server.new_ledger(), WRITER)
        path = self.folder / "venire.yaml"
        path.write_text(
            CONFIG.format(url=self.url, concurrency=CONCURRENCY, rate=rate, ledger=ledger, workers=workers or 1)
        )
        return load_settings(path)

    def arrivals(self) -> list[float]:
        """Return when requests have arrived at the judge since this was last asked."""
        with urllib.request.urlopen(urllib.request.Request(self.url, b"")) as answer:
            return msgspec.json.decode(answer.read(), type=list[float])

    def used(self) -> Counter[str]:
        """Return the CPU seconds that everyone who is alive has used so far."""
        used: Counter[str] = Counter()
        self.workers = 0
        postmaster = int((self.server.folder / "data" / "postmaster.pid").read_text().split()[0])
        for pid in (os.getpid(), *descendants(os.getpid()), *descendants(postmaster)):
            try:
                role = self._role(pid, Path(f"/proc/{pid}/cmdline").read_text())
                used[role] += cpu_seconds(pid)
                self.workers += role == "workers"
            except (FileNotFoundError, ProcessLookupError):
                continue
        return used

    def _role(self, pid: int, command: str) -> str:
        if pid in (os.getpid(), self.judge.pid):
            return "driver" if pid == os.getpid() else "judge"
        starts = {"ray::AdmissionServer": "admission server", "ray::Worker": "workers", "postgres": "PostgreSQL"}
        return next((role for start, role in starts.items() if command.startswith(start)), "Ray's daemons")


class Ready:
    """An engine whose executor is given out when all its workers are there, so that starting them is not measured."""

    def __init__(self, engine: RunEngine, place: Place, workers: int) -> None:
        self._engine = engine
        self._place = place
        self._workers = workers

    @asynccontextmanager
    async def executor(self, context: RunContext) -> AsyncIterator[Executor]:
        """Make ready, and wait until all workers have started and are idle."""
        async with self._engine.executor(context) as executor:
            before: Counter[str] = Counter()
            idle = 0
            while self._workers and idle < IDLE_TIMES:
                await asyncio.sleep(0.25)
                now = self._place.used()
                is_idle = self._place.workers == self._workers and now["workers"] - before["workers"] < 0.03
                idle, before = idle + 1 if is_idle else 0, now
            yield executor


def descendants(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in map(int, task.read_text().split()):
            yield child
            yield from descendants(child)


def run(place: Place, workers: int, rate: str = "") -> tuple[int, Counter[str]]:
    """Run all samples, locally for no workers; returns how many replies are valid and the CPU that it took."""
    settings = place.settings(workers, rate)
    samples: list[Counter[str]] = []

    def watch(event: Event) -> None:
        if event.event == "run_opened":
            samples[:] = [place.used()]
        elif event.event != "run_closed":
            seen[0] += 1
            if seen[0] == seen[1]:
                samples.append(place.used())

    async def work() -> int:
        ledger = open_ledger(settings.ledger)
        providers = {} if workers else make_providers(settings)
        engine: RunEngine = ray_engine(settings) if workers else LocalEngine(providers)
        try:
            result = await run_panel(spec_of(settings), ledger, Ready(engine, place, workers), on_event=watch)
        finally:
            for provider in providers.values():
                await provider.close()
            ledger.close()
        return result.counts["only"].valid

    seen = [0, sum(1 for _ in (place.folder / "samples.jsonl").open())]
    valid = asyncio.run(work())
    before, after = samples
    return valid, Counter({role: after[role] - before[role] for role in after})


def measure_cpu(place: Place, calls: int, rounds: int) -> None:
    write_samples(place.folder / "samples.jsonl", calls)
    found: dict[int, list[Counter[str]]] = {workers: [] for workers in (0, *WORKERS)}
    for number in range(rounds + 1):  # The first round warms everyone up.
        for workers, rows in found.items():
            valid, used = run(place, workers)
            if valid != calls:
                raise SystemExit(f"{valid} of {calls} judgements are valid: the benchmark would measure something else")
            if number:
                rows.append(used)
    print(f"CPU ms per call, medians of {rounds} rounds of {calls} calls")
    roles = [*OURS, "Ray's daemons", "PostgreSQL", "judge"]
    print("| engine | calls per CPU second | ratio to local | range | " + " | ".join(roles) + " |")
    print("|---|---|---|---|" + "---|" * len(roles))
    ours = {workers: [sum(used[role] for role in OURS) for used in rows] for workers, rows in found.items()}
    for workers, rows in found.items():
        ratios = [local / mine for local, mine in zip(ours[0], ours[workers], strict=True)]
        parts = [f"{statistics.median(used[role] for used in rows) / calls * 1000:.2f}" for role in roles]
        title = f"Ray, {workers} worker{'s' * (workers > 1)}" if workers else "local"
        speed = calls / statistics.median(ours[workers])
        print(
            f"| {title} | {speed:.0f} | {statistics.median(ratios):.2f} | {min(ratios):.2f}–{max(ratios):.2f} | "
            + " | ".join(parts)
            + " |"
        )


def measure_limit(place: Place, per_minute: int) -> None:
    write_samples(place.folder / "samples.jsonl", per_minute // 4)  # A quarter of a minute.
    print("| engine | measured rate / limit | in the busiest 3 seconds / limit |")
    print("|---|---|---|")
    for workers in (0, *WORKERS):
        place.arrivals()
        run(place, workers, f", requests_per_minute: {per_minute}")
        times = sorted(place.arrivals())
        overall = (len(times) - 1) / (times[-1] - times[0]) * 60 / per_minute
        busiest = max(sum(1 for time in times if start <= time < start + 3) for start in times) * 20 / per_minute
        title = f"Ray, {workers} worker{'s' * (workers > 1)}" if workers else "local"
        print(f"| {title} | {overall:.3f} | {busiest:.3f} |", flush=True)


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
            calls, rounds = (int(value) for value in (sys.argv[1:] + ["2048", "5"][len(sys.argv) - 1 :]))
            measure_cpu(place, calls, rounds)
            measure_limit(place, 3000)


if __name__ == "__main__":
    main()
