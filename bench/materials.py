"""What documents cost: CPU for 1,000 calls with five documents of 2 KB beside each output and without, and memory.

Run: python -m bench.materials [SAMPLES] [ROUNDS]        CPU, alternating rounds in one process
     python -m bench.materials memory [SAMPLES ...]      peak memory of runs with documents, each in its own process

The judge is another process on loopback and quotes one of the documents. `shared` takes the documents of each sample
from a corpus of 2,000; with `distinct`, no two samples share a document, so that the ledger stores all of them.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import statistics
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.runtime import SENTENCE, pipeline, serving

CORPUS, BESIDE, DOCUMENT_CHARACTERS = 2_000, 5, 2_048
PROTOCOL = """extends: drift-sample
id: drift-sample-with-documents
materials: {shown: [document], quoted: [document]}
"""
DOCUMENTS = ("none", "shared", "distinct")


def document(number: int) -> str:
    """Return a document of 2 KB that differs from all others."""
    text = "".join(SENTENCE.format(number * 37 + line, line % 5) for line in range(25))
    return f"Document {number}. {text}"[:DOCUMENT_CHARACTERS]


def beside(sample: int, documents: str) -> list[str]:
    """Return the documents of a sample."""
    numbers = range(sample * BESIDE, sample * BESIDE + BESIDE) if documents != "none" else ()
    return [document(number % CORPUS if documents == "shared" else number) for number in numbers]


@contextmanager
def experiment(count: int, documents: str) -> Iterator[Path]:
    """Write the samples and the protocol into a folder of their own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "protocol.yaml").write_text(PROTOCOL)
        with (folder / "samples.jsonl").open("w", encoding="utf-8") as file:
            for number in range(count):
                text = "".join(SENTENCE.format(number * 31 + line, line % 7) for line in range(20))
                row = {"output_id": f"out-{number}", "text": text, "question_id": f"q{number % 50}", "model": "m"}
                contexts = beside(number, documents)
                file.write(json.dumps({**row, **({"contexts": contexts} if contexts else {})}) + "\n")
        yield folder


def cpu_for(base_url: str, count: int, documents: str) -> float:
    """Return the CPU seconds of 1,000 calls of one run."""
    with experiment(count, documents) as folder:
        valid, seconds = pipeline(folder, base_url, "protocol.yaml")
    if valid != count:
        raise SystemExit(f"{valid} of {count} judgements are valid: the benchmark would measure something else")
    return seconds / count * 1000


def measure_cpu(base_url: str, count: int, rounds: int) -> None:
    """Print the CPU of runs with and without documents, and their ratios."""
    found = [{documents: cpu_for(base_url, count, documents) for documents in DOCUMENTS} for _ in range(rounds)]
    print("| documents | CPU s for 1,000 calls, median | range | times that without |")
    print("|---|---|---|---|")
    for documents in DOCUMENTS:
        times = [each[documents] for each in found]
        ratio = statistics.median(each[documents] / each["none"] for each in found)
        print(f"| {documents} | {statistics.median(times):.3f} | {min(times):.3f}–{max(times):.3f} | {ratio:.2f} |")


def measure_memory(base_url: str, counts: list[int]) -> None:
    """Print the peak memory of runs with documents of growing size."""
    print("| samples | documents | peak memory, MB |")
    print("|---|---|---|")
    context = multiprocessing.get_context("spawn")
    for count in counts:
        for documents in DOCUMENTS[1:]:
            with experiment(count, documents) as folder:
                queue = context.Queue()
                process = context.Process(target=_run_and_tell, args=(str(folder), base_url, queue))
                process.start()
                print(f"| {count:,} | {documents} | {queue.get():.0f} |", flush=True)
                process.join()


def _run_and_tell(folder: str, base_url: str, queue: multiprocessing.Queue[float]) -> None:
    pipeline(Path(folder), base_url, "protocol.yaml")
    queue.put(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main() -> None:
    with serving() as base_url:
        if sys.argv[1:2] == ["memory"]:
            measure_memory(base_url, [int(each) for each in sys.argv[2:]] or [2_000, 20_000])
        else:
            count, rounds = (int(value) for value in (sys.argv[1:] + ["2048", "3"][len(sys.argv) - 1 :]))
            measure_cpu(base_url, count, rounds)


if __name__ == "__main__":
    main()
