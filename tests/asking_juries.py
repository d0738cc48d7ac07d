"""Juries for tests: outputs that say how good they are, and judges behind a real server that see it more or less."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any

from experiment import served_judge, write_config, write_samples
from judge_server import DIMENSIONS, drift_sample_reply, judged_text, prompt_text
from venire.domain.sample import Sample


def graded_samples(count: int, hard_share: float = 0.25) -> list[Sample]:
    """Return outputs whose text says their quality, from 0 to 8, and whether judges find them hard."""
    chance = random.Random(1)
    samples = []
    for number in range(count):
        hard = "hard" if chance.random() < hard_share else "easy"
        text = f"Output {number} is {hard} and of quality {chance.choice([0, 1, 2, 5, 6, 8, 8])} by all accounts."
        model = ("alder-1", "birch-2")[number % 2]
        samples.append(Sample(f"s{number}", text, question_id=f"q{number // 2}", target_model=model, task="Say it."))
    return samples


def quality_of(text: str) -> int:
    """Return the quality that an output says of itself."""
    return int(re.findall(r"quality (\d)", text)[-1])


def uneven_reply(seen: dict[str, Any]) -> str:
    """Reply as a judge that sees the quality of easy outputs, and misses that of hard ones by some points."""
    reply = json.loads(drift_sample_reply(seen))
    text = judged_text(prompt_text(seen))
    spread = {"strong": 1, "cheap-a": 3, "cheap-b": 3}[seen["model"]] if " hard " in text else 0
    chance = random.Random(f"{seen['model']} {text} {reply['meta']['output_id'] if seen['model'] == 'strong' else ''}")
    total = max(0, min(8, quality_of(text) + chance.randint(-spread, spread)))
    scores = {name: total // 4 + (place < total % 4) for place, name in enumerate(DIMENSIONS)}
    reply["scores"] = scores | {"overall_score": total}
    reply["verdict"] = "FAIL" if total <= 3 else "PASS" if total >= 7 else "PARTIAL"
    return json.dumps(reply)


def write_jury(folder: Path, base_url: str, jury: dict[str, Any], samples: list[Sample], **keys: Any) -> Path:
    """Write an experiment with two cheap judges and a strong one."""
    write_samples(folder, samples)
    judges = {
        name.replace("-", "_"): served_judge(base_url, model=name, weight=weight, price=price)
        for name, weight, price in (
            ("cheap-a", 0.2, {"input_per_million": 0.1, "output_per_million": 0.1}),
            ("cheap-b", 0.2, {"input_per_million": 0.1, "output_per_million": 0.1}),
            ("strong", 0.6, {"input_per_million": 5, "output_per_million": 5}),
        )
    }
    return write_config(folder, judges, jury={"start": ["cheap_a", "cheap_b"], "then": ["strong"], **jury}, **keys)


def write_labels(folder: Path, samples: list[Sample]) -> Path:
    """Write what people say: the verdict on the quality that outputs have."""
    verdicts = [(quality_of(each.text) >= 7) - (quality_of(each.text) <= 3) for each in samples]
    rows = [
        f"{each.output_id},{('PARTIAL', 'PASS', 'FAIL')[sign]}" for each, sign in zip(samples, verdicts, strict=True)
    ]
    path = folder / "labels.csv"
    path.write_text("\n".join(["output_id,verdict", *rows]) + "\n")
    return path
