"""What looking at many outputs takes: CPU seconds of pages and filters over a ledger of 100,000 outputs, and memory.

Run: python -m bench.viewer [OUTPUTS]

Each output has two judgements. The pages are those of `venire view`, asked for over the application's own door; only
the process that serves them is measured. The first page of all comes while the index is still being made.
"""

from __future__ import annotations

import json
import multiprocessing
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import msgspec

from report_ledger import design, write_ledger
from venire.domain.canonical import sha256_hex
from venire.domain.sample import Sample
from venire.ledger.entry import Draft, Kind
from venire.ledger.location import open_ledger
from venire.ledger.subjects import subject_drafts
from venire.runner.records import JudgementRecord
from viewing import viewing

MODELS, QUESTIONS, BATCH = 12, 500, 2_000
WORDS = Path(__file__).read_text().split()[:14]
PAGES = {
    "worst first": "/outputs",
    "one model": "/outputs?model=model-3",
    "verdict of one judge": "/outputs?judge=oak&verdict=FAIL",
    "most disputed": "/outputs?order=disputed",
    "invalid": "/outputs?only=invalid",
    "words in the text": "/outputs?q=output+77777",
    "page 1,000": "/outputs?first=49950",
}


def drafts(count: int, records: list[JudgementRecord]) -> Iterator[Draft]:
    """Yield outputs, each with two judgements."""
    for number in range(count):
        text = f"Output {number}. " + " ".join(WORDS[(number * 7 + place) % len(WORDS)] for place in range(120))
        sample = Sample(f"out-{number}", text, question_id=f"q{number % QUESTIONS}", prompt_variant=f"v{number % 4}",
                        target_model=f"model-{number % MODELS}", factors={"parity": str(number % 2)})  # fmt: skip
        yield from subject_drafts(sample, frozenset())
        for place, record in enumerate(records):
            task = msgspec.structs.replace(record.task, sample_digest=sample.digest)
            judgement = msgspec.structs.replace(
                record.judgement, sample=sample.output_id, sample_digest=sample.digest, overall=(number + place) % 9,
                verdict=("FAIL", "PARTIAL", "PASS")[(number + place) % 9 // 3],
            )  # fmt: skip
            key = sha256_hex(f"{number} {place}".encode())
            yield Draft(Kind.JUDGEMENT, msgspec.structs.replace(record, task=task, judgement=judgement), key)


def write(path: Path, count: int) -> None:
    """Write a ledger of a real small run, and many outputs like its own behind it."""
    write_ledger(path, design(questions=1))
    ledger = open_ledger(str(path))
    found = [msgspec.convert(entry.content, JudgementRecord) for entry in ledger.read(kinds=[Kind.JUDGEMENT])]
    by_judge = {record.task.judge: record for record in found}
    waiting = drafts(count, list(by_judge.values()))
    while batch := list(islice(waiting, BATCH)):
        ledger.append(batch)
    ledger.close()


def look(path: str, report: str) -> None:
    """Ask for pages, and write down what they took."""
    seconds: dict[str, float] = {}
    with viewing(Path(path)) as (client, reader):
        client.get(f"/open/{reader.token}", follow_redirects=False)

        def ask(name: str, address: str) -> None:
            begin = time.process_time()
            answer = client.get(address)
            assert answer.status_code == 200, answer.text
            seconds[name] = time.process_time() - begin

        ask("first of all", "/outputs")
        begin = time.process_time()
        while (state := client.get("/outputs-live").json())["read"] < state["known"]:
            pass
        seconds["making the index, once"] = time.process_time() - begin
        ask("warming up", "/outputs")
        for name, address in PAGES.items():
            ask(name, address)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    Path(report).write_text(json.dumps({"seconds": seconds, "peak": peak, "outputs": state["total"]}))


def opened_again(path: str, report: str) -> None:
    """Open the viewer with its index in place, and ask for the first page."""
    begin = time.process_time()
    with viewing(Path(path)) as (client, reader):
        client.get(f"/open/{reader.token}", follow_redirects=False)
        answer = client.get("/outputs")
        assert answer.status_code == 200
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    Path(report).write_text(json.dumps({"seconds": time.process_time() - begin, "peak": peak}))


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as folder:
        path, report = Path(folder) / "ledger.sqlite", Path(folder) / "report.json"
        writer = context.Process(target=write, args=(path, count))
        writer.start()
        writer.join()
        for work in (look, opened_again):
            process = context.Process(target=work, args=(str(path), str(report)))
            process.start()
            process.join()
            assert process.exitcode == 0
            found = json.loads(report.read_text())
            if work is look:
                print(f"{found['outputs']:,} outputs, two judgements each; CPU seconds:")
                for name, seconds in found["seconds"].items():
                    print(f"  {name:26} {seconds:8.2f}")
                print(f"  peak memory {found['peak']:.0f} MB")
            else:
                print(f"opened again: first page {found['seconds']:.2f} s CPU, peak {found['peak']:.0f} MB")


if __name__ == "__main__":
    main()
