"""Collecting beside judging: CPU seconds for 1,000 calls of each, and memory as a collection grows.

Run: python -m bench.collecting [OUTPUTS] [ROUNDS]          CPU, alternating rounds in one process
     python -m bench.collecting memory [OUTPUTS ...]        peak memory of collections, each in its own process

Both ask the same server in another process on loopback, so only our side's CPU is counted; see `bench.runtime`.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path

from bench.runtime import CONCURRENCY, SENTENCE, pipeline, serving, write_samples


def write_cases(path: Path, count: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            text = "".join(SENTENCE.format(number * 31 + line, line % 7) for line in range(20))
            file.write(json.dumps({"case_id": f"case-{number}", "text": text}) + "\n")


def collection(folder: Path, base_url: str) -> tuple[int, float]:
    """Collect, and return how many outputs are complete and what CPU it took."""
    from venire.config import load_settings
    from venire.event_loop import run_async
    from venire.workflows.collect import collect

    for file in folder.glob("collected.sqlite*"):
        file.unlink()
    target = {"type": "openai_compatible", "model": "bench", "base_url": f"{base_url}/v1"}
    config = {
        "collect": {
            "cases": "cases.jsonl",
            "prompts": {"plain": {"system": "You write reports.", "text": "Say it again: {{text}}"}},
            "targets": {"only": {**target, "limits": {"concurrency": CONCURRENCY}}},
        },
        "ledger": "collected.sqlite",
    }
    (folder / "collect.yaml").write_text(json.dumps(config), encoding="utf-8")
    settings = load_settings(folder / "collect.yaml", need_judges=False)
    started = time.process_time()
    result = run_async(collect(settings))
    return result.counts["only"].complete, time.process_time() - started


def measure_cpu(base_url: str, count: int, rounds: int) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_samples(folder / "samples.jsonl", count)
        write_cases(folder / "cases.jsonl", count)
        judged, collected = [], []
        for _ in range(rounds):
            valid, seconds = pipeline(folder, base_url)
            judged.append(seconds / count * 1000)
            complete, seconds = collection(folder, base_url)
            collected.append(seconds / count * 1000)
            if (valid, complete) != (count, count):
                raise SystemExit(f"{valid} valid, {complete} complete of {count}: it would measure something else")
    ratios = [one / other for one, other in zip(collected, judged, strict=True)]
    print("| CPU s for 1,000 calls | median | range |")
    print("|---|---|---|")
    for title, values in (("judging, drift-sample", judged), ("collecting", collected), ("ratio", ratios)):
        print(f"| {title} | {statistics.median(values):.3f} | {min(values):.3f}–{max(values):.3f} |")


def measure_memory(base_url: str, counts: list[int]) -> None:
    print("| outputs | peak memory, MB |")
    print("|---|---|")
    for count in counts:
        with tempfile.TemporaryDirectory() as name:
            write_cases(Path(name) / "cases.jsonl", count)
            context = multiprocessing.get_context("spawn")
            queue = context.Queue()
            process = context.Process(target=_run_and_tell, args=(name, base_url, queue))
            process.start()
            print(f"| {count:,} | {queue.get():.0f} |", flush=True)
            process.join()


def _run_and_tell(folder: str, base_url: str, queue: multiprocessing.Queue[float]) -> None:
    collection(Path(folder), base_url)
    queue.put(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    with serving() as base_url:
        if sys.argv[1:2] == ["memory"]:
            measure_memory(base_url, [int(each) for each in sys.argv[2:]] or [1000, 10_000, 100_000])
        else:
            count, rounds = (int(value) for value in (sys.argv[1:] + ["2048", "5"][len(sys.argv) - 1 :]))
            measure_cpu(base_url, count, rounds)


if __name__ == "__main__":
    main()
