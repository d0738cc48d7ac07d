"""Simulate comparisons that are looked at after every question: false alarms, and how early they stop.

Run from the root: .venv/bin/python -m bench.stats.sequential [repetitions]
It writes docs/reference/benchmarks/stats-sequential.md, and ends with 1 if more than 5 % (and two simulation errors)
of the comparisons of equal models ever alarm, or the median stop is beyond 1.6 times the fixed number of questions.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.comparison.sequential import FIRST_LOOK, sequential_difference
from venire.stats.uncertainty.power import samples_needed

if TYPE_CHECKING:
    from collections.abc import Callable

Generator = np.random.Generator
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "benchmarks" / "stats-sequential.md"
COMMAND = ".venv/bin/python -m bench.stats.sequential"
HORIZON = 300
"""How many questions are looked at, one after the other, where there is no difference."""


def normal(generator: Generator, questions: int) -> np.ndarray:
    return generator.normal(size=questions)


def ordinal(generator: Generator, questions: int) -> np.ndarray:
    """Return differences of scores on 1–5 of two equal models on questions of unlike difficulty."""
    shared = generator.normal(size=questions)
    one, two = (np.clip(np.rint(4.0 + 0.8 * shared + 0.8 * generator.normal(size=questions)), 1, 5) for _ in range(2))
    return one - two


def sparse(generator: Generator, questions: int) -> np.ndarray:
    """Return differences of verdicts, most of which are alike."""
    return np.where(generator.random(questions) < 0.15, generator.choice([-1.0, 1.0], size=questions), 0.0)


def clustered(generator: Generator, questions: int) -> np.ndarray:
    """Return the differences of four outputs to each question, which are alike; a row for each question."""
    return generator.normal(size=(questions, 1)) + generator.normal(size=(questions, 4))


DRAWS: dict[str, Callable[[Generator, int], np.ndarray]] = {
    "normal": normal, "1–5, equal models": ordinal, "verdicts, 15 % differ": sparse,
    "four outputs a question": clustered,
}  # fmt: skip
EFFECTS = (0.2, 0.3, 0.5, 0.8, 1.2)


def first_decision(values: np.ndarray) -> int | None:
    """Look after every question; return after how many it was decided, or None if it never was."""
    per_question = values.shape[1] if values.ndim == 2 else 1
    for count in range(FIRST_LOOK, len(values) + 1):
        clusters = np.repeat(np.arange(count), per_question)
        if sequential_difference(values[:count].ravel(), clusters).decided:
            return count
    return None


def ever_alarms(draw: Callable[[Generator, int], np.ndarray], repetitions: int, horizon: int = HORIZON) -> float:
    """Return how often comparisons of equal models are ever decided, looked at after every question."""
    generator = np.random.default_rng(2024)
    return sum(first_decision(draw(generator, horizon)) is not None for _ in range(repetitions)) / repetitions


def median_stop(effect: float, repetitions: int) -> tuple[int, float]:
    """Return the fixed number of questions for a power of 80 %, and the median number at which it was decided."""
    generator, fixed = np.random.default_rng(7), int(samples_needed(effect, 1.0).value or 0)
    longest = 4 * fixed + FIRST_LOOK
    stops = [first_decision(generator.normal(effect, 1, longest)) or longest for _ in range(repetitions)]
    return fixed, float(np.median(stops))


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    allowed, wrong = 0.05 + 2 * math.sqrt(0.05 * 0.95 / repetitions), 0
    alarms = ["| differences of equal models | ever decided |", "|---|---|"]
    for name, draw in DRAWS.items():
        share = ever_alarms(draw, repetitions)
        wrong += share > allowed
        alarms.append(f"| {name} | {100 * share:.1f} % |")
        print(alarms[-1], flush=True)
    stops = [
        "| true difference, in standard deviations | fixed, 80 % power | median stop | ratio |",
        "|---|---|---|---|",
    ]
    for effect in EFFECTS:
        fixed, stop = median_stop(effect, repetitions)
        wrong += stop > 1.6 * fixed
        stops.append(f"| {effect:g} | {fixed} | {stop:g} | {stop / fixed:.2f} |")
        print(stops[-1], flush=True)
    PAGE.write_text("\n".join([
        "# Comparisons looked at after every question", "",
        f"Printed by `{COMMAND} {repetitions}`: so many comparisons a row, at 95 %, from question {FIRST_LOOK} on.",
        f"Equal models are looked at after each of {HORIZON} questions; at most 5 % should ever be decided.", "",
        *alarms, "", "How early a true difference is decided, beside the questions of a test that looks once:", "",
        *stops, "",
    ]), encoding="utf-8")  # fmt: skip
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
