"""What a judgement takes in a ledger: a reply of 1.5 kB in an answer of OpenAI's form, with its judgement.

Run: `python -m bench.stored_bytes [JUDGEMENTS]`. Two judges are asked about the same samples on the same ledger; what
the second one adds is what its replies and judgements take, for the samples are there already.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from experiment import FakeProvider, make_judge
from judge_server import drift_sample_reply
from postgres_server import WRITER, PostgresServer
from venire.domain.sample import Sample
from venire.judges.provider import Reply, Request
from venire.ledger.postgres.ledger import PostgresLedger
from venire.ledger.sqlite.ledger import SqliteLedger
from venire.ledger.store import Ledger
from venire.protocols.catalogue import find_protocol
from venire.runner.context import RunSpec
from venire.runner.executor import LocalEngine
from venire.runner.options import RunnerOptions
from venire.runner.run import run_panel

WORDS = Path(__file__).with_name("stored_bytes.py").read_text().split() + find_protocol.__doc__.split()
REPLY_BYTES = 1500


def answer(request: Request) -> Reply:
    """Return a valid reply of about 1.5 kB, in the body that an OpenAI-compatible server would send."""
    seen = {"model": request.model, "messages": [{"content": request.system}, {"content": request.user}]}
    reply = json.loads(drift_sample_reply(seen))
    for each in reply["evidence"]:
        each["reason"] = ""
    spare = REPLY_BYTES - len(json.dumps(reply))
    for number, each in enumerate(reply["evidence"]):
        words = " ".join(random.choices(WORDS, k=200)).replace('"', "'").replace("\\", "")  # Not the same twice.
        each["reason"] = f"{number}. {words}"[: spare // len(reply["evidence"])]
    text = json.dumps(reply)
    message = {"role": "assistant", "content": text, "refusal": None, "annotations": []}
    usage = {"prompt_tokens": 1843, "completion_tokens": 402, "total_tokens": 2245,
             "prompt_tokens_details": {"cached_tokens": 0}}  # fmt: skip
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
    body = {"id": f"chatcmpl-{request.task_id[:29]}", "object": "chat.completion", "created": 1741569952,
            "model": request.model, "choices": [choice], "usage": usage, "system_fingerprint": "fp_06"}  # fmt: skip
    return Reply(text, json.dumps(body).encode(), 200, input_tokens=1843, output_tokens=402, finish_reason="stop")


def run(ledger: Ledger, judge_name: str, count: int) -> None:
    samples = [Sample(f"out-{n}", f"Output {n} says one thing and another. " * 20, question_id=f"q{n}",
                      prompt_variant="a", target_model="alder-1") for n in range(count)]  # fmt: skip
    judge = make_judge(judge_name)
    spec = RunSpec(find_protocol("drift-sample"), (judge,), lambda: iter(samples), RunnerOptions(reask_share=0))
    result = asyncio.run(run_panel(spec, ledger, LocalEngine({judge_name: FakeProvider(answer)})))
    assert result.counts[judge_name].valid == count, result


def of_entries(ledger: Ledger) -> str:
    """Return how long payloads and blobs are on average, by kind."""
    lengths, counts = Counter[str](), Counter[str]()
    for entry in ledger.read():
        lengths[f"{entry.kind.value} payload"] += len(entry.payload)
        lengths[f"{entry.kind.value} blob"] += len(entry.blob)
        counts[entry.kind.value] += 1
    return ", ".join(f"{name} {lengths[name] / counts[name.split()[0]]:.0f}" for name in lengths if lengths[name])


def sqlite_bytes(count: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        path, sizes = Path(folder) / "ledger.sqlite", []
        for name in ("oak", "elm"):
            ledger = SqliteLedger(path)
            run(ledger, name, count)
            if name == "elm":
                print(f"entries, bytes on average: {of_entries(ledger)}")
            ledger.close()  # Which brings everything into the file.
            sizes.append(path.stat().st_size)
    return (sizes[1] - sizes[0]) / count


def postgres_bytes(count: int) -> float:
    server = PostgresServer()
    try:
        database, sizes = server.new_ledger(), []
        for name in ("oak", "elm"):
            ledger = PostgresLedger(server.url(database, WRITER))
            run(ledger, name, count)
            ledger.close()
            with server.connect(database) as connection:
                (size,) = connection.execute("SELECT pg_total_relation_size('venire.entry')").fetchone() or (0,)
            sizes.append(size)
        return float(sizes[1] - sizes[0]) / count
    finally:
        server.remove()


def main(count: int = 500) -> None:
    print(f"SQLite: {sqlite_bytes(count):.0f} bytes a judgement")
    print(f"PostgreSQL: {postgres_bytes(count):.0f} bytes a judgement")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
