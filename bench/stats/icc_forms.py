"""Measure all six intraclass correlations beside one of them, as a ratio of CPU time.

Run from the root: .venv/bin/python -m bench.stats.icc_forms
Both take turns in one process on one thread; the least CPU time of nine turns counts.
"""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.agreement.icc import icc, icc_forms

if TYPE_CHECKING:
    from collections.abc import Callable

TURNS = 9


def cpu_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    generator = np.random.default_rng(3)
    print("| units × 5 judges | one form, CPU ms | all six, CPU ms | ratio |\n|---|---|---|---|")
    for units in (300, 1_000, 10_000, 100_000, 1_000_000):
        scores = generator.normal(size=(units, 1)) + generator.normal(size=(units, 5))
        turns = [(cpu_seconds(partial(icc, scores)), cpu_seconds(partial(icc_forms, scores))) for _ in range(TURNS)]
        one, six = (1000 * min(turn[side] for turn in turns) for side in (0, 1))
        print(f"| {units:,} | {one:.2f} | {six:.2f} | {six / one:.2f} |", flush=True)


if __name__ == "__main__":
    main()
