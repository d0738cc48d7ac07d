"""Quoting by words and citing by numbers, with a real model on this machine: valid replies, tokens and time.

Run: python -m bench.citing [--model qwen2.5-coder-1.5b] [--samples 20] [--record FILE] [--minutes 60]
The model must have been fetched with `venire local fetch`. Both ways judge the same answers of examples/grounded. The
share of valid replies has a Wilson interval: with few replies it is wide. Twenty answers take about 95 minutes on two
cores; with a record it can be done in pieces, since what stands there is not asked again.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import msgspec

from venire.domain.judge import JudgeIdentity
from venire.domain.material import Material, MaterialKind
from venire.domain.protocol import EvalProtocol
from venire.domain.sample import Sample
from venire.judges.blinding import fence_for, sample_handle
from venire.judges.prompt import Known, PromptWriter
from venire.judges.provider import Decoding, Provider, Request
from venire.judges.registry import create_provider
from venire.protocols.catalogue import find_protocol
from venire.shapes.check import Checker
from venire.stats import wilson_interval

ANSWERS = Path(__file__).parent.parent / "examples" / "grounded" / "answers.jsonl"
WAYS = ("words", "sentences")


class Tried(msgspec.Struct, frozen=True):
    """What one reply came to."""

    way: str
    sample: str
    valid: bool
    asked_tokens: int
    answered_tokens: int
    seconds: float
    broken: list[str]


def read_samples(count: int) -> Iterator[Sample]:
    """Yield answers of the example, evenly spread."""
    lines = ANSWERS.read_text(encoding="utf-8").splitlines()
    for line in lines[:: max(1, len(lines) // count)][:count]:
        row = json.loads(line)
        materials = tuple(Material(each["id"], MaterialKind.DOCUMENT, each["text"]) for each in row["documents"])
        yield Sample(row["output_id"], row["text"], task=row["task"], materials=materials)


def citing_by(way: str) -> EvalProtocol:
    """Return the protocol with one way of quoting."""
    protocol = find_protocol("grounded")
    return msgspec.structs.replace(protocol, evidence=msgspec.structs.replace(protocol.evidence, cite=way))


async def ask(provider: Provider, model: str, way: str, sample: Sample) -> Tried:
    """Ask the model about one sample, and say what came of it."""
    protocol = citing_by(way)
    checker = Checker(protocol, blind=True)
    handle = sample_handle(sample.digest)
    language = "en" if sample.task.isascii() else "zh"
    prompt = PromptWriter(protocol, protocol.scale(), language).write(
        sample, Known(handle), fence_for(0, sample.digest)
    )
    request = Request(
        model=model,
        system=prompt.system,
        user=prompt.user,
        decoding=Decoding(max_tokens=800),
        reply_schema=checker.schema(None, sample),
        protocol=protocol,
        subject=sample,
    )
    started = time.perf_counter()
    reply = await provider.ask(request)
    seconds = time.perf_counter() - started
    judgement = checker.check(reply.text or "", sample, judge=JudgeIdentity(model, model), handle=handle)
    broken = sorted({str(finding.rule) for finding in judgement.findings})
    tokens = (reply.input_tokens or 0, reply.output_tokens or 0)
    return Tried(way, sample.output_id, judgement.valid, *tokens, seconds, broken)


def recorded(record: Path | None) -> list[Tried]:
    """Read what was tried before."""
    lines = record.read_bytes().splitlines() if record and record.exists() else []
    return [msgspec.json.decode(line, type=Tried) for line in lines]


async def run(model: str, count: int, record: Path | None, minutes: float) -> list[Tried]:
    """Ask about all samples both ways, in turn, so that noise meets them alike, until time is up."""
    tried, deadline = recorded(record), time.monotonic() + 60 * minutes
    done = {(each.way, each.sample) for each in tried}
    provider = create_provider("local", {"model": model})
    try:
        for sample in read_samples(count):
            for way in WAYS:
                if (way, sample.output_id) in done or time.monotonic() > deadline:
                    continue
                tried.append(await ask(provider, model, way, sample))
                line = msgspec.json.encode(tried[-1]).decode()
                print(line, flush=True)
                if record:
                    with record.open("a", encoding="utf-8") as file:
                        file.write(line + "\n")
    finally:
        await provider.close()
    return tried


def print_table(tried: list[Tried]) -> None:
    """Print one row for each way of quoting."""
    print("| cited by | valid replies | tokens of a prompt | tokens of a reply | seconds a reply | rules broken |")
    print("|---|---|---|---|---|---|")
    for way in WAYS:
        replies = [each for each in tried if each.way == way]
        sums = [sum(each.asked_tokens for each in replies), sum(each.answered_tokens for each in replies)]
        asked, answered, seconds = (total / max(len(replies), 1) for total in [*sums, sum(e.seconds for e in replies)])
        rules = Counter(rule for each in replies for rule in each.broken).most_common()
        broken = ", ".join(f"{rule} {times}" for rule, times in rules) or "none"
        valid = sum(each.valid for each in replies)
        share = wilson_interval(valid, len(replies))
        said = f"{valid} of {len(replies)} ({share.low:.0%} … {share.high:.0%})" if replies else "none yet"
        print(f"| {way} | {said} | {asked:.0f} | {answered:.0f} | {seconds:.1f} | {broken} |")


def main() -> None:
    """Ask, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--samples", type=int, default=20)
    parser.add_argument("--record", type=Path, help="a file of what was tried, which is gone on with")
    parser.add_argument("--minutes", type=float, default=1e9, help="ask nothing new after so many minutes")
    options = parser.parse_args()
    print_table(asyncio.run(run(options.model, options.samples, options.record, options.minutes)))


if __name__ == "__main__":
    main()
