"""Write what two versions of a shop's support bot answered, with the documents that each answer had.

Run it with `python examples/support/make_outputs.py`; it writes `outputs.csv` beside itself, always the same bytes.
There are a hundred questions: twenty products, five topics. Version 1 more often says another number than its
documents, and version 2 more often adds what stands in none of them. A hash decides in which answers.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

Item = TypeVar("Item")
HERE = Path(__file__).parent
PRODUCTS = (
    "kettle", "toaster", "blender", "juicer", "mixer", "grill", "fryer", "steamer", "freezer", "dishwasher",
    "vacuum", "iron", "heater", "fan", "humidifier", "lamp", "radio", "scale", "clock", "charger",
)  # fmt: skip
TOPICS = {
    "warranty": ("How long is the warranty of the {product}?", "The {product} has a warranty of {number} months."),
    "returns": ("Until when can I return the {product}?", "The {product} can be returned within {number} days."),
    "delivery": ("How fast do you deliver the {product}?", "We deliver the {product} within {number} working days."),
    "power": ("How much power does the {product} need?", "The {product} needs {number} watts."),
    "parts": ("What does a new cable for the {product} cost?", "A new cable for the {product} costs {number} euros."),
}
NUMBERS = {
    "warranty": (12, 18, 24, 36, 48),
    "returns": (14, 21, 30, 45, 60),
    "delivery": (2, 3, 4, 5, 7),
    "power": (40, 150, 400, 900, 1600),
    "parts": (6, 8, 11, 15, 19),
}
ADDED = (
    "Most customers rate it with five stars.",
    "Shipping is free for members of our club.",
    "It was redesigned by an award-winning studio.",
    "Our technicians answer the telephone all night.",
)
CONTRADICTING = {"bot-1": 20, "bot-2": 6}
"""In how many of a hundred answers a version says another number than its documents."""
ADDING = {"bot-1": 4, "bot-2": 30}
"""In how many of a hundred answers a version adds what no document says."""


def main() -> None:
    """Write the table beside this script."""
    (HERE / "outputs.csv").write_text(make_table(), encoding="utf-8", newline="\n")


def make_table() -> str:
    """Make all answers as CSV, in the order of products and topics."""
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["output_id", "question_id", "target_model", "topic", "user_input", "response", "contexts"])
    table.writerows(make_row(product, topic, bot) for product in PRODUCTS for topic in TOPICS for bot in CONTRADICTING)
    return text.getvalue()


def make_row(product: str, topic: str, bot: str) -> list[str]:
    """Make the row of one answer: the sheet of the product and one of another product were retrieved for it."""
    question_id = f"{product}-{topic}"
    other = PRODUCTS[(PRODUCTS.index(product) + 1) % len(PRODUCTS)]
    contexts = [{"id": f"{name}-sheet", "text": make_sheet(name)} for name in (product, other)]
    asked = TOPICS[topic][0].format(product=product)
    row = [f"{question_id}-{bot}", question_id, bot, topic, asked, make_answer(product, topic, bot)]
    return [*row, json.dumps(contexts)]


def make_sheet(product: str) -> str:
    """Write the document about a product: one sentence for each topic."""
    return " ".join(
        TOPICS[topic][1].format(product=product, number=_pick(NUMBERS[topic], product, topic)) for topic in TOPICS
    )


def make_answer(product: str, topic: str, bot: str) -> str:
    """Write what a version of the bot says: right or with another number, with or without something added."""
    number = _pick(NUMBERS[topic], product, topic)
    question_id = f"{product}-{topic}"
    if question_id in _choose(CONTRADICTING[bot], bot, "contradicts"):
        number = _pick([other for other in NUMBERS[topic] if other != number], product, topic, bot)
    says = TOPICS[topic][1].format(product=product, number=number)
    if question_id in _choose(ADDING[bot], bot, "adds"):
        return f"{says} {_pick(ADDED, product, topic, bot)}"
    return says


def _choose(count: int, *about: str) -> list[str]:
    question_ids = (f"{product}-{topic}" for product in PRODUCTS for topic in TOPICS)
    return sorted(question_ids, key=lambda question_id: _hash(question_id, *about))[:count]


def _pick(items: Sequence[Item], *about: str) -> Item:
    return items[_hash(*about) % len(items)]


def _hash(*about: str) -> int:
    return int.from_bytes(hashlib.sha256(" ".join(about).encode()).digest()[:4])


if __name__ == "__main__":
    main()
