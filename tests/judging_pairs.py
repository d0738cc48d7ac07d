"""Outputs whose quality stands in them, and judges on loopback that compare two of them, some with a weak spot."""

from __future__ import annotations

import csv
import hashlib
import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import yaml

MODELS = ("alder", "birch", "cedar", "dogwood")
_OUTPUT = re.compile(r"`(first|second)`:\n(===DATA-\w+===)\n(.*?)\n\2", re.DOTALL)
_QUALITY = re.compile(r"worth (\d+)")


def write_outputs(
    path: Path, questions: int = 12, models: tuple[str, ...] = MODELS, variants: tuple[str, ...] = ("",)
) -> Path:
    """Write a table in which the models are the better the earlier they are named, by a step more than the noise."""
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["output_id", "question_id", "target_model", "task", "text", "prompt_variant"])
        for number, variant, (place, model) in product(range(questions), variants, enumerate(models)):
            noise = hashlib.sha256(f"{number}{model}{variant}".encode()).digest()[0] % 30
            worth = 200 - 15 * place + noise
            words = f"Answer {number} of this model is worth {worth} points."
            name, task = f"q{number}-{model}{variant}", f"Answer question {number}."
            table.writerow([name, f"q{number}", model, task, words, variant])
    return path


def prefer(body: dict[str, Any], lean: int = 0) -> str:
    """Reply to a prompt about two outputs: the one of the higher worth wins, `lean` points being given to the first."""
    prompt = body["messages"][-1]["content"]
    outputs = {place: text for place, _, text in _OUTPUT.findall(prompt)}
    worth = {place: int(_QUALITY.search(text)[1]) for place, text in outputs.items()}  # type: ignore[index]
    apart = worth["first"] + lean - worth["second"]
    return json.dumps(preference_reply("first" if apart > 0 else "second" if apart < 0 else "tie", outputs))


def preference_reply(winner: str, outputs: dict[str, str]) -> dict[str, Any]:
    """Return a reply that `preference` has nothing to say about."""
    return {
        "winner": winner,
        "strength": 0 if winner == "tie" else 2,
        "reasons": dict.fromkeys(("correctness", "completeness", "clarity"), "It is worth more."),
        "quotes": [{"output": place, "quote": text[:25]} for place, text in outputs.items()],
    }


def write_config(folder: Path, servers: dict[str, str], **more: Any) -> Path:
    """Write a configuration whose judges are servers on loopback."""
    judges = {
        name: {"type": "openai_compatible", "model": f"{name}-model", "base_url": url, "weight": 1 / len(servers)}
        for name, url in servers.items()
    }
    config = {"protocol": "preference", "samples": "outputs.csv", "ledger": "ledger.sqlite", "judges": judges, **more}
    path = folder / "venire.yaml"
    path.write_text(yaml.safe_dump(config), encoding="utf-8")
    return path
