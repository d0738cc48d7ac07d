"""Simulate which labels narrow the corrected difference most: a plain draw beside one where judges doubt.

Run from the root: .venv/bin/python -m bench.stats.labelling [repetitions]
It writes docs/reference/benchmarks/stats-labelling.md, and ends with 1 if 30 % fewer sought labels give a wider
interval than random ones where judges doubt where they err (verdicts of three judges aside: three yes or no say too
little), or if any row covers less than 93 %.
"""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import NamedTuple

import numpy as np

from venire.stats.uncertainty.corrected_difference import corrected_difference
from venire.stats.uncertainty.label_draw import draw_outputs, judges_doubt, label_chances

Generator = np.random.Generator
PAGE = Path(__file__).parents[2] / "docs" / "reference" / "benchmarks" / "stats-labelling.md"
COMMAND = ".venv/bin/python -m bench.stats.labelling"
QUESTIONS = 300
RANDOM, SOUGHT = 100, 70
FAVOUR = 0.3
"""How much the judges favour the first of two equal models."""


class Drawn(NamedTuple):
    """What people would say of the outputs, and what each judge says."""

    truth: np.ndarray
    judged: np.ndarray


class Simulated(NamedTuple):
    """How often the interval covers, and how wide it is on average."""

    covers: float
    width: float


def verdicts(generator: Generator, judges: int, question: np.ndarray, is_first: np.ndarray) -> Drawn:
    """PASS or FAIL: most outputs are clear, judges part on those near the border and err there."""
    size = len(question)
    shared, slant = generator.normal(size=(2, QUESTIONS))
    quality = 2.5 * (math.sqrt(0.6) * shared[question] + math.sqrt(0.4) * generator.normal(size=size)) + 1.2
    truth = quality + 0.2 * generator.normal(size=size) > 0
    seen = quality + FAVOUR * is_first + 0.4 * slant[question]
    judged = seen[:, None] + 0.6 * generator.normal(size=(size, judges)) > 0
    return Drawn(truth.astype(float), judged.astype(float))


def scores(generator: Generator, judges: int, question: np.ndarray, is_first: np.ndarray) -> Drawn:
    """Scores from 1 to 5: one question in four is hard, where judges part and err in the same direction."""
    size = len(question)
    hard = np.where(generator.random(QUESTIONS) < 0.25, 2.5, 0.5)[question]
    shared, slant = generator.normal(size=(2, QUESTIONS))
    quality = math.sqrt(0.5) * (shared[question] + generator.normal(size=size))
    error = hard * (0.5 * slant[question] + 0.2 * generator.normal(size=size))
    seen = 3.3 + quality + FAVOUR * is_first + error
    judged = seen[:, None] + 0.5 * hard[:, None] * generator.normal(size=(size, judges))
    return Drawn(np.clip(np.rint(3.3 + quality), 1, 5), np.clip(np.rint(judged), 1, 5))


def doubtless(generator: Generator, judges: int, question: np.ndarray, is_first: np.ndarray) -> Drawn:
    """Scores whose errors have nothing to do with the judges' doubt: the draw cannot know where to look."""
    size = len(question)
    quality = math.sqrt(0.5) * (generator.normal(size=QUESTIONS)[question] + generator.normal(size=size))
    seen = 3 + quality + FAVOUR * is_first + 0.5 * generator.normal(size=size)
    return Drawn(3 + quality, seen[:, None] + 0.3 * generator.normal(size=(size, judges)))


KINDS = {"verdicts": verdicts, "scores": scores, "doubt says nothing": doubtless}


def simulate(kind: str, judges: int, labels: int, *, is_sought: bool, repetitions: int, seed: int = 1) -> Simulated:
    """Return coverage and width of the corrected difference of two equal models."""
    generator = np.random.default_rng(seed)
    question, is_first = np.repeat(np.arange(QUESTIONS), 2), np.tile([True, False], QUESTIONS)
    everything = np.ones(len(question), dtype=bool)
    covered, widths = 0, []
    for _ in range(repetitions):
        drawn = KINDS[kind](generator, judges, question, is_first)
        weights = judges_doubt(drawn.judged, question) if is_sought else np.ones(len(question))
        chances = label_chances(weights, everything, labels)
        together = question if is_sought else np.arange(len(question))
        places = draw_outputs(chances, together, everything, labels, generator)
        given = np.full(len(question), np.nan)
        given[places] = drawn.truth[places]
        found = corrected_difference(
            given, drawn.judged.mean(axis=1), is_first, clusters=question, probabilities=chances
        ).corrected
        if found.low is None or found.high is None:
            continue
        covered += found.low <= 0 <= found.high
        widths.append(found.high - found.low)
    return Simulated(covered / len(widths), float(np.mean(widths)))


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    table, wrong = [
        f"| data | judges | width, {RANDOM} random | covers | width, {SOUGHT} sought | covers | saved |",
        "|---|---|---|---|---|---|---|",
    ], 0  # fmt: skip
    for kind, drawing in KINDS.items():
        for judges in (3, 5, 7):
            plain = simulate(kind, judges, RANDOM, is_sought=False, repetitions=repetitions)
            sought = simulate(kind, judges, SOUGHT, is_sought=True, repetitions=repetitions)
            saved = 1 - SOUGHT / RANDOM * (sought.width / plain.width) ** 2
            table.append(
                f"| {kind} | {judges} | {plain.width:.3f} | {100 * plain.covers:.1f} % | {sought.width:.3f} | "
                f"{100 * sought.covers:.1f} % | {100 * saved:.0f} % |"
            )
            is_met = saved >= 0.3 or drawing is doubtless or (drawing is verdicts and judges < 5)
            wrong += not (is_met and min(plain.covers, sought.covers) >= 0.93)
            print(table[-1], flush=True)
    PAGE.write_text("\n".join([
        "# Which labels to ask for", "",
        f"Printed by `{COMMAND} {repetitions}`. Two equal models answer {QUESTIONS} questions; the",
        f"judges favour the first. *Random*: {RANDOM} labels, drawn as by `venire labels next --random`. *Sought*:",
        f"{SOUGHT} labels, drawn as by `venire labels next`. *Width* is that of the corrected 95 % interval, *covers*",
        "how often it has the truth. *Saved* is how many labels fewer the sought draw needs for the width of the",
        "random one, as widths go with the root of the number of labels. *verdicts* are PASS or FAIL, mostly clear;",
        "*scores* go from 1 to 5, and one question in four is hard. In the last rows the judges' doubt has nothing to",
        "do with their errors: then sought labels save least. Doubt is measured by how judges part, so that more",
        "judges find it better; three that say PASS or FAIL either part or do not, which tells least.", "", *table, "",
    ]), encoding="utf-8")  # fmt: skip
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
