"""The whole pipeline beside a bare aiohttp loop: CPU seconds for 1,000 calls, and memory as the run grows.

Run: python -m bench.runtime [SAMPLES] [ROUNDS]          CPU, alternating rounds in one process
     python -m bench.runtime memory [SAMPLES ...]        peak memory of runs of growing size with three judges, each
                                                         in its own process

The bare loop is what anyone would write: post the request as JSON, read the answer as JSON, read the judge's JSON.
The judge is another process on loopback, so only our side's CPU is counted, the ledger's writer thread included. The
pipeline writes a prompt, calls, commits durably (SQLite, synchronous=FULL), validates with quotes, and commits again.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp

CONCURRENCY = 64
THREE = ("oak", "elm", "ash")
SENTENCE = "The report states that item {0} was checked by two people, and that {1} of its parts were found sound. "


def write_samples(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            text = "".join(SENTENCE.format(number * 31 + line, line % 7) for line in range(20))
            row = {"output_id": f"out-{number}", "text": text, "question_id": f"q{number % 50}"}
            row |= {"prompt_variant": "a", "target_model": "m"}
            file.write(json.dumps(row) + "\n")


def write_config(
    folder: Path, base_url: str, protocol: str = "drift-sample", judges: tuple[str, ...] = ("only",)
) -> Path:
    path = folder / "venire.yaml"
    told = "".join(
        f"""  {name}:
    type: openai_compatible
    model: bench-judge
    base_url: {base_url}/v1
    options: {{structured: schema}}
    weight: {1 / len(judges)}
    limits: {{concurrency: {CONCURRENCY}}}
"""
        for name in judges
    )
    path.write_text(
        f"""samples: samples.jsonl
protocol: {protocol}
judges:
{told}runner: {{reask_share: 0}}
ledger: ledger.sqlite
"""
    )
    return path


def pipeline(
    folder: Path, base_url: str, protocol: str = "drift-sample", judges: tuple[str, ...] = ("only",)
) -> tuple[int, float]:
    """Run the configuration and return how many judgements are valid and what CPU it took."""
    from venire.config import load_settings
    from venire.event_loop import run_async
    from venire.workflows.judge import judge

    for file in folder.glob("ledger.sqlite*"):
        file.unlink()
    settings = load_settings(write_config(folder, base_url, protocol, judges))
    started = time.process_time()
    result = run_async(judge(settings))
    return sum(counts.valid for counts in result.counts.values()), time.process_time() - started


async def bare_loop(base_url: str, payload: dict[str, object], count: int) -> None:
    connector = aiohttp.TCPConnector(limit=CONCURRENCY)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def work() -> None:
            for _ in range(count // CONCURRENCY):
                async with session.post(f"{base_url}/v1/chat/completions", json=payload) as response:
                    completion = await response.json()
                    json.loads(completion["choices"][0]["message"]["content"])

        await asyncio.gather(*(work() for _ in range(CONCURRENCY)))


def example_payload(folder: Path, base_url: str) -> dict[str, object]:
    """Return what the pipeline sends, so that both sides send the same."""
    from venire.config import load_settings
    from venire.workflows.judge import show_question

    request = show_question(load_settings(write_config(folder, base_url)), "only", "out-0").request
    return {
        "model": request.model,
        "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
        "max_tokens": request.decoding.max_tokens,
        "temperature": request.decoding.temperature,
        "response_format": {"type": "json_schema", "json_schema": {"name": "r", "schema": request.reply_schema}},
    }


def measure_cpu(base_url: str, count: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_samples(folder / "samples.jsonl", count)
        payload = example_payload(folder, base_url)
        bare, whole = [], []
        for _ in range(rounds):
            started = time.process_time()
            asyncio.run(bare_loop(base_url, payload, count))
            bare.append((time.process_time() - started) / (count // CONCURRENCY * CONCURRENCY) * 1000)
            valid, seconds = pipeline(folder, base_url)
            if valid != count:
                raise SystemExit(f"{valid} of {count} judgements are valid: the benchmark would measure something else")
            whole.append(seconds / count * 1000)
    ratios = [one / other for one, other in zip(whole, bare, strict=True)]
    print("| CPU s for 1,000 calls | median | range |")
    print("|---|---|---|")
    for title, values in (("bare aiohttp loop", bare), ("whole pipeline", whole), ("ratio", ratios)):
        print(f"| {title} | {statistics.median(values):.3f} | {min(values):.3f}–{max(values):.3f} |")


def measure_memory(base_url: str, counts: list[int]) -> None:
    print("| samples | peak memory, MB |")
    print("|---|---|")
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            write_samples(Path(name) / "samples.jsonl", count)
            context = multiprocessing.get_context("spawn")
            queue = context.Queue()
            process = context.Process(target=_run_and_tell, args=(name, base_url, queue))
            process.start()
            print(f"| {count:,} | {queue.get():.0f} |", flush=True)
            process.join()


def _run_and_tell(folder: str, base_url: str, queue: multiprocessing.Queue[float]) -> None:
    pipeline(Path(folder), base_url, judges=THREE)
    queue.put(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


@contextmanager
def serving() -> Iterator[str]:
    """Start the judge in a process of its own; yields its address."""
    server = subprocess.Popen([sys.executable, "-m", "bench.fast_judge"], stdout=subprocess.PIPE, text=True)
    try:
        if server.stdout is None:
            raise SystemExit("the judge did not start")
        yield f"http://127.0.0.1:{int(server.stdout.readline())}"
    finally:
        server.kill()


def main() -> None:
    with serving() as base_url:
        if sys.argv[1:2] == ["memory"]:
            measure_memory(base_url, [int(each) for each in sys.argv[2:]] or [1000, 10_000, 100_000])
        else:
            count, rounds = (int(value) for value in (sys.argv[1:] + ["2048", "5"][len(sys.argv) - 1 :]))
            measure_cpu(base_url, count, rounds)


if __name__ == "__main__":
    main()
