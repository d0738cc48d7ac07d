"""Quoting by words and citing by numbers, with a real model on this machine: valid replies, tokens and time.

Run: python -m bench.citing [--model qwen2.5-coder-1.5b] [--samples 20]
The model must have been fetched with `venire local fetch`. Both ways judge the same answers of examples/grounded. The
share of valid replies has a Wilson interval: with few replies it is wide. Twenty answers take about 95 minutes on two
cores.
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


class Tally(msgspec.Struct):
    """What one way of quoting came to."""

    replies: int = 0
    valid: int = 0
    asked_tokens: int = 0
    answered_tokens: int = 0
    seconds: float = 0.0
    broken: Counter[str] = msgspec.field(default_factory=Counter)


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


async def ask(provider: Provider, model: str, protocol: EvalProtocol, sample: Sample, tally: Tally) -> None:
    """Ask the model about one sample, and count what came of it."""
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
    tally.seconds += time.perf_counter() - started
    tally.replies += 1
    tally.asked_tokens += reply.input_tokens or 0
    tally.answered_tokens += reply.output_tokens or 0
    judgement = checker.check(reply.text or "", sample, judge=JudgeIdentity(model, model), handle=handle)
    tally.valid += judgement.valid
    tally.broken.update({finding.rule for finding in judgement.findings})
    print(f"{protocol.evidence.cite}\t{sample.output_id}\t{judgement.status}\t{judgement.overall}", flush=True)


async def run(model: str, count: int) -> dict[str, Tally]:
    """Ask about all samples both ways, in turn, so that noise meets them alike."""
    provider = create_provider("local", {"model": model})
    tallies = {way: Tally() for way in WAYS}
    try:
        for sample in read_samples(count):
            for way in WAYS:
                await ask(provider, model, citing_by(way), sample, tallies[way])
    finally:
        await provider.close()
    return tallies


def main() -> None:
    """Print one row for each way of quoting."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="qwen2.5-coder-1.5b")
    parser.add_argument("--samples", type=int, default=20)
    options = parser.parse_args()
    tallies = asyncio.run(run(options.model, options.samples))
    print("| cited by | valid replies | tokens of a prompt | tokens of a reply | seconds | rules broken |")
    print("|---|---|---|---|---|---|")
    for way, tally in tallies.items():
        means = (tally.asked_tokens, tally.answered_tokens, tally.seconds)
        asked, answered, seconds = (total / max(tally.replies, 1) for total in means)
        broken = ", ".join(f"{rule} {times}" for rule, times in tally.broken.most_common()) or "none"
        share = wilson_interval(tally.valid, tally.replies)
        valid = f"{tally.valid} of {tally.replies} ({share.low:.0%} … {share.high:.0%})"
        print(f"| {way} | {valid} | {asked:.0f} | {answered:.0f} | {seconds:.1f} | {broken} |")


if __name__ == "__main__":
    main()
