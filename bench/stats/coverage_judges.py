"""Simulate how often 95 % intervals of drift, migration and bias cover the truth, which should be 93–97 %.

Run from the root: .venv/bin/python bench/stats/coverage_judges.py [repetitions]
With 2000 repetitions, a share is itself uncertain by about ±1 percentage point.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from venire.stats.comparison.change_attribution import attribute_change
from venire.stats.judges.halo import halo
from venire.stats.ratings.rating import Rating
from venire.stats.ratings.table import RatingsTable
from venire.stats.uncertainty.clustered_difference import difference_of_means, slope_within
from venire.stats.uncertainty.clustered_share import clustered_share, share_difference

if TYPE_CHECKING:
    from collections.abc import Callable

    from venire.stats.result import Estimate

Draw = tuple["Estimate", float]


def share(generator: np.random.Generator, clusters: int, size: int, rate: float, alike: float) -> Estimate:
    """Draw clusters of successes that are correlated by `alike` (beta-binomial)."""
    scale = (1 - alike) / alike
    rates = generator.beta(rate * scale, (1 - rate) * scale, clusters)
    successes = generator.random((clusters, size)) < rates[:, None]
    return clustered_share(successes.ravel().astype(float), np.repeat(np.arange(clusters), size))


def jump(generator: np.random.Generator) -> Draw:
    return share_difference(share(generator, 30, 3, 0.2, 0.4), share(generator, 30, 3, 0.5, 0.4)), 0.3


def difference(generator: np.random.Generator) -> Draw:
    questions = np.repeat(np.arange(25), 6)
    inside = generator.random(len(questions)) < 0.3
    values = generator.normal(size=25)[questions] + inside + generator.normal(size=len(questions))
    return difference_of_means(values, inside, questions), 1.0


def slope(generator: np.random.Generator) -> Draw:
    questions = np.repeat(np.arange(30), 5)
    lengths = generator.normal(size=150) + generator.normal(size=30)[questions]
    slopes = (0.5 + 0.2 * generator.normal(size=30))[questions]
    values = slopes * lengths + 3 * generator.normal(size=30)[questions] + generator.normal(size=150)
    return slope_within(values, lengths, questions), 0.5


def system_part(generator: np.random.Generator) -> Draw:
    before, anchors = generator.normal(size=20), generator.normal(size=15)
    after = before + 1.5 + generator.normal(size=20)
    again = anchors + 0.7 + 0.5 * generator.normal(size=15)
    return attribute_change(before, range(20), after, range(20), anchors, again).system, 0.8


def halo_of_first(generator: np.random.Generator) -> Draw:
    """Two unrelated dimensions, two judges; a mood of variance 1/4 colours both dimensions of the first judge."""
    rows = []
    for unit in range(120):
        truth = generator.normal(size=2)
        for judge, mood in (("first", 0.5 * generator.normal()), ("second", 0.0)):
            for dimension, score in zip("xy", (truth + mood + 0.3 * generator.normal(size=2)).tolist(), strict=True):
                rows.append(
                    Rating(
                        unit=str(unit), rater=judge, dimension=dimension, score=score, question_id=str(unit % 40),
                        judgement=f"{unit} {judge}",
                    )
                )  # fmt: skip
    return halo(RatingsTable.from_rows(rows).primary())[0].estimate, 0.25 / (1 + 0.09 + 0.25)


CASES: dict[str, Callable[[np.random.Generator], Draw]] = {
    "share, 40 clusters of 5, 30 %": lambda generator: (share(generator, 40, 5, 0.3, 0.3), 0.3),
    "share, 40 clusters of 5, 5 %": lambda generator: (share(generator, 40, 5, 0.05, 0.3), 0.05),
    "share, 15 clusters of 8, 20 %": lambda generator: (share(generator, 15, 8, 0.2, 0.5), 0.2),
    "jump of the hard-break rate": jump,
    "self-preference and language": difference,
    "length": slope,
    "the system's part of a change": system_part,
    "halo": halo_of_first,
}


def main() -> None:
    repetitions = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("| interval | covered | draws without one |\n|---|---|---|")
    for name, draw in CASES.items():
        generator = np.random.default_rng(1)
        drawn = [draw(generator) for _ in range(repetitions if name != "halo" else max(repetitions // 4, 1))]
        known = [(one.low, truth, one.high) for one, truth in drawn if one.low is not None and one.high is not None]
        covered = sum(low <= truth <= high for low, truth, high in known)
        print(f"| {name} | {100 * covered / max(len(known), 1):.1f} % | {len(drawn) - len(known)} |")


if __name__ == "__main__":
    main()
