"""How many comparisons an active draw saves over a uniform one: a full matrix of judged pairs is replayed.

    python -m bench.stats.active_pairs [SEEDS]

Fifty models answer 500 questions; every pair of outputs has an outcome, drawn once. Both draws then look outcomes up
until the intervals of the three leaders are as narrow as those of a uniform draw of 20 000 comparisons.
"""

from __future__ import annotations

import sys

import numpy as np

from venire.stats import rank_models
from venire.stats.comparison.active_pairs import draw_pairs, pair_probabilities

MODELS, QUESTIONS, UNIFORM_COMPARISONS, TOP = 50, 500, 20_000, 3


class FullMatrix:
    """The outcome of every pair of outputs to every question."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)
        strengths = np.sort(self._generator.normal(0, 1, MODELS))[::-1]
        taste = self._generator.normal(0, 0.5, (QUESTIONS, MODELS))
        odds = (strengths + taste)[:, :, None] - (strengths + taste)[:, None, :]
        self.won = self._generator.random((QUESTIONS, MODELS, MODELS)) < 1 / (1 + np.exp(-odds))


class Replay:
    """What has been looked up so far."""

    def __init__(self, matrix: FullMatrix, seed: int) -> None:
        self._matrix = matrix
        self._order = np.random.default_rng([seed, 9]).permuted(
            np.tile(np.arange(QUESTIONS), (MODELS, MODELS, 1)), axis=2
        )
        self.used = np.zeros((MODELS, MODELS), dtype=np.intp)
        self.wins = np.zeros((MODELS, MODELS))
        self.rows: list[tuple[int, int, float, int]] = []

    @property
    def available(self) -> np.ndarray:
        """How many outcomes of each pair were not looked up yet."""
        return np.triu(QUESTIONS - self.used, 1)

    def look_up(self, pairs: list[tuple[int, int]]) -> None:
        """Look up an outcome of each of these pairs, on a question of which it was not looked up before."""
        for one, two in pairs:
            question = int(self._order[one, two, self.used[one, two]])
            self.used[one, two] += 1
            won = bool(self._matrix.won[question, one, two])
            self.wins[(one, two) if won else (two, one)] += 1
            self.rows.append((one, two, float(won), question))

    def width(self) -> float:
        """Return the mean width of the leaders' intervals; infinite while there is no order."""
        one, two, outcome, question = map(np.array, zip(*self.rows, strict=True))
        found = rank_models(one, two, outcome, clusters=question)
        if found.reason:  # A model has not won, or not lost, a single comparison yet.
            return float("inf")
        return float(np.mean([each.strength.high - each.strength.low for each in found.models[:TOP]]))


def replay(seed: int, top: int | None) -> tuple[float, float, int]:
    """Return the width of the uniform draw, that of the active one when it got there, and how many that took."""
    matrix = FullMatrix(seed)
    uniform = Replay(matrix, seed)
    same = np.triu(np.ones((MODELS, MODELS)), 1)
    uniform.look_up(draw_pairs(same / same.sum(), uniform.available, UNIFORM_COMPARISONS, [seed, 1]))
    goal = uniform.width()
    active = Replay(matrix, seed)
    size, number = 4 * MODELS, 0
    active.look_up(draw_pairs(same / same.sum(), active.available, size, [seed, 2, 0]))
    while len(active.rows) < UNIFORM_COMPARISONS:
        number += 1
        chances = pair_probabilities(active.wins, np.zeros_like(active.wins), active.available, top=top)
        active.look_up(draw_pairs(chances, active.available, max(size, len(active.rows) // 5), [seed, 2, number]))
        if len(active.rows) > 1000 and (width := active.width()) <= goal:
            return goal, width, len(active.rows)
    return goal, active.width(), len(active.rows)


def main() -> None:
    """Print a line for each seed."""
    for top in (TOP, None):
        for seed in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3):
            goal, width, count = replay(seed, top)
            whose = f"the top {top}" if top else "all models"
            print(
                f"errors of {whose}, seed {seed}: uniform {UNIFORM_COMPARISONS} comparisons, width {goal:.3f}; "
                f"active {count} ({count / UNIFORM_COMPARISONS:.0%}), width {width:.3f}"
            )


if __name__ == "__main__":
    main()
