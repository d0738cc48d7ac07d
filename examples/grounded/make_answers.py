"""Write the answers of two versions of a small retrieval bot, with the documents that each of them was given.

Run it with `python examples/grounded/make_answers.py`; it writes `answers.jsonl` beside itself, always the same bytes.
What an answer says follows from its version and its question: version 2 greets, contradicts its documents more often
and adds what stands in none of them.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
CONTRADICTING = {"bot-1": 2, "bot-2": 4}
"""In how many of ten answers a version says otherwise than its documents, about."""
ADDING = {"bot-1": 1, "bot-2": 6}
"""In how many of ten answers a version adds what no document says, about."""


def main() -> None:
    """Write all answers, in the order of the questions."""
    corpus = yaml.safe_load((HERE / "corpus.yaml").read_text(encoding="utf-8"))
    rows = [make_answer(question, corpus["documents"], bot) for question in corpus["questions"] for bot in ADDING]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (HERE / "answers.jsonl").write_text(lines, encoding="utf-8", newline="\n")


def make_answer(question: dict[str, Any], documents: dict[str, str], bot: str) -> dict[str, Any]:
    """Make the record of one answer."""
    output_id = f"{question['id']}-{bot}"
    says = "wrong" if _chance(output_id, "says") < CONTRADICTING[bot] else "right"
    is_chinese = not question["ask"].isascii()
    sentences = [("您好！" if is_chinese else "Hello!") if bot == "bot-2" else "", question[says]]
    sentences += [question["extra"]] if _chance(output_id, "extra") < ADDING[bot] else []
    return {
        "output_id": output_id,
        "question_id": question["id"],
        "target_model": bot,
        "task": question["ask"],
        "text": ("" if is_chinese else " ").join(filter(None, sentences)),
        "documents": [{"id": name, "text": documents[name]} for name in question["finds"]],
    }


def _chance(output_id: str, what: str) -> int:
    return hashlib.sha256(f"{what} {output_id}".encode()).digest()[0] % 10


if __name__ == "__main__":
    main()
