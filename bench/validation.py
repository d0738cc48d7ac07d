"""How fast replies are checked, beside the practical limit: decoding the same reply and looking up its quotes.

Run: python -m bench.validation
Prints CPU microseconds for one reply and the ratio, from alternating rounds in one process, best of each.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import msgspec

from venire.domain.material import Material, MaterialKind
from venire.domain.sample import Sample
from venire.protocols.catalogue import find_protocol
from venire.shapes.check import Checker, prepare

ROUNDS, REPLIES = 150, 400
ENGLISH = (
    "The report states that item {0} was checked by two people, and that {1} of its parts were found to be sound. "
)
CHINESE = "报告指出，第{0}项由两人核对，其中{1}个部分被确认完好，其余部分已经退回并注明了原因。"


def best_microseconds(functions: dict[str, Callable[[], object]]) -> dict[str, float]:
    """Time functions in turn, so that noise meets them alike, and return the best of each."""
    best = dict.fromkeys(functions, float("inf"))
    for _ in range(ROUNDS):
        for name, function in functions.items():
            started = time.process_time()
            for _ in range(REPLIES):
                function()
            best[name] = min(best[name], (time.process_time() - started) / REPLIES * 1e6)
    return best


def example(sentence: str, size: int, quote_length: int) -> tuple[Sample, bytes, list[str]]:
    """Make an output of about the given size and a valid reply on it."""
    text = ""
    number = 0
    while len(text.encode()) < size:
        number += 1
        text += sentence.format(number, number * 7 % 10)
    dimensions = find_protocol("drift-sample").dimension_ids
    starts = [len(text) * share // 10 for share in (1, 3, 6, 8)]
    quotes = [text[start : start + quote_length].strip() for start in starts]
    reply = {
        "meta": {
            "judge_model": "judge-a",
            "target_model": "model-b",
            "question_id": "Q3",
            "prompt_variant": "A",
            "output_id": "out-17",
            "method": "cross_judge",
            "timestamp": "2026-01-01",
        },
        "scores": {**dict(zip(dimensions, (2, 2, 1, 2), strict=True)), "overall_score": 7},
        "verdict": "PASS",
        "flags": [],
        "evidence": [
            {"dimension": dimension, "quote": quote, "reason": "The passage meets what this dimension asks for."}
            for dimension, quote in zip(dimensions, quotes, strict=True)
        ],
        "notes": "",
    }
    return (
        Sample("out-17", text, "Q3", "A", "model-b"),
        json.dumps(reply, ensure_ascii=False, indent=2).encode(),
        quotes,
    )


def grounded_example(sentence: str) -> tuple[Sample, bytes, list[str]]:
    """Make an output of 20 claims, five documents of 2 KB, and a valid reply with a passage for each claim."""
    said = [sentence.format(number, number * 7 % 10).strip() for number in range(1, 21)]
    between = " " if sentence.isascii() else ""
    documents = []
    for place in range(5):
        text = between.join(said[place * 4 : place * 4 + 4])
        padding = between.join(sentence.format(f"A{place}", number) for number in range(2048 // len(sentence.encode())))
        documents.append(Material(f"document-{place}", MaterialKind.DOCUMENT, padding + text))
    claims = [
        {"words": words, "finding": "supported", "source": f"document-{place // 4}", "passage": words}
        for place, words in enumerate(said)
    ]
    reply = {"claims": claims, "nothing_to_check": []}
    sample = Sample("out-17", between.join(said), "Q3", "A", "model-b", materials=tuple(documents))
    return sample, json.dumps(reply, ensure_ascii=False, indent=2).encode(), said + said


def main() -> None:
    checker, grounded = Checker(find_protocol("drift-sample")), Checker(find_protocol("grounded"))
    examples = (
        ("English, 2 KB", checker, example(ENGLISH, 2048, 60)),
        ("Chinese, 2 KB", checker, example(CHINESE, 2048, 30)),
        ("English, 20 claims", grounded, grounded_example(ENGLISH)),
        ("Chinese, 20 claims", grounded, grounded_example(CHINESE)),
    )
    print("| output | limit, CPU µs | check, CPU µs | ratio | judgements a CPU second |")
    print("|---|---|---|---|---|")
    for name, chosen, (sample, raw, quotes) in examples:
        prepared = prepare(sample)
        if not chosen.check(raw, prepared).valid:
            raise SystemExit("the example reply is not valid: the benchmark would measure something else")

        def limit(raw: bytes = raw, quotes: list[str] = quotes, text: str = sample.text) -> bool:
            msgspec.json.decode(raw)
            return all(quote in text for quote in quotes)

        def check(chosen: Checker = chosen, raw: bytes = raw, prepared: object = prepared) -> object:
            return chosen.check(raw, prepared)  # type: ignore[arg-type]

        found = best_microseconds({"limit": limit, "check": check})
        ratio = found["check"] / found["limit"]
        rate = 1e6 / found["check"]
        print(f"| {name} | {found['limit']:.1f} | {found['check']:.1f} | {ratio:.2f} | {rate:,.0f} |")


if __name__ == "__main__":
    main()
