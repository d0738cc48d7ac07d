"""Simulate the difference of two models corrected by labels, where judges favour one; and `report --labels`.

Run from the root: .venv/bin/python -m bench.stats.corrected [repetitions] [reports]
It writes docs/reference/benchmarks/stats-corrected.md, and ends with 1 if a row covers less than 93 % or, where the
models are equal, alarms in more than 5 % plus two simulation errors.
"""

from __future__ import annotations

import csv
import math
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from venire.reports.report import Choices
from venire.stats.uncertainty.corrected_difference import corrected_difference
from venire.workflows.analyse import analyse
from venire.workflows.evidence.label_file import read_labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Generator = np.random.Generator
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "benchmarks" / "stats-corrected.md"
COMMAND = ".venv/bin/python -m bench.stats.corrected"
FAVOUR = 0.8
"""How much the judges favour the first model, in standard deviations of quality."""

SHAPES: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "normal": lambda quality: quality,
    "skewed 1–5": lambda quality: np.clip(np.rint(4.0 + 1.1 * quality), 1, 5),
    "binary": lambda quality: (quality > 0.5).astype(float),
}
SIZES = ((60, 1, 40), (150, 1, 120), (25, 4, 60), (25, 4, 120), (200, 1, 60))
"""How many questions, outputs of each model to a question, and labels."""


class Drawn(NamedTuple):
    """The outputs of two models: what people would say, what the judges say, which model, which question."""

    truth: np.ndarray
    judged: np.ndarray
    is_first: np.ndarray
    questions: np.ndarray


def draw(generator: Generator, shape: str, questions: int, per_question: int, effect: float) -> Drawn:
    """Draw outputs whose quality is alike within a question, and judges who favour the first model."""
    number = np.repeat(np.arange(questions), 2 * per_question)
    is_first = np.tile(np.repeat([True, False], per_question), questions)
    shared = generator.normal(size=questions)[number]
    quality = math.sqrt(0.5) * (shared + generator.normal(size=len(number))) + effect * is_first
    judged = quality + 0.5 * generator.normal(size=len(number)) + np.where(is_first, FAVOUR - 0.3, -0.3)
    return Drawn(SHAPES[shape](quality), judged, is_first, number)


def label(generator: Generator, drawn: Drawn, count: int) -> np.ndarray:
    """Label so many outputs, drawn at random; the others have none."""
    labels = np.full(len(drawn.truth), np.nan)
    chosen = generator.choice(len(labels), count, replace=False)
    labels[chosen] = drawn.truth[chosen]
    return labels


def true_difference(shape: str, effect: float) -> float:
    """Return the difference that people would see over all outputs there could be."""
    quality = np.random.default_rng(1).normal(size=4_000_000)
    return float(SHAPES[shape](quality + effect).mean() - SHAPES[shape](quality).mean()) if effect else 0.0


def simulate(
    shape: str, questions: int, per_question: int, labels: int, effect: float, repetitions: int, seed: int = 2024
) -> tuple[float, float, float]:
    """Return how often the corrected interval covers, how often it leaves out 0, and how often the judges' own does."""
    generator, truth = np.random.default_rng(seed), true_difference(shape, effect)
    covered = alarms = naive = known = 0
    for _ in range(repetitions):
        drawn = draw(generator, shape, questions, per_question, effect)
        found = corrected_difference(
            label(generator, drawn, labels), drawn.judged, drawn.is_first, clusters=drawn.questions
        )
        low, high = found.corrected.low, found.corrected.high
        if low is None or high is None:
            continue
        known += 1
        covered += low <= truth <= high
        alarms += not low <= 0 <= high
        naive += not (found.naive.low or 0.0) <= 0 <= (found.naive.high or 0.0)
    return covered / known, alarms / known, naive / known


def reports(repetitions: int, folder: Path) -> tuple[int, int, int]:
    """Run `report --labels` on tables of equal models; return how many of its means and differences cover, of how many.

    25 questions, 8 outputs to each of two models, two judges who favour the first, and 60 labels.
    """
    generator = np.random.default_rng(7)
    means = differences = done = 0
    truth = float(np.mean(SHAPES["skewed 1–5"](np.random.default_rng(1).normal(size=4_000_000))))
    for _ in range(repetitions):
        drawn = draw(generator, "skewed 1–5", 25, 8, 0.0)
        given = label(generator, drawn, 60)
        rows = [
            (f"o{place}", judge, np.clip(round(4.0 + 1.1 * (stated + 0.2 * generator.normal())), 1, 5),
             "first" if side else "second", f"q{question}")
            for place, (stated, side, question) in enumerate(zip(*drawn[1:], strict=True))
            for judge in ("oak", "elm")
        ]  # fmt: skip
        _write(folder / "scores.csv", [["output_id", "judge", "score", "target_model", "question_id"], *rows])
        labelled = [(f"o{place}", value) for place, value in enumerate(given) if not np.isnan(value)]
        _write(folder / "labels.csv", [("output_id", "score"), *labelled])
        made = analyse(folder / "scores.csv", Choices(scale=(1, 5)), labels=read_labels(folder / "labels.csv"))
        tables = {table.id: table for table in made.tables()}
        (difference,) = tables["corrected_comparisons"].column("corrected")
        differences += difference.low <= 0 <= difference.high
        means += sum(cell.low <= truth <= cell.high for cell in tables["corrected"].column("corrected"))
        done += 1
    return means, differences, done


def _write(path: Path, rows: list[tuple[object, ...]]) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


def lines(repetitions: int) -> Iterator[tuple[str, bool]]:
    """Yield each row of the table, and whether it is as it should be."""
    error = math.sqrt(0.05 * 0.95 / repetitions)
    for shape in SHAPES:
        for effect in (0.0, 0.4):
            for questions, per_question, labels in SIZES:
                covered, alarms, naive = simulate(shape, questions, per_question, labels, effect, repetitions)
                good = covered >= 0.93 and (effect != 0 or alarms <= 0.05 + 2 * error)
                size = f"{questions} × {per_question}"
                shares = " | ".join(f"{100 * each:.1f} %" for each in (covered, alarms, naive))
                yield f"| {shape} | {effect:g} | {size} | {labels} | {shares} |", good


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 150
    head = ["| scores | true difference | questions × outputs | labels | covers | alarms | judges alone alarm |"]
    table, wrong = [*head, "|---|---|---|---|---|---|---|"], 0
    for line, good in lines(repetitions):
        table.append(line)
        wrong += not good
        print(line if good else f"{line} <--", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        means, differences, done = reports(count, Path(folder))
    whole = (
        f"End to end, `report --labels` on {done} simulated tables (25 questions × 8 outputs × 2 equal models, "
        f"60 labels): the corrected difference covers in {differences} of {done}, corrected "
        f"means in {means} of {2 * done}."
    )
    print(whole)
    PAGE.write_text("\n".join([
        "# Differences corrected by labels", "",
        f"Printed by `{COMMAND} {repetitions} {done}`. Two models answer the same questions; the judges",
        f"favour the first by {FAVOUR:g} standard deviations of quality. *Covers*: how often the corrected 95 %",
        "interval has the true difference. *Alarms*: how often it leaves out 0, which is a false alarm where",
        "the true difference is 0. The last column is what the judges alone would do.", "", *table, "", whole, "",
    ]), encoding="utf-8")  # fmt: skip
    wrong += differences < 0.95 * done - 2 * math.sqrt(0.05 * 0.95 * done)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
