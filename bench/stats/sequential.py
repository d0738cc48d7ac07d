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
LATE = 50
"""From how many questions on skewed differences are looked at a second time."""
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


def exponential(generator: Generator, questions: int) -> np.ndarray:
    """Return differences whose mean is 0 and whose long side is the better one."""
    return generator.exponential(size=questions) - 1


def failures(generator: Generator, questions: int) -> np.ndarray:
    """Return differences of a model that fails badly on one question in five, and is a little better on the others."""
    return np.where(generator.random(questions) < 0.2, -4.0, 1.0) + 0.5 * generator.normal(size=questions)


SKEWED: dict[str, Callable[[Generator, int], np.ndarray]] = {
    "exponential": exponential, "fails badly on one in five, a little better on the others": failures,
}  # fmt: skip
"""Equal means all the same: here the theory, which is of normal differences, does not hold."""

EFFECTS = (0.2, 0.3, 0.5, 0.8, 1.2)


def first_decision(values: np.ndarray, earliest: int = FIRST_LOOK) -> int | None:
    """Look after every question from the earliest on; return after how many it was decided, None if it never was."""
    per_question = values.shape[1] if values.ndim == 2 else 1
    for count in _near_decisions(values.reshape(len(values), -1).mean(axis=1), earliest):
        clusters = np.repeat(np.arange(count), per_question)
        if sequential_difference(values[:count].ravel(), clusters).decided:
            return count
    return None


def _near_decisions(means: np.ndarray, earliest: int) -> list[int]:
    """Return the looks at which something may be decided: no interval reaches less than 2.5 errors, so t is larger."""
    count = np.arange(1, len(means) + 1)
    average = np.cumsum(means) / count
    squares = np.cumsum(means**2) - count * average**2
    is_near = average**2 * count * np.maximum(count - 1, 1) > 2.5**2 * squares
    return count[is_near & (count >= earliest)].tolist()


def ever_alarms(
    draw: Callable[[Generator, int], np.ndarray], repetitions: int, horizon: int = HORIZON, earliest: int = FIRST_LOOK
) -> float:
    """Return how often comparisons of equal models are ever decided, looked at after every question."""
    generator = np.random.default_rng(2024)
    drawn = (draw(generator, horizon) for _ in range(repetitions))
    return sum(first_decision(values, earliest) is not None for values in drawn) / repetitions


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
    skewed = [f"| skewed differences with the mean 0 | ever decided | from question {LATE} on |", "|---|---|---|"]
    for name, draw in SKEWED.items():
        shares = (ever_alarms(draw, repetitions, earliest=earliest) for earliest in (FIRST_LOOK, LATE))
        skewed.append(f"| {name} | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |")
        print(skewed[-1], flush=True)
    stops = [
        "| true difference, in standard deviations | fixed, 80 % power | median stop | ratio | of a plan for 0.2 |",
        "|---|---|---|---|---|",
    ]
    planned = 0
    for effect in EFFECTS:
        fixed, stop = median_stop(effect, repetitions)
        planned = planned or fixed
        wrong += stop > 1.6 * fixed
        stops.append(f"| {effect:g} | {fixed} | {stop:g} | {stop / fixed:.2f} | {100 * stop / planned:.0f} % |")
        print(stops[-1], flush=True)
    PAGE.write_text("\n".join([
        "# Comparisons looked at after every question", "",
        f"Printed by `{COMMAND} {repetitions}`: so many comparisons a row, at 95 %, from question {FIRST_LOOK} on.",
        f"Equal models are looked at after each of {HORIZON} questions; at most 5 % should ever be decided.", "",
        *alarms, "", "Where differences are very skewed, few questions do not show it, and equal means are told apart",
        "too often. Do not stop at the first look where one model may fail badly and rarely:", "", *skewed, "",
        "How early a true difference is decided, beside the questions of a test that looks once. The last",
        "column is beside a plan for a difference of 0.2: who plans for a small one stops early at a large one.", "",
        *stops, "",
    ]), encoding="utf-8")  # fmt: skip
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
