"""Simulate how often the 95 % intervals cover the truth, for few and many units, with and without questions.

Run from the root: .venv/bin/python -m bench.stats.coverage [repetitions] [part of a name]
It writes docs/reference/benchmarks/stats-coverage.md; with a part of a row's name (`normal | 200`), only these rows are
simulated and put in the place of the old ones. A row that covers less than 93 % must be marked rough by the results
themselves; the command ends with 1 if one is not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from bench.stats.coverage_cases import ALIKE, CASES, CONTRASTS, SIZES, Case

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "benchmarks" / "stats-coverage.md"
COMMAND = ".venv/bin/python -m bench.stats.coverage"
PER_QUESTION = 4


def simulate(case: Case, n: int, per_question: int, repetitions: int) -> tuple[float, int, int]:
    """Return the share of intervals that cover the truth, how many were not known, and how many said "rough"."""
    truth = case.truth(per_question)
    generator = np.random.default_rng(2024)
    hits = known = rough = 0
    for _ in range(repetitions):
        estimate = case.draw(generator, n, per_question)
        if estimate.low is not None and estimate.high is not None:
            known += 1
            rough += bool(estimate.note)
            hits += estimate.low - 1e-9 <= truth <= estimate.high + 1e-9
    return hits / max(known, 1), repetitions - known, rough


def rows(repetitions: int, named: str) -> Iterator[tuple[str, bool]]:
    """Yield each row of the table, and whether it is as it should be."""
    for case in (*CASES, *CONTRASTS):
        for per_question in _per_question(case):
            for n in SIZES:
                if named not in _name(case, n, per_question):
                    continue
                share, unknown, rough = simulate(case, n, per_question, repetitions)
                low = share < 0.93
                marked = rough > repetitions / 2 or unknown > repetitions / 2
                mark = "rough, and says so" if low and marked else "too low" if low else ""
                mark = "conservative" if share > 0.97 else mark
                cells = (_name(case, n, per_question), f"{100 * share:.1f} %", mark, unknown, repetitions)
                yield f"| {' | '.join(map(str, cells))} |", case in CONTRASTS or not low or marked


def _per_question(case: Case) -> tuple[int, ...]:
    return (1, PER_QUESTION) if case.clustered is None else (PER_QUESTION if case.clustered else 1,)


def _name(case: Case, n: int, per_question: int) -> str:
    return f"{case.name} | {f'{n} questions of {per_question}' if per_question > 1 else n}"


def kept_rows() -> dict[str, str]:
    """Return the rows of the page as they are, by interval and n; a new one takes the place of the old."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.exists() else []
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| interval")]
    return {" | ".join(line.strip("| ").split(" | ")[:2]): line for line in rows}


def page(found: dict[str, str]) -> str:
    """Return the page with the rows that were found, in the order of the cases."""
    named = [
        _name(case, n, per) for case in (*CASES, *CONTRASTS) for per in _per_question(case) for n in SIZES
    ]  # fmt: skip
    return "\n".join([
        "# Coverage of the 95 % intervals", "",
        f"Printed by `{COMMAND}`, or for a part of the rows `{COMMAND} SAMPLES NAME`.",
        "The last column says how many samples were simulated for a row: with 300 a coverage is known to ±2.5 points,",
        "with 2000 to ±1. The goal is at least 93 %. *Conservative* rows cover more than 97 %: their intervals are",
        "wider than need be. Where a row is *rough*, the results say so themselves, in the report beside the number.",
        "*Not known* counts samples for which there is no interval, with the reason. Data are normal, skewed on a",
        "scale from 1 to 5, or binary; latent values of outputs to one question have a correlation of",
        f"{ALIKE:g}. The last rows show what the others avoid.", "",
        "| interval | n | coverage | | not known | samples |", "|---|---|---|---|---|---|",
        *(found[name] for name in named if name in found), "",
    ])  # fmt: skip


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    named = sys.argv[2] if len(sys.argv) > 2 else ""
    found, wrong = kept_rows(), 0
    for line, good in rows(repetitions, named):
        wrong += not good
        print(line if good else f"{line} <--", flush=True)
        found[" | ".join(line.strip("| ").split(" | ")[:2])] = line
        PAGE.write_text(page(found), encoding="utf-8")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
