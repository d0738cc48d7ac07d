"""Make 400 answers of two support bots, and what people said of 240 of them: `python3 examples/jury/make_outputs.py`.

Each answer holds some of eight facts. Of one in four the facts are put in other words: judges that look for the usual
words do not see them, or take something else for them.
"""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

FACTS = (
    ("## Answer", "**Answer**"),
    ("## Next steps", "**Next steps**"),
    ("You get a refund.", "You get your money back."),
    ("Write within 14 days.", "Write in two weeks at the latest."),
    ("Tell us your order number.", "Tell us the digits on the slip."),
    ("Keep the receipt.", "Do not throw the bill away."),
    ("Call us at any hour.", "The line is open day and night."),
    ("We answer the same day.", "You hear from us before midnight."),
)
DECOYS = ("There was a refund last year.", "An order number is not needed for advice.", "")


def main() -> None:
    """Write outputs.jsonl and labels.csv into this folder."""
    folder, chance = Path(__file__).parent, random.Random(7)
    outputs, labels = [], []
    for number in range(400):
        model, is_hard = ("oak-bot", "elm-bot")[number % 2], chance.random() < 0.25
        likely = chance.choice([0.15, 0.6, 0.95, 0.95] if model == "oak-bot" else [0.15, 0.6, 0.8, 0.95])
        held = [fact for fact in FACTS if chance.random() < likely]
        lines = [fact[is_hard and chance.random() < 0.4] for fact in held]
        lines += [chance.choice(DECOYS)] if is_hard else []
        text = "\n".join(["Thank you for writing.", *filter(None, lines)])
        name = f"{model}-{number // 2:03}"
        outputs.append({"output_id": name, "question_id": f"q{number // 2:03}", "target_model": model, "text": text})
        if number < 240:
            labels.append((name, "FAIL" if len(held) <= 3 else "PASS" if len(held) >= 7 else "PARTIAL"))
    lines = "".join(json.dumps(each) + "\n" for each in outputs)
    (folder / "outputs.jsonl").write_text(lines, encoding="utf-8")
    with (folder / "labels.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("output_id", "verdict"), *labels])


if __name__ == "__main__":
    main()
