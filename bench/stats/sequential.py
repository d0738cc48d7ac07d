"""Simulate comparisons that are looked at after every question: false alarms, and how early they stop.

Run from the root: .venv/bin/python -m bench.stats.sequential [repetitions]
It writes docs/reference/benchmarks/stats-sequential.md, and ends with 1 if more than 5 % (and two simulation errors)
of the comparisons of equal models ever alarm, or a median stop that should be within 1.6 times the fixed number of
questions is beyond.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.comparison.sequential import sequential_difference
from venire.stats.ratings.panel_scores import PANEL_SCALE
from venire.stats.sequential.bounded_mean import STAKES, WEALTH
from venire.stats.uncertainty.power import samples_needed

if TYPE_CHECKING:
    from collections.abc import Callable

Generator = np.random.Generator
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "benchmarks" / "stats-sequential.md"
COMMAND = ".venv/bin/python -m bench.stats.sequential"
LONGEST = PANEL_SCALE[1] - PANEL_SCALE[0]
HORIZON = 300
"""How many questions are looked at, one after the other, where there is no difference."""
GOAL = 1.6
"""How many times the fixed number of questions the median stop may take."""


def normal(generator: Generator, questions: int) -> np.ndarray:
    return np.clip(generator.normal(0, 2, size=questions), -LONGEST, LONGEST)


def ordinal(generator: Generator, questions: int) -> np.ndarray:
    """Return differences of scores on 1–5 of two equal models on questions of unlike difficulty."""
    shared = generator.normal(size=questions)
    one, two = (np.clip(np.rint(4.0 + 0.8 * shared + 0.8 * generator.normal(size=questions)), 1, 5) for _ in range(2))
    return 2.5 * (one - two)


def sparse(generator: Generator, questions: int) -> np.ndarray:
    """Return differences of verdicts, most of which are alike."""
    return np.where(generator.random(questions) < 0.15, generator.choice([-LONGEST, LONGEST], size=questions), 0.0)


def clustered(generator: Generator, questions: int) -> np.ndarray:
    """Return the differences of four outputs to each question, which are alike; a row for each question."""
    return np.clip(2 * generator.normal(size=(questions, 1)) + 2 * generator.normal(size=(questions, 4)), -10, 10)


def exponential(generator: Generator, questions: int) -> np.ndarray:
    """Return differences whose mean is 0 and whose long side is the better one."""
    end = LONGEST / 1.5
    drawn = -np.log1p(-generator.random(questions) * -math.expm1(-end))
    return 1.5 * (drawn - 1 + end / math.expm1(end))


def fails(every: int) -> Callable[[Generator, int], np.ndarray]:
    """Make differences of a model that fails wholly on one question in so many, and is as much better on the others."""

    def draw(generator: Generator, questions: int) -> np.ndarray:
        better = LONGEST / (every - 1)
        noise = generator.uniform(-0.5, 0.5, questions) * better
        return np.where(generator.random(questions) < 1 / every, -LONGEST, better + noise)

    return draw


DRAWS: dict[str, Callable[[Generator, int], np.ndarray]] = {
    "normal": normal, "1–5": ordinal, "verdicts, 15 % differ": sparse, "four outputs a question": clustered,
    "skewed: exponential": exponential, "skewed: one side fails on one question in 5": fails(5),
    "skewed: one side fails on one question in 30": fails(30),
    "skewed: one side fails on one question in 100": fails(100),
}  # fmt: skip
"""Differences between panel scores on 0–10 with the mean 0."""

EFFECTS = (0.2, 0.3, 0.5, 0.8, 1.2)
SPREADS = {4.0: 0.8, 3.0: 0.8, 2.0: 0.5, 1.5: 0.3}
"""Standard deviations of differences in points, and up to which effect the goal is reached."""


def log_wealth_path(means: np.ndarray) -> np.ndarray:
    """Return the logarithm of the e-value after each question, computed in another way: question by question."""
    shares, stakes = means[:, None] / LONGEST, STAKES[None, :]
    paths = [np.cumsum(np.log1p(side * stakes * shares), axis=0) + np.log(WEALTH) for side in (1, -1)]
    both = np.concatenate(paths, axis=1)
    largest = both.max(axis=1)
    return np.asarray(largest + np.log(np.exp(both - largest[:, None]).sum(axis=1)))


def first_decision(values: np.ndarray) -> int | None:
    """Look after every question; return after how many it was decided, None if it never was."""
    hits = np.flatnonzero(log_wealth_path(values.reshape(len(values), -1).mean(axis=1)) >= math.log(20))
    if not len(hits):
        return None
    count = int(hits[0]) + 1
    clusters = np.repeat(np.arange(count), values.size // len(values))
    if not sequential_difference(values[:count].ravel(), clusters, scale=PANEL_SCALE).decided:
        raise AssertionError("the two computations part")
    return count


def ever_alarms(draw: Callable[[Generator, int], np.ndarray], repetitions: int, horizon: int = HORIZON) -> float:
    """Return how often comparisons of equal models are ever decided, looked at after every question."""
    generator = np.random.default_rng(2024)
    drawn = (draw(generator, horizon) for _ in range(repetitions))
    return sum(first_decision(values) is not None for values in drawn) / repetitions


def median_stop(effect: float, spread: float, repetitions: int) -> float:
    """Return the median number of questions at which a difference of so many standard deviations is decided."""
    generator, longest = np.random.default_rng(7), 6 * fixed_questions(effect) + 60
    drawn = (np.clip(generator.normal(effect * spread, spread, longest), -10, 10) for _ in range(repetitions))
    return float(np.median([first_decision(values) or longest for values in drawn]))


def fixed_questions(effect: float) -> int:
    """Return how many questions a test that looks once needs for a power of 80 %."""
    return int(samples_needed(effect, 1.0).value or 0)


def alarm_rows(repetitions: int) -> tuple[list[str], int]:
    """Return the table of false alarms, and how many rows are above 5 % and two simulation errors."""
    allowed, wrong = 0.05 + 2 * math.sqrt(0.05 * 0.95 / repetitions), 0
    rows = ["| differences of equal models | ever decided |", "|---|---|"]
    for name, draw in DRAWS.items():
        share = ever_alarms(draw, repetitions)
        wrong += share > allowed
        rows.append(f"| {name} | {100 * share:.1f} % |")
        print(rows[-1], flush=True)
    return rows, wrong


def stop_rows(repetitions: int) -> tuple[list[str], int]:
    """Return the table of median stops, and how many are beyond what they should be."""
    wrong = 0
    rows = [
        "| true difference | one look | " + " | ".join(f"spread {spread:g}" for spread in SPREADS) + " |",
        "|---|---|" + "---|" * len(SPREADS),
    ]
    for effect in EFFECTS:
        fixed, cells = fixed_questions(effect), []
        for spread, reached in SPREADS.items():
            stop = median_stop(effect, spread, repetitions)
            wrong += effect <= reached and stop > GOAL * fixed
            cells.append(f"{stop:g} ({stop / fixed:.2f}×)")
        rows.append(f"| {effect:g} | {fixed} | {' | '.join(cells)} |")
        print(rows[-1], flush=True)
    return rows, wrong


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    alarms, above = alarm_rows(repetitions)
    stops, beyond = stop_rows(repetitions)
    PAGE.write_text("\n".join([
        "# Comparisons looked at after every question", "",
        f"Printed by `{COMMAND} {repetitions}`: so many comparisons a row, at 95 %, of panel scores on 0–10.",
        f"Equal models are looked at after each of {HORIZON} questions; at most 5 % should ever be decided, whatever",
        "the distribution of the differences.", "",
        *alarms, "",
        "How early a true difference is decided: the median number of questions, and in brackets beside those of a",
        "test that looks once and has a power of 80 %. True differences are in standard deviations; the *spread* is",
        "that standard deviation in points of 0–10. Verdicts, and scores of 1–5 by one judge, spread by 3 to 4 points,",
        "means of several judges by less.", "",
        *stops, "",
        f"The goal, at most {GOAL} times the questions of one look, is reached for differences up to 0.8 standard",
        "deviations where they spread by 3 points or more, up to 0.5 at 2 points and up to 0.3 at 1.5 points. Beyond",
        "that the questions are few, and more are asked for on purpose: nothing is decided as long as a few failures",
        "of ten points, which might well not have been seen yet, would undo the difference.", "",
    ]), encoding="utf-8")  # fmt: skip
    sys.exit(1 if above + beyond else 0)


if __name__ == "__main__":
    main()
