"""Simulate comparisons that are looked at after every question: false alarms, and how early they stop.

Run from the root: .venv/bin/python -m bench.stats.sequential [repetitions]
It writes docs/reference/benchmarks/stats-sequential.md, and ends with 1 if more than 5 % (and two simulation errors)
of the comparisons of equal models ever alarm, or a median stop is beyond 1.6 times the questions that one look needs.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

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
"""How many times the questions of one look the median stop may take."""
POWER = 0.8
"""How often a test that looks once should find the difference."""
ONE_SIDE = 0.025
"""How often a test at 95 % may decide for a side that is not better: 5 %, shared between both."""


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
SPREADS = (4.0, 3.0, 2.0, 1.5, 1.0)
"""Standard deviations of differences, in points."""


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


def stops(effect: float, spread: float, repetitions: int) -> list[int]:
    """Return after how many questions a difference of so many standard deviations is decided, each time."""
    generator, longest = np.random.default_rng(7), 6 * fixed_questions(effect) + 100
    drawn = (np.clip(generator.normal(effect * spread, spread, longest), -LONGEST, LONGEST) for _ in range(repetitions))
    return [first_decision(values) or longest for values in drawn]


def fixed_questions(effect: float) -> int:
    """Return how many questions a t test that looks once needs."""
    return int(samples_needed(effect, 1.0, power=POWER).value or 0)


class Least(NamedTuple):
    """What no test can do with less that holds for every distribution of differences on the scale.

    Take the distribution with which equal models are hardest to tell from these: close to it, but with a few failures
    of the whole scale. A test that rarely errs there has to see enough to tell the two apart. How much one question
    tells is `growth`: the growth of the best bet, E log(1 + λ·x) with λ at most 1 (Honda & Takemura 2010, COLT).
    """

    growth: float
    mean: float

    @property
    def one_look(self) -> int:
        """With how many questions a single look can find the difference as often as `POWER`, at least.

        By data processing n · growth ≥ kl(power, error). And all n questions are without failure with a probability of
        (1 + mean)⁻ⁿ, so that the test errs at least that often times its power.
        """
        told = POWER * math.log(POWER / ONE_SIDE) + (1 - POWER) * math.log((1 - POWER) / (1 - ONE_SIDE))
        return math.ceil(max(told / self.growth, math.log(POWER / ONE_SIDE) / math.log1p(self.mean)))

    @property
    def mean_stop(self) -> float:
        """After how many questions a test that may stop at each does so on average, at the earliest (Wald)."""
        return -math.log(ONE_SIDE) / self.growth


def least_questions(effect: float, spread: float) -> Least:
    """Return what such differences tell."""
    quantiles = (np.arange(4000) + 0.5) / 4000
    deviations = np.array([NormalDist().inv_cdf(each) for each in quantiles])
    shares = np.clip(effect * spread + spread * deviations, -LONGEST, LONGEST) / LONGEST
    best = max(float(np.log1p(stake * shares).mean()) for stake in np.linspace(0.001, 0.999, 999))
    return Least(growth=best, mean=float(shares.mean()))


COLUMNS = (
    "true difference", "spread", "median stop", "one look, t test", "one look, any distribution", "mean stop",
    "earliest mean stop", "goal",
)  # fmt: skip


class Row(NamedTuple):
    """How early one kind of difference is decided."""

    effect: float
    spread: float
    t_test: int
    least: Least
    median: float
    mean: float

    @property
    def needed(self) -> int:
        """How many questions one look needs if it is to hold for every distribution."""
        return max(self.t_test, self.least.one_look)

    @property
    def reached(self) -> bool:
        """Whether the goal is reached beside a test that holds for every distribution."""
        return self.median <= GOAL * self.needed

    @property
    def state(self) -> str:
        """Say how it stands, beside a t test first."""
        if self.median <= GOAL * self.t_test:
            return "reached"
        if not self.reached:
            return "missed"
        out_of_reach = self.least.mean_stop > GOAL * self.t_test
        return "reached beside an exact look; " + ("t: no test can" if out_of_reach else "t: missed")

    def line(self) -> str:
        """Write the row of the table."""
        return (
            f"| {self.effect:g} | {self.spread:g} | {self.median:g} | {self.t_test} ({self.median / self.t_test:.2f}×) "
            f"| {self.needed} ({self.median / self.needed:.2f}×) | {self.mean:.1f} "
            f"| {self.least.mean_stop:.1f} ({self.mean / self.least.mean_stop:.2f}×) | {self.state} |"
        )


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


def stop_rows(repetitions: int) -> list[Row]:
    """Simulate every row of the table of stops."""
    rows = []
    for effect in EFFECTS:
        for spread in SPREADS:
            found = stops(effect, spread, repetitions)
            least = least_questions(effect, spread)
            median, mean = float(np.median(found)), float(np.mean(found))
            rows.append(Row(effect, spread, fixed_questions(effect), least, median, mean))
            print(rows[-1].line(), flush=True)
    return rows


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    alarms, above = alarm_rows(repetitions)
    rows = stop_rows(repetitions)
    beside_t = sum(row.median <= GOAL * row.t_test for row in rows)
    barred = sum(row.median > GOAL * row.t_test and row.least.mean_stop > GOAL * row.t_test for row in rows)
    exact = sum(row.reached for row in rows)
    PAGE.write_text("\n".join([
        "# Comparisons looked at after every question", "",
        f"Printed by `{COMMAND} {repetitions}`: so many comparisons a row, at 95 %, of panel scores on 0–10.",
        f"Equal models are looked at after each of {HORIZON} questions; at most 5 % should ever be decided, whatever",
        "the distribution of the differences.", "",
        *alarms, "",
        "How early a true difference is decided. True differences are in standard deviations; the *spread* is that",
        "standard deviation in points of 0–10. Verdicts, and scores of 1–5 by one judge, spread by 3 to 4 points,",
        "means of several judges by less. The median stop stands beside the questions of tests that look once and have",
        "a power of 80 %, the mean stop beside the earliest that is possible; ratios are in brackets.", "",
        f"| {' | '.join(COLUMNS)} |",
        "|---" * len(COLUMNS) + "|",
        *(row.line() for row in rows), "",
        "- *One look, t test*: what the usual test needs, which trusts that the differences are nearly normal.",
        "- *One look, any distribution*: what a test needs at least that holds whatever the distribution, as this one",
        "  does. It may not decide as long as a few failures of ten points, which might not have been seen yet, would",
        "  undo the difference; this costs most where the differences are large beside their spread.",
        "- *Earliest mean stop*: no test that holds for every distribution, with 2.5 % for either side, stops earlier",
        "  on average. `bench/stats/sequential.py` says how the last two are computed.", "",
        f"The goal is a median stop within {GOAL} times the questions of one look. Beside a test that holds as widely",
        f"it is reached in {exact} of {len(rows)} rows; beside the t test in {beside_t}. In {barred} of the others no",
        f"such test can reach that: the earliest mean stop is beyond {GOAL} times the t test's questions.", "",
    ]), encoding="utf-8")  # fmt: skip
    sys.exit(1 if above or exact < len(rows) else 0)


if __name__ == "__main__":
    main()
