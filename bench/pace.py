"""How a run keeps the pace that a judge's server allows, where no limit is configured.

Run: python -m bench.pace [--alone] [NAME ...]      all cases, or those whose names begin so; alone: no bare loop

The judge is another process on loopback (`bench/limited_judge.py`) that says when each request came and whether it was
let through. The rate counts from the first request to the last one; "steady" leaves out the first two seconds, in which
a run sends one request alone and then more and more, and a bare loop opens its connections. Timing depends on what else
the machine does: the load stands beside each row, and so does what a bare loop reaches on the same server at the same
time: as many aiohttp workers as requests may be under way, that wait as long as `Retry-After` says, or a second, and
try again.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import aiohttp

from bench.runtime import example_payload, write_samples

BUCKET = {"rates": [[0, 50]], "burst": 10}
START_SECONDS = 2.0
WINDOW = {"rates": [[0, 50]], "window": True}


class Case(NamedTuple):
    """A server, and how it is asked."""

    server: dict[str, Any]
    tasks: int = 1000
    concurrency: int = 64
    ideal: float = 50.0
    """Requests in a second that could be answered at best."""


CASES = {
    "bucket": Case(BUCKET),
    "bucket, Retry-After: 1": Case({**BUCKET, "retry_after": 1}),
    "window": Case(WINDOW),
    "window, Retry-After: 1": Case({**WINDOW, "retry_after": 1}),
    "window, 8 in flight, Retry-After: 1": Case({**WINDOW, "retry_after": 1}, concurrency=8),
    "bucket, 200 ms, Retry-After: 1": Case({**BUCKET, "retry_after": 1, "latency": 0.2}),
    "doubling: 50/s, 100/s after 10 s": Case({**BUCKET, "rates": [[0, 50], [10, 100]], "retry_after": 1}, 1500, 64, 75),
    "halving: 100/s, 50/s after 10 s": Case({**BUCKET, "rates": [[0, 100], [10, 50]], "retry_after": 1}, 1500, 64, 75),
    "no limit, 256 in flight at 200 ms": Case({"rates": [[0, 0]], "latency": 0.2}, 20_000, 256, 256 / 0.2),
}


def write_config(folder: Path, base_url: str, concurrency: int) -> Path:
    path = folder / "venire.yaml"
    path.write_text(
        f"""samples: samples.jsonl
protocol: drift-sample
judges:
  only:
    type: openai_compatible
    model: bench-judge
    base_url: {base_url}/v1
    weight: 1
    limits: {{concurrency: {concurrency}}}
runner: {{reask_share: 0}}
ledger: ledger.sqlite
"""
    )
    return path


@contextmanager
def limited(case: Case) -> Iterator[str]:
    """Start the server of a case; yields its address."""
    command = [sys.executable, "-m", "bench.limited_judge", json.dumps(case.server)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout is None:
            raise SystemExit("the judge did not start")
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
    finally:
        server.kill()


def run_venire(case: Case, base_url: str) -> int:
    """Judge, and return how many tasks were lost."""
    from venire.config import load_settings
    from venire.event_loop import run_async
    from venire.workflows.judge import judge

    with tempfile.TemporaryDirectory() as name:
        write_samples(Path(name) / "samples.jsonl", case.tasks)
        settings = load_settings(write_config(Path(name), base_url, case.concurrency))
        result = run_async(judge(settings))
    return case.tasks - result.counts["only"].valid


def run_bare(case: Case, base_url: str) -> int:
    """Post the same request as often, and return how many were lost: none, each is tried until it is let through."""
    with tempfile.TemporaryDirectory() as name:
        write_samples(Path(name) / "samples.jsonl", 1)
        payload = example_payload(Path(name), base_url)
    asyncio.run(bare_loop(case, base_url, payload))
    return 0


async def bare_loop(case: Case, base_url: str, payload: dict[str, object]) -> None:
    left = iter(range(case.tasks))

    async def work() -> None:
        for _ in left:
            for _ in itertools.count():
                async with session.post(f"{base_url}/v1/chat/completions", json=payload) as response:
                    answer = await response.json()
                    if response.status == 200:
                        json.loads(answer["choices"][0]["message"]["content"])
                        break
                    pause = float(response.headers.get("Retry-After", "1"))
                await asyncio.sleep(pause)

    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=case.concurrency)) as session:
        await asyncio.gather(*(work() for _ in range(case.concurrency)))


def measure(case: Case, run: Callable[[Case, str], int]) -> tuple[int, list[tuple[float, int]], float]:
    """Return how many tasks were lost, what the server saw, and the seconds that the run took."""
    with limited(case) as base_url:
        started = time.monotonic()
        lost = run(case, base_url)
        seconds = time.monotonic() - started
        with urllib.request.urlopen(base_url) as told:
            seen = [(moment, let_through) for moment, let_through in json.load(told)]
    return lost, seen, seconds


def settled_after(case: Case, seen: list[tuple[float, int]]) -> str:
    """Say how long after a change of the allowance a second first held 90 % to 115 % of it let through, to stay so.

    It is looked at as long as there is work for all places; what was refused last is asked again when all else is done.
    """
    if len(case.server["rates"]) < 2:
        return "–"
    change, rate = case.server["rates"][1]
    last = int([moment for moment, ok in seen if ok][-case.concurrency] - change)
    good = [
        0.9 * rate <= sum(ok for moment, ok in seen if change + n <= moment < change + n + 1) <= 1.15 * rate
        for n in range(last)
    ]
    bad = [n for n, each in enumerate(good) if not each]
    return f"{bad[-1] + 1} s" if bad else "0 s"


def steady_share(case: Case, seen: list[tuple[float, int]]) -> str:
    """Say what was let through after the first seconds, of the ideal; only where that stays the same."""
    later = [moment for moment, let_through in seen if let_through and moment >= START_SECONDS]
    if len(case.server["rates"]) > 1 or len(later) < 2:
        return "–"
    return f"{len(later) / (later[-1] - START_SECONDS) / case.ideal:.0%}"


def main() -> None:
    given = [each for each in sys.argv[1:] if each != "--alone"]
    names = [name for name in CASES if not given or any(name.startswith(each) for each in given)]
    askers = {"Venire": run_venire} if "--alone" in sys.argv else {"Venire": run_venire, "bare loop": run_bare}
    titles = (
        "server | asked by | rate, of the ideal | steady | refused | tasks lost | settled after the change | run, s"
    )
    print(f"| {titles} | CPU ms a task | load |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, (who, run) in itertools.product(names, askers.items()):
        case = CASES[name]
        load = os.getloadavg()[0]
        began = time.process_time()
        lost, seen, seconds = measure(case, run)
        spent = (time.process_time() - began) / case.tasks * 1000
        let_through = sum(ok for _, ok in seen)
        rate, refused = let_through / seen[-1][0], len(seen) - let_through
        share = f"{rate:.1f}/s, {rate / case.ideal:.0%}"
        refusals = f"{refused}, {refused / len(seen):.1%}"
        settled = settled_after(case, seen)
        found = f"{share} | {steady_share(case, seen)} | {refusals} | {lost} | {settled} | {seconds:.1f}"
        print(f"| {name} | {who} | {found} | {spent:.2f} | {load:.1f} |", flush=True)


if __name__ == "__main__":
    main()
